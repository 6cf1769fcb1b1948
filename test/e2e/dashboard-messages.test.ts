/** Messages in delivery, in a real browser with real delivery. */

import assert from "node:assert/strict";
import { it } from "node:test";
import type { Page } from "playwright-core";
import type { Category } from "../../src/message/result/category.ts";
import type { Service } from "../../src/service/service.ts";
import type { Settlement } from "../../src/spool/port/mail.ts";
import { ageRefusals } from "../support/aged-refusals.ts";
import { settlePaused } from "../support/attempts.ts";
import { startHarness } from "../support/dashboard/browser-harness.ts";
import { LAPTOP, NARROW, NO_CHROMIUM, takeScreenshots, WIDE } from "../support/dashboard/chromium.ts";
import { HOUR_MS, newMessage, settlement } from "../support/messages.ts";

const resultsOf = (page: Page): Promise<string[]> => page.locator(".recipient-result .badge").allTextContents();

/** Counts a chart's pixels with a colour of the page. */
const coloured = (page: Page, chart: string, colour: string): Promise<number> =>
  page.evaluate(`(() => {
    const canvas = document.querySelector("[data-plot=${chart}] canvas");
    const hex = getComputedStyle(document.documentElement).getPropertyValue("${colour}").trim();
    const wanted = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)).join();
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    let count = 0;
    for (let i = 0; i < data.length; i += 4) if (data.slice(i, i + 3).join() === wanted && data[i + 3] > 0) count += 1;
    return count;
  })()`);

for (const [engine, options] of [
  ["SQLite", WIDE],
  ["SQLite", NARROW],
  ["PostgreSQL", LAPTOP],
  ["PostgreSQL", NARROW],
] as const) {
  it(`shows each recipient's timeline, and retries on request, ${options.viewport.width} wide, on ${engine}`, {
    skip: NO_CHROMIUM,
  }, async (t) => {
    const { installation, page, inspect, sendMessage } = await startHarness(t, options, engine);
    const id = await sendMessage("delivered", "5xx-550", "greylist-1", "drop-after-dot");
    await page.goto(`${installation.url}/dashboard/messages/${id}`);
    assert.deepEqual(await resultsOf(page), ["Delivered", "Failed", "Pending", "Unknown"]);
    await page.locator(".recipient.failed summary").click();
    await page.locator(".recipient.failed .tries").getByText("550").waitFor();
    await inspect("message-results");

    await page.locator(".recipient.pending summary").click();
    await page.getByRole("button", { name: "Try now: greylist-1@customers.example" }).click();
    await page.locator(".recipient", { hasText: "greylist-1" }).getByText("The next attempt starts now").waitFor();
    await page.locator(".recipient.failed .recipient-more").waitFor();
    await page.locator(".recipient.delivered", { hasText: "greylist-1" }).waitFor();
    assert.deepEqual(await resultsOf(page), ["Delivered", "Failed", "Delivered", "Unknown"]);

    const before = installation.sink.entries.length;
    await page.locator(".recipient.unknown summary").click();
    await page.getByRole("link", { name: "Send again …" }).click();
    await page.getByText("drop-after-dot@customers.example may already have this message").waitFor();
    assert.equal(installation.sink.entries.length, before);
    await page.getByRole("button", { name: "Send again", exact: true }).click();
    await page.getByText("The message is being sent again").waitFor();
    await page.getByText("Attempt 2: unknown").waitFor();
    assert.equal(installation.sink.entries.length, before + 1);

    await page.frameLocator("iframe.html").getByRole("heading", { name: "Your order" }).waitFor();
    await page.getByRole("link", { name: "Source", exact: true }).click();
    await page.locator("pre.source").getByText("Subject: Your order").waitFor();
    await page.getByRole("link", { name: "Text", exact: true }).click();
    await page.locator("pre.body-text").waitFor();
    assert.equal((await page.locator("pre.body-text").textContent())?.trim(), "Your order is on its way.");
  });
}

/** Stores a message whose recipients have failed or wait with these categories. Returns its id. */
async function obstacles({ spool }: Service, domain: string, given: Obstacle[]): Promise<string> {
  const nowMs = Date.now();
  const recipients = given.map(({ category }) => ({ email: `${category}@${domain}`, domain }));
  const message = newMessage({ createdAtMs: nowMs, expiresAtMs: nowMs + 48 * HOUR_MS, recipients });
  await spool.pauseDomain(domain, nowMs);
  await spool.accept(message);
  const settlements = given.map(({ category, result, code, enhanced, words }, position): Settlement => {
    const reply = { code, enhanced_code: enhanced, message: words };
    const place = { mx: `mx.${domain}`, ip: "192.0.2.7" };
    const said = { ...place, tls: null, stage: "rcpt", reply, error: null, note: null, policy: "none" } as const;
    const reason = result === "failed" ? "recipient_refused" : "temporarily_refused";
    const nextMs = result === "failed" ? null : nowMs + HOUR_MS;
    const smtp = { ...reply, ...place, tls: null };
    return { ...settlement(position, result, nextMs), reason, category, smtp, tries: [said] };
  });
  await settlePaused(spool, message.id, { domains: [domain], atMs: nowMs, settlements });
  await spool.resumeDomain(domain);
  return message.id;
}

interface Obstacle {
  category: Category;
  result: "failed" | "pending";
  code: number;
  enhanced: string;
  words: string;
}

const OBSTACLES: Obstacle[] = [
  ...[
    { category: "reputation" as const, code: 550, enhanced: "5.7.1", words: "blocked using zen.spamhaus.org" },
    { category: "bad_address" as const, code: 550, enhanced: "5.1.1", words: "User unknown" },
    { category: "authentication" as const, code: 550, enhanced: "5.7.26", words: "DMARC" },
  ].map((refusal) => ({ ...refusal, result: "failed" as const })),
  { category: "mailbox_full", result: "pending", code: 452, enhanced: "4.2.2", words: "Mailbox full" },
  { category: "greylisted", result: "pending", code: 451, enhanced: "4.7.1", words: "Greylisted" },
];

for (const options of [WIDE, NARROW]) {
  it(`names the category and what to do, and retries a failed recipient, ${options.viewport.width} wide`, {
    skip: NO_CHROMIUM,
  }, async (t) => {
    const { installation, page, inspect } = await startHarness(t, options);
    const id = await obstacles(installation.service, "picky.example", OBSTACLES);
    await page.goto(`${installation.url}/dashboard/messages/${id}`);
    const card = (category: string) => page.locator(".recipient", { hasText: `${category}@picky.example` });
    for (const { category } of OBSTACLES) await card(category).locator("summary").click();
    await card("reputation").getByText("distrusts this server's IP address").first().waitFor();
    await card("reputation").getByText("can see on the page This server which blocklists name this server").waitFor();
    await card("bad_address").getByText("reported that the address does not exist").first().waitFor();
    await card("mailbox_full").getByText("The recipient's mailbox is full").first().waitFor();
    await card("greylisted").getByText("No action is needed").waitFor();
    await inspect("message-obstacles");
    await card("reputation").getByRole("link", { name: "Open This server" }).waitFor();

    installation.zone.set("picky.example", "MX", ["10 mx.customers.example"]);
    await page.getByRole("button", { name: "Send again: reputation@picky.example" }).click();
    await page.getByText("The message is being sent again. The attempt appears below").waitFor();
    await card("reputation").getByText("Sent again by ").waitFor();

    await page.goto(`${installation.url}/dashboard/messages`);
    await page.getByText("More search options").click();
    await page.getByLabel("Category").selectOption("mailbox_full");
    await page.getByRole("button", { name: "Search" }).click();
    await page.locator("td.subject").getByText("Hello").waitFor();
    await inspect("messages-by-obstacle");
    await page.goto(`${installation.url}/dashboard/messages?category=policy`);
    await page.getByText("No messages found").waitFor();
  });
}

it("updates the overview automatically", { skip: NO_CHROMIUM }, async (t) => {
  const { installation, page, sendMessage } = await startHarness(t);
  await page.goto(`${installation.url}/dashboard?range=3h`);
  const figure = (name: string) => page.locator(".figure", { hasText: name }).locator(".figure-value");
  assert.equal(await figure("Accepted").textContent(), "0");
  await sendMessage("delivered", "4xx-451");
  await figure("Accepted").getByText("1", { exact: true }).waitFor();
  await page.locator(".queue-head a", { hasText: "customers.example" }).first().waitFor();
  await page.goto(`${installation.url}/dashboard/messages`);
  assert.equal(await page.locator("td.subject").count(), 1);
  await page.locator("section.table").focus();
  assert.equal(await page.evaluate("document.activeElement.matches('section.table')"), true);
  await sendMessage("delivered");
  await page.locator("td.subject").nth(1).waitFor();
  assert.equal(await page.evaluate("document.activeElement.matches('section.table')"), true, "still moved by keys");
  await page.goto(`${installation.url}/dashboard?all=1`);
  await page.getByRole("heading", { name: "Overview of all accounts" }).waitFor();
  await takeScreenshots(page, "overview-charts");
  await page.locator("[data-plot=results] canvas").waitFor();
  await page.getByRole("link", { name: "Time to delivery" }).click();
  let pixels = 0;
  for (let looks = 0; looks < 50 && pixels === 0; looks += 1) {
    await page.waitForTimeout(100);
    pixels = await coloured(page, "times", "--accent");
  }
  assert.ok(pixels > 5, "one step alone is a point");
});

it("lists suppressed addresses with the reason, and allows them again", { skip: NO_CHROMIUM }, async (t) => {
  const { installation, page, inspect, sendMessage } = await startHarness(t);
  await sendMessage("nobody");
  ageRefusals(installation.dataDir, 24);
  await sendMessage("nobody");
  const id = await sendMessage("nobody");
  await page.goto(`${installation.url}/dashboard/messages/${id}`);
  await page.getByText("Delivery was not attempted").first().waitFor();
  await page.getByRole("link", { name: "Suppressed addresses" }).click();
  await page.locator("tbody").getByText("nobody@customers.example").waitFor();
  await inspect("suppressed");
  await page.getByRole("button", { name: "Allow again: nobody@customers.example" }).click();
  await page.getByText("No suppressed addresses").waitFor();
  await sendMessage("nobody");
  assert.equal(
    (await installation.service.spool.suppressions({ accountId: "acc_default", after: 4, nowMs: Date.now(), limit: 9 }))
      .addresses.length,
    0,
  );
});
