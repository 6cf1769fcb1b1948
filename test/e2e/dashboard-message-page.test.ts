/** The page of one message in a real browser: many recipients, the parts of its content, and the place where an action leads back to. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { it } from "node:test";
import type { Page } from "playwright-core";
import type { RecipientField } from "../../src/spool/port/mail.ts";
import { settlePaused } from "../support/attempts.ts";
import { composedMessage } from "../support/composed-message.ts";
import { startHarness } from "../support/dashboard/browser-harness.ts";
import { NARROW, NO_CHROMIUM, WIDE } from "../support/dashboard/chromium.ts";
import type { Installation } from "../support/dashboard/installation.ts";
import { HOUR_MS, newMessage, rcptReply, settlement } from "../support/messages.ts";

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYPj/HwADAgH/pZ8+4wAAAABJRU5ErkJggg==";
const SVG = '<svg xmlns="http://www.w3.org/2000/svg" onload="top.hacked=1"><script>top.hacked=1</script></svg>';

const HTML = `<h1>Your order</h1><img id="logo" src="cid:logo@shop"><img id="svg" src="cid:drawing@shop">
  <div id="back" style="background: url(cid:logo@shop)">.</div>`;

const file = (filename: string, content: string, more: object = {}) => ({ filename, content, ...more });

const CONTENT = {
  from: "Shop <hello@shop.example>",
  reply_to: "Help <help@shop.example>",
  text: "Your order.",
  html: HTML,
  attachments: [
    file("logo.png", PNG, { content_id: "logo@shop" }),
    file("drawing.svg", Buffer.from(SVG).toString("base64"), { content_id: "drawing@shop" }),
    file("Rechnung für März.pdf", Buffer.from("%PDF-1.7").toString("base64")),
  ],
};

const SETTLED = ["delivered", "pending", "failed", "unknown"] as const;

/** Stores a message to so many recipients, whose results alternate. Returns its id. */
async function storeMessage({ service: { spool } }: Installation, count: number): Promise<string> {
  const nowMs = Date.now();
  const domain = "many.example";
  const fieldOf = (i: number): RecipientField => (i < count - 4 ? "to" : i < count - 2 ? "cc" : "bcc");
  const recipients = Array.from({ length: count }, (_, i) => ({
    email: `user${i}@${domain}`,
    domain,
    field: fieldOf(i),
  }));
  const named = recipients.map(({ email }, i) => `Person Number ${i} <${email}>`);
  const message = newMessage({
    createdAtMs: nowMs - 5000,
    expiresAtMs: nowMs + 48 * HOUR_MS,
    recipients,
    subject: "Your order",
    tags: ["order", "receipt"],
    metadata: { order: "1042", customer: "Ann" },
    requestId: "req_0123456789abcdef",
    clientKey: "order 1042",
    content: composedMessage({ ...CONTENT, to: named.slice(0, count - 4), cc: named.slice(count - 4, count - 2) }),
  });
  await spool.pauseDomain(domain, nowMs);
  await spool.accept(message);
  const reply = { code: 550, enhanced_code: "5.1.1", message: "No such user here" };
  const settlements = recipients.map((_, position) => {
    const result = SETTLED[position % SETTLED.length] ?? "failed";
    const settled = settlement(position, result, result === "pending" ? nowMs + HOUR_MS : null);
    if (result !== "failed") return settled;
    const smtp = { ...reply, mx: `mx.${domain}`, ip: "192.0.2.7", tls: null };
    return {
      ...settled,
      reason: "recipient_refused",
      category: "bad_address" as const,
      smtp,
      tries: [rcptReply(reply)],
    };
  });
  await settlePaused(spool, message.id, { domains: [domain], atMs: nowMs, settlements });
  return message.id;
}

const rowOf = (page: Page, position: number) => page.locator(`#recipient-${position}`);

for (const options of [WIDE, NARROW]) {
  it(`lists fifty recipients in rows that open, ${options.viewport.width} wide`, { skip: NO_CHROMIUM }, async (t) => {
    const { installation, page, inspect } = await startHarness(t, options);
    const id = await storeMessage(installation, 50);
    // In the preview, the browser reports the drawing, whose address it does not know.
    await page.goto(`${installation.url}/dashboard/messages/${id}?view=text`);
    assert.equal(await page.locator(".recipient-row").count(), 50);
    assert.equal(await page.locator(".recipient-more:visible").count(), 0);
    await page.getByText("13 delivered, 13 pending, 12 failed, 12 unknown").waitFor();
    assert.equal(await rowOf(page, 49).locator(".recipient-name").textContent(), "Bcc");
    assert.equal(await rowOf(page, 46).locator(".recipient-name").textContent(), "Cc: Person Number 46");
    assert.equal(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), true);
    await inspect("message-many");
    await rowOf(page, 2).locator("summary").focus();
    await page.keyboard.press("Enter");
    await rowOf(page, 2).getByText("No such user here").first().waitFor();
    assert.equal(await page.locator(".recipient-more:visible").count(), 1);
    await inspect("message-many-open");
  });

  it(`shows one part of the content after the other, ${options.viewport.width} wide`, {
    skip: NO_CHROMIUM,
  }, async (t) => {
    const { installation, page, inspect, consoleErrors } = await startHarness(t, options);
    const id = await storeMessage(installation, 5);
    await page.goto(`${installation.url}/dashboard/messages/${id}`);
    const frame = page.frameLocator("iframe.html");
    const widthOf = (name: string) => frame.locator(name).evaluate((image) => (image as HTMLImageElement).naturalWidth);
    await frame.getByRole("heading", { name: "Your order" }).waitFor();
    assert.equal(await widthOf("#logo"), 1, "the message's own image is shown");
    assert.equal(await widthOf("#svg"), 0, "SVG is not");
    assert.match(
      await frame.locator("#back").evaluate((div) => getComputedStyle(div).backgroundImage),
      /^url\("data:image/,
    );
    // The browser reports the drawing's address, which it does not know.
    consoleErrors.splice(0);
    await inspect("message-preview");
    assert.equal(await page.evaluate("window.hacked"), undefined);

    await page.evaluate("window.isSamePage = true");
    await page.getByRole("link", { name: "Attachments (3)" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: "Rechnung für März.pdf" }).waitFor();
    assert.equal(await page.evaluate("document.activeElement.textContent"), "Attachments (3)");
    assert.equal(await page.evaluate("window.isSamePage"), true, "the page was not loaded again");
    assert.match(page.url(), /view=attachments/);
    await inspect("message-attachments");
    const started = page.waitForEvent("download");
    await page.getByRole("link", { name: "Rechnung für März.pdf" }).click();
    const download = await started;
    assert.equal(download.suggestedFilename(), "Rechnung für März.pdf");
    assert.equal(readFileSync(await download.path(), "latin1"), "%PDF-1.7");
    await page.getByRole("link", { name: "Text", exact: true }).click();
    await page.locator("pre.body-text").getByText("Your order.").waitFor();
    await page.reload();
    await page.locator("pre.body-text").getByText("Your order.").waitFor();
  });
}

it("stays where it was after an action", { skip: NO_CHROMIUM }, async (t) => {
  const { installation, page } = await startHarness(t);
  const id = await storeMessage(installation, 50);
  await page.goto(`${installation.url}/dashboard/messages/${id}?view=text`);
  for (const position of [33, 34]) await rowOf(page, position).locator("summary").click();
  const button = page.getByRole("button", { name: "Try now: user33@many.example" });
  await button.scrollIntoViewIfNeeded();
  const top = await page.evaluate<number>("scrollY");
  assert.ok(top > 0);
  await button.click();
  await rowOf(page, 33).getByText("An operator has paused the recipient's domain").first().waitFor();
  await page.waitForFunction(`scrollY === ${top}`);
  assert.equal(await page.evaluate("document.activeElement.closest('tbody')?.id"), "recipient-33");
  assert.equal(await rowOf(page, 34).locator(".recipient-more").isVisible(), true, "the other row is still open");
  await page.locator("pre.body-text").waitFor();
  await installation.service.spool.resumeDomain("many.example");
  await rowOf(page, 33).getByText("An operator has paused the recipient's domain").first().waitFor({ state: "hidden" });
  assert.equal(await rowOf(page, 33).locator(".recipient-more").isVisible(), true, "open after an update");
});

it("works without scripts", { skip: NO_CHROMIUM }, async (t) => {
  const { installation, page: signedIn } = await startHarness(t);
  const id = await storeMessage(installation, 50);
  const browser = signedIn.context().browser() ?? assert.fail();
  const context = await browser.newContext({
    storageState: await signedIn.context().storageState(),
    javaScriptEnabled: false,
    ignoreHTTPSErrors: true,
  });
  const page = await context.newPage();
  await page.goto(`${installation.url}/dashboard/messages/${id}`);
  await rowOf(page, 34).locator("summary").click();
  await rowOf(page, 34).getByText("No such user here").first().waitFor();
  await page.getByRole("link", { name: "Source", exact: true }).click();
  await page.locator("pre.source").waitFor();
  await rowOf(page, 33).locator("summary").click();
  await page.getByRole("button", { name: "Try now: user33@many.example" }).click();
  await rowOf(page, 33).getByText("An operator has paused the recipient's domain").first().waitFor();
  assert.match(page.url(), /view=source.*#recipient-33$/);
  await page.locator("pre.source").waitFor();
});
