/** The list of messages in a real browser: new messages, ages, local times, and long texts. */
import assert from "node:assert/strict";
import { it } from "node:test";
import type { Service } from "../../src/service/service.ts";
import { settlePaused } from "../support/attempts.ts";
import {
  assertAccessible,
  NARROW,
  NO_CHROMIUM,
  openWindow,
  startBrowser,
  takeScreenshots,
  WIDE,
} from "../support/dashboard/chromium.ts";
import { installWithOperator } from "../support/dashboard/installation.ts";
import { signIn } from "../support/dashboard/sign-in.ts";
import { HOUR_MS, newMessage, settlement } from "../support/messages.ts";

const DOMAIN = "a-very-long-domain-name-of-a-company-somewhere.example";
const LONG = `somebody.with.a.rather.long.name@${DOMAIN}`;

/** Accepts a message that waits. Returns its id. */
async function accept({ spool }: Service, parts: Parameters<typeof newMessage>[0] = {}): Promise<string> {
  const nowMs = Date.now();
  const message = newMessage({
    createdAtMs: nowMs,
    expiresAtMs: nowMs + HOUR_MS,
    recipients: [{ email: LONG, domain: DOMAIN }],
    subject: "Your order 4711 has been confirmed and will be on its way to you soon",
    tags: ["order"],
    ...parts,
  });
  await spool.pauseDomain(DOMAIN, nowMs);
  await spool.accept(message);
  return message.id;
}

const REPLY = {
  code: 550,
  enhanced_code: "5.1.1",
  message: "The email account that you tried to reach does not exist",
};

async function fail({ spool }: Service, id: string): Promise<void> {
  const smtp = { ...REPLY, mx: `mx.${DOMAIN}`, ip: "192.0.2.7", tls: null };
  const failed = { ...settlement(0, "failed"), reason: "recipient_refused", category: "bad_address" as const, smtp };
  await settlePaused(spool, id, { domains: [DOMAIN], atMs: Date.now(), settlements: [failed] });
}

/** How much of its text an element does not show, in pixels. */
const hiddenWidth = (element: HTMLElement | SVGElement): number => element.scrollWidth - element.clientWidth;

for (const options of [WIDE, NARROW]) {
  it(`shows a message in few lines, and announces new ones wherever the focus is, ${options.viewport.width} wide`, {
    skip: NO_CHROMIUM,
  }, async (t) => {
    const browser = await startBrowser();
    t.after(() => browser.close());
    const installation = await installWithOperator(t);
    const { service, url } = installation;
    const { page, consoleErrors } = await openWindow(browser, { ...options, timezoneId: "Asia/Kolkata" });
    const inspect = async (name: string): Promise<void> => {
      await takeScreenshots(page, name);
      await assertAccessible(page, name);
    };
    const first = await accept(service);
    await fail(service, first);
    await signIn(page, url);
    await page.goto(`${url}/dashboard/messages`);
    await page.getByText("1 message", { exact: true }).waitFor();
    assert.equal(await page.getByText(LONG, { exact: true }).getAttribute("title"), LONG);
    assert.ok((await page.locator(".email-head").evaluate(hiddenWidth)) > 0, "the local part gives way");
    assert.equal(await page.locator(".email-tail").evaluate(hiddenWidth), 0, "the domain is not cut");
    const why = page.locator("td.result");
    await why.getByText(options === WIDE ? "550 5.1.1 The email account" : "Bad address").waitFor();
    assert.match((await page.locator(".row-link").getAttribute("title")) ?? "", /550 5\.1\.1 The email account that/);
    await inspect("list-reasons");

    const age = page.locator("td.accepted time");
    const title = await age.getAttribute("title");
    assert.match(title ?? "", /^\d+ \w+ \d+, [\d:]+ · \d+ \w+ \d+, [\d:]+ UTC$/);
    const shown = await age.textContent();
    await age.filter({ hasNotText: new RegExp(`^${shown}$`) }).waitFor();

    const news = page.getByRole("status");
    await accept(service);
    await accept(service);
    await news.getByText("2 new messages", { exact: true }).waitFor();
    assert.equal(await page.locator("td.subject").count(), 3, "the list is not in use, so it shows them");

    await page.locator("td.subject .line a").nth(2).focus();
    await accept(service);
    await news.getByRole("link", { name: "1 new message", exact: true }).waitFor();
    assert.equal(await page.locator("td.subject").count(), 3);
    await inspect("list-news");
    await news.getByRole("link").click();
    await page.locator("td.subject").nth(3).waitFor();

    // A phone has no room for tags.
    if (options === WIDE) {
      await page.locator("td.subject").first().getByRole("link", { name: "order", exact: true }).click();
    } else {
      await page.goto(`${url}/dashboard/messages?tag=order`);
    }
    await page.getByRole("link", { name: "Remove the filter Tag: order" }).click();
    await page.waitForURL(/\/messages\??$/);
    await page.goto(`${url}/dashboard/messages/${first}`);
    const accepted = page.locator("dl.facts time[data-local]").first();
    assert.match((await accepted.getAttribute("title")) ?? "", / UTC$/);
    assert.doesNotMatch((await accepted.textContent()) ?? "", /UTC/);
    assert.deepEqual(consoleErrors, []);
  });
}

it("moves through the list with keys, and opens a row wherever it is clicked", { skip: NO_CHROMIUM }, async (t) => {
  const browser = await startBrowser();
  t.after(() => browser.close());
  const installation = await installWithOperator(t);
  const { url, service } = installation;
  const ids = [await accept(service), await accept(service)];
  const { page, consoleErrors } = await openWindow(browser, WIDE);
  await signIn(page, url);
  const list = `${url}/dashboard/messages`;
  await page.goto(list);
  const focused = (): Promise<string> => page.evaluate("document.activeElement.getAttribute('href') ?? ''");
  await page.keyboard.press("j");
  assert.equal(await focused(), `/dashboard/messages/${ids[1]}`);
  await page.keyboard.press("j");
  assert.equal(await focused(), `/dashboard/messages/${ids[0]}`);
  await page.keyboard.press("k");
  assert.equal(await focused(), `/dashboard/messages/${ids[1]}`);
  await page.keyboard.press("Enter");
  await page.waitForURL(`${list}/${ids[1]}`);

  await page.goto(list);
  await page.keyboard.press("/");
  await page.keyboard.type("j/?");
  assert.equal(await page.getByLabel("Search", { exact: true }).inputValue(), "j/?", "letters are typed in a field");
  await page.keyboard.press("Tab");
  await page.locator("h1").click();
  await page.keyboard.press("?");
  const keys = page.getByRole("dialog", { name: "Keys" });
  await keys.waitFor();
  await takeScreenshots(page, "keys");
  await assertAccessible(page, "keys");
  await keys.getByLabel("Use these keys").uncheck();
  await page.keyboard.press("Escape");
  await keys.waitFor({ state: "detached" });
  await page.keyboard.press("j");
  assert.equal(await focused(), "", "turned off");

  const [first, last] = [page.locator("tbody tr").first(), page.locator("tbody tr").last()];
  const { x, y } = (await first.locator("td.result").boundingBox()) ?? { x: 0, y: 0 };
  await page.mouse.click(x + 4, y + 4);
  await page.waitForURL(`${list}/${ids[1]}`);
  await page.goto(list);
  await last.locator("td.accepted time").click();
  await page.waitForURL(`${list}/${ids[0]}`);
  assert.deepEqual(consoleErrors, []);
});

it("takes times in the reader's time zone, and searches with UTC", { skip: NO_CHROMIUM }, async (t) => {
  const browser = await startBrowser();
  t.after(() => browser.close());
  const installation = await installWithOperator(t);
  const { page } = await openWindow(browser, { ...WIDE, timezoneId: "Asia/Kolkata" });
  await signIn(page, installation.url);
  await page.goto(`${installation.url}/dashboard/messages?since=2026-03-14T09:05`);
  const since = page.getByLabel("Accepted from (your time)");
  assert.equal(await since.inputValue(), "2026-03-14T14:35");
  await since.fill("2026-03-15T02:00");
  await page.getByRole("button", { name: "Search" }).click();
  await page.waitForURL(/since=2026-03-14T20%3A30/);
  assert.equal(await since.inputValue(), "2026-03-15T02:00");
  await page.getByText("Accepted from: 15 Mar 2026, 02:00:00").waitFor();
});

it("shows UTC without scripts", { skip: NO_CHROMIUM }, async (t) => {
  const browser = await startBrowser();
  t.after(() => browser.close());
  const installation = await installWithOperator(t);
  const id = await accept(installation.service);
  const { page } = await openWindow(browser, { ...WIDE, timezoneId: "Asia/Kolkata", javaScriptEnabled: false });
  await signIn(page, installation.url);
  await page.goto(`${installation.url}/dashboard/messages/${id}`);
  assert.match((await page.locator("dl.facts time").first().textContent()) ?? "", / UTC$/);
  await page.goto(`${installation.url}/dashboard/messages?since=2026-03-14T09:05`);
  assert.equal(await page.getByLabel("Accepted from (UTC)").inputValue(), "2026-03-14T09:05");
});
