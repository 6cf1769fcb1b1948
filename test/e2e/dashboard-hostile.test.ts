/** Hostile text and HTML of senders and peers is displayed and stays inert, in a real browser. */

import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { it, type TestContext } from "node:test";
import { newApiKey } from "../../src/security/api-key-format.ts";
import { settlePaused } from "../support/attempts.ts";
import {
  assertAccessible,
  NO_CHROMIUM,
  openWindow,
  startBrowser,
  takeScreenshots,
} from "../support/dashboard/chromium.ts";
import { type Installation, installWithOperator } from "../support/dashboard/installation.ts";
import { signIn } from "../support/dashboard/sign-in.ts";
import { newMessage, settlement } from "../support/messages.ts";

const SCRIPT = `</title><script>window.hacked = 1</script><img src=x onerror="window.hacked = 1">"'><svg onload=window.hacked=1>`;

/** Each line tries another way to run code or to send a request. */
const hostileHtml = (spy: string): string => `<!doctype html><html><head>
  <meta http-equiv="refresh" content="0;url=${spy}/refresh"><base href="${spy}/"><link rel="stylesheet" href="${spy}/style.css">
  <link rel="preload" as="image" href="${spy}/preload.png"><link rel="prefetch" href="${spy}/prefetch">
  <style>@import url(${spy}/import.css); body { background: url(${spy}/background.png) } h1 { color: rgb(200, 0, 0) }</style></head><body>
  <h1>Dear customer</h1><script>top.hacked = 1; fetch("${spy}/fetch")</script><img src="${spy}/pixel.png" onerror="top.hacked = 1">
  <iframe src="${spy}/frame"></iframe><object data="${spy}/object"></object><video src="${spy}/video" autoplay></video>
  <form action="${spy}/form"><input name=a><button id="submit">Send</button></form>
  <a id="link" href="${spy}/link">Link</a> <a id="top" target="_top" href="${spy}/top">Top</a> <a id="script" href="javascript:top.hacked=1">Script</a>
  </body></html>`;

/** A server that records every request that leaves the page. */
async function startSpy(t: TestContext): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((req, res) => {
    asked.push(req.url ?? "");
    res.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

async function accept(installation: Installation, spy: string): Promise<string> {
  const boundary = "=_b";
  const html = hostileHtml(spy).replaceAll("\n", "\r\n");
  const content = [
    "Subject: x",
    `Content-Type: multipart/alternative; boundary="${boundary}"`,
    "",
    `--${boundary}`,
    "Content-Type: text/plain; charset=utf-8",
    "",
    SCRIPT,
    `--${boundary}`,
    "Content-Type: text/html; charset=utf-8",
    "",
    html,
    `--${boundary}--`,
    "",
  ].join("\r\n");
  const nowMs = Date.now();
  const message = newMessage({
    id: "msg_hostile00000000000000000",
    createdAtMs: nowMs,
    expiresAtMs: nowMs + 1e9,
    subject: SCRIPT,
    from: `"<script>window.hacked=1</script>"@shop.example`,
    recipients: [{ email: `"<img src=x onerror=window.hacked=1>"@nowhere.example`, domain: "nowhere.example" }],
    content: Buffer.from(content),
  });
  await installation.service.spool.pauseDomain("nowhere.example", nowMs);
  await installation.service.spool.accept(message);
  const reply = { code: 451, enhanced_code: null, message: SCRIPT };
  const tried = { mx: SCRIPT, ip: null, tls: null, stage: "rcpt", error: null, note: SCRIPT, policy: null } as const;
  const smtp = { ...reply, mx: SCRIPT, ip: null, tls: null };
  const settled = { ...settlement(0, "pending", nowMs + 1e8), reason: "temporarily_refused", smtp };
  const settlements = [{ ...settled, tries: [{ ...tried, reply }] }];
  const paused = { domains: ["nowhere.example"], atMs: nowMs, settlements };
  await settlePaused(installation.service.spool, message.id, paused);
  return message.id;
}

it("shows hostile text and HTML, and keeps them inert", { skip: NO_CHROMIUM }, async (t) => {
  const browser = await startBrowser();
  t.after(() => browser.close());
  const installation = await installWithOperator(t);
  const { page } = await openWindow(browser);
  const spy = await startSpy(t);
  const id = await accept(installation, spy.url);
  const { hash, lastFour } = newApiKey();
  const account = await installation.service.registry.accountNamed("default");
  await installation.service.registry.createKey({
    accountId: account?.id ?? "",
    name: SCRIPT.slice(0, 100),
    hash,
    lastFour,
    createdAtMs: 1,
    keysMax: 10,
  });
  await signIn(page, installation.url);

  const harmless = async (): Promise<void> => {
    assert.equal(await page.evaluate("window.hacked"), undefined, page.url());
    assert.deepEqual(spy.asked, []);
  };
  const query = encodeURIComponent(SCRIPT);
  for (const path of [
    "",
    "/messages",
    "/keys",
    `/messages?q=${query}&subject=${query}&since=${query}`,
    "/operator/queue",
  ]) {
    await page.goto(`${installation.url}/dashboard${path}`);
    await harmless();
  }

  await page.goto(`${installation.url}/dashboard/messages/${id}`);
  assert.ok((await page.locator("h1").textContent())?.includes("<script>window.hacked = 1</script>"));
  assert.ok((await page.locator(".reply-text").textContent())?.includes("<svg onload=window.hacked=1>"));
  const frame = page.frameLocator("iframe.html");
  await frame.getByRole("heading", { name: "Dear customer" }).waitFor();
  assert.equal(
    await frame.getByRole("heading").evaluate((heading) => getComputedStyle(heading).color),
    "rgb(200, 0, 0)",
    "the message's own style is shown",
  );
  for (const target of ["#submit", "#link", "#top", "#script"]) {
    await frame.locator(target).click({ noWaitAfter: true, timeout: 5000 });
    await page.waitForTimeout(100);
    assert.equal(page.url(), `${installation.url}/dashboard/messages/${id}`, target);
    await harmless();
    await page.reload();
    await frame.getByRole("heading", { name: "Dear customer" }).waitFor();
  }
  await takeScreenshots(page, "message-hostile");
  await assertAccessible(page, "message-hostile");
  await harmless();

  const alone = await page.request.get(`${installation.url}/dashboard/messages/${id}/html`);
  assert.match(alone.headers()["content-security-policy"] ?? "", /default-src 'none'.*sandbox/);
});
