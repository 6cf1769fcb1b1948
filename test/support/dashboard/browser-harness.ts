/** An installation that can send messages, with its operator signed in in a real browser. */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Page } from "playwright-core";
import { createResolver } from "../../../src/dns/stub-resolver.ts";
import { newApiKey } from "../../../src/security/api-key-format.ts";
import { attempted, isFinal, pollUntil, send } from "../api-client.ts";
import { bindVerified } from "../world.ts";
import { assertAccessible, openWindow, startBrowser, takeScreenshots, WIDE } from "./chromium.ts";
import { type Engine, engineEnv, type Installation, installWithOperator } from "./installation.ts";
import { signIn } from "./sign-in.ts";

export interface BrowserHarness {
  installation: Installation;
  page: Page;
  inspect: (name: string) => Promise<void>;
  /** Errors in the browser's console; the test fails if any are left at the end. */
  consoleErrors: string[];
  /** Sends to these local parts at customers.example and waits until each was attempted or is final. */
  sendMessage: (...locals: string[]) => Promise<string>;
}

/** Starts the installation and the browser, verifies shop.example, creates a key, and signs in. */
export async function startHarness(t: TestContext, options = WIDE, engine: Engine = "SQLite"): Promise<BrowserHarness> {
  const browser = await startBrowser();
  t.after(() => browser.close());
  const installation = await installWithOperator(t, { env: await engineEnv(t, engine) });
  const { page, consoleErrors } = await openWindow(browser, options);
  t.after(() => assert.deepEqual(consoleErrors, []));
  const resolver = createResolver({ servers: [installation.zone.address] });
  const { service, zone, certsDir } = installation;
  await bindVerified({ service, zone, resolver, certsDir }, "shop.example");
  const { key, hash, lastFour } = newApiKey();
  const account = await service.registry.accountNamed("default");
  await service.registry.createKey({
    accountId: account?.id ?? "",
    name: "web",
    hash,
    lastFour,
    createdAtMs: Date.now(),
    keysMax: 10,
  });
  await signIn(page, installation.url);
  return {
    installation,
    page,
    consoleErrors,
    async inspect(name) {
      await takeScreenshots(page, name);
      await assertAccessible(page, name);
    },
    async sendMessage(...locals) {
      const to = locals.map((local) => `${local}@customers.example`);
      const html = "<h1>Your order</h1><p>is on its <b>way</b>.</p>";
      const text = "Your order is on its way.";
      const body = { from: "Shop <hello@shop.example>", to, subject: "Your order", html, text };
      const door = { url: installation.url, key };
      const id = await send(door, body);
      await pollUntil(door, id, (recipient) => attempted(recipient) || isFinal(recipient));
      return id;
    },
  };
}
