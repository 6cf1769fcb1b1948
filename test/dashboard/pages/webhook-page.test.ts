/** The page of a webhook endpoint in a browser: it is accessible, and its deliveries fit into their card. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { WebhookResult } from "../../../src/spool/port/webhooks.ts";
import {
  assertAccessible,
  NARROW,
  NO_CHROMIUM,
  openWindow,
  startBrowser,
  takeScreenshots,
} from "../../support/dashboard/chromium.ts";
import { installWithOperator } from "../../support/dashboard/installation.ts";
import { signIn } from "../../support/dashboard/sign-in.ts";

const DESKTOP = { viewport: { width: 1280, height: 900 } };
const HOUR_MS = 3_600_000;

/** Attempts with the longest texts that a row may have. */
function results(): WebhookResult[] {
  const attempt = { durationMs: 14_000, attempt: 1, error: null, response: "" };
  return [
    { status: 204, outcome: { type: "sent" } as const },
    { status: 500, outcome: { type: "deferred", nextAttemptAtMs: Date.now() + 4.5 * HOUR_MS } as const },
    { status: null, outcome: { type: "given_up" } as const },
  ].map(({ status, outcome }, i) => ({
    event: {
      number: i + 1,
      id: `evt_${i}`,
      type: "recipient.unsubscribed",
      orderKey: i + 1,
      messageId: `msg_-P6wKPyqgKf3C6ekSH_skV7${i}`,
    },
    attempt: {
      ...attempt,
      atMs: Date.now() - 3.5 * HOUR_MS,
      status,
      error: status === null ? "The endpoint's TLS certificate is self-signed." : null,
    },
    outcome,
  }));
}

async function openEndpoint(t: TestContext, options: typeof DESKTOP | typeof NARROW) {
  const installation = await installWithOperator(t);
  const { spool } = installation.service;
  const endpoint = await spool.createEndpoint({
    id: "end_AbCdEfGhIjKlMnOp",
    accountId: "acc_default",
    url: "https://hooks.example/postrider",
    types: null,
    keys: null,
    domains: null,
    createdAtMs: Date.now(),
    sealedSecret: Buffer.alloc(1),
    endpointsMax: 20,
  });
  assert.ok(endpoint !== "too_many");
  const { id, version, position } = endpoint;
  const settled = { endpointId: id, version, position, atMs: Date.now(), blocked: [], gone: [], isRecovered: false };
  await spool.settleWebhooks({ ...settled, disable: null, results: results() });
  const browser = await startBrowser();
  t.after(() => browser.close());
  const window = await openWindow(browser, options);
  await signIn(window.page, installation.url);
  await window.page.goto(`${installation.url}/dashboard/webhooks/${id}`);
  return window;
}

for (const [name, options] of Object.entries({ desktop: DESKTOP, phone: NARROW })) {
  test(`deliveries on a ${name} fit, and are accessible`, { skip: NO_CHROMIUM, timeout: 120_000 }, async (t) => {
    const { page, consoleErrors } = await openEndpoint(t, options);
    await page.getByText("Bad certificate").waitFor();
    await takeScreenshots(page, `webhook-${name}`);
    const hiddenPx = await page
      .locator("#deliveries .table")
      .evaluate((table) => table.scrollWidth - table.clientWidth);
    assert.equal(hiddenPx, 0);
    await assertAccessible(page, "webhook endpoint");
    assert.deepEqual(consoleErrors, []);
  });
}
