/** The overview's charts by keyboard and pointer, in the reader's language and time zone, and its links, in a real browser. */
import assert from "node:assert/strict";
import { it } from "node:test";
import type { Page } from "playwright-core";
import { startHarness } from "../support/dashboard/browser-harness.ts";
import { NARROW, NO_CHROMIUM, WIDE } from "../support/dashboard/chromium.ts";

const chart = (page: Page, name: "results" | "times") => page.locator(`[data-plot=${name}]`);
const readout = (page: Page, name: "results" | "times") => page.locator(`[data-readout=${name}]`);

it("shows the numbers of a step for the keyboard and the pointer", { skip: NO_CHROMIUM }, async (t) => {
  const { installation, page, inspect, sendMessage } = await startHarness(t);
  const overview = `${installation.url}/dashboard?range=3h`;
  await page.goto(overview);
  await page.getByText("No messages in the last 3 hours").waitFor();
  await page.getByText("No recipient failed in the last 3 hours").waitFor();
  await page.getByText("The queue is empty").waitFor();
  await inspect("overview-empty");
  await page.getByRole("link", { name: "Time to delivery" }).click();
  await page.getByText("Nothing was delivered in the last 3 hours").waitFor();
  await page.getByRole("link", { name: "Results" }).click();
  await sendMessage("delivered", "5xx-550");
  // Live: the charts appear without a new page.
  await chart(page, "results").locator("canvas").waitFor();

  await chart(page, "results").focus();
  await page.keyboard.press("End");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowRight");
  const text = "1 delivered, 1 failed, 0 unknown, accepted 1 message for 2 recipients";
  await readout(page, "results").getByText(text).waitFor();
  const spoken = await chart(page, "results").getAttribute("aria-valuetext");
  assert.equal(spoken, await readout(page, "results").textContent());
  for (const { viewport } of [NARROW, WIDE]) {
    await page.setViewportSize(viewport);
    await inspect("overview-step");
  }
  await page.keyboard.press("Escape");
  await readout(page, "results").getByText("use the arrow keys").waitFor();

  const box = await chart(page, "results").locator(".u-over").boundingBox();
  assert.ok(box);
  await page.mouse.move(box.x + box.width - 3, box.y + box.height / 2);
  await readout(page, "results").getByText(text).waitFor();
  assert.equal(await page.locator(".step-mark").count(), 1);
  await page.mouse.move(0, 0);
  await readout(page, "results").getByText("Point at the chart").waitFor();

  await page.getByRole("link", { name: "Time to delivery" }).click();
  assert.match(page.url(), /range=3h&chart=times/);
  await chart(page, "times").focus();
  await page.keyboard.press("End");
  await readout(page, "times")
    .getByText(/median .* 95 % within/)
    .waitFor();
});

it("has dates in the reader's language and time zone", { skip: NO_CHROMIUM }, async (t) => {
  const options = { ...WIDE, locale: "de-DE", timezoneId: "Asia/Tokyo" };
  const { installation, page, sendMessage } = await startHarness(t, options);
  await sendMessage("delivered");
  await page.goto(`${installation.url}/dashboard?range=30d`);
  await page.locator("#chart-results", { hasText: "times in Asia/Tokyo" }).waitFor();
  await chart(page, "results").focus();
  await page.keyboard.press("End");
  // 30 days have steps of 12 hours of UTC, which begin at 9 and 21 o'clock in Tokyo.
  await readout(page, "results")
    .getByText(/^(Mo|Di|Mi|Do|Fr|Sa|So)\., \d+\. \S+ (09|21):00/)
    .waitFor();
});

it("links each figure and failure to its messages in the same time range", { skip: NO_CHROMIUM }, async (t) => {
  const { installation, page, sendMessage } = await startHarness(t);
  await sendMessage("delivered");
  await sendMessage("delivered", "5xx-550");
  for (const [click, messages] of [
    [() => page.locator(".figure a", { hasText: "Accepted" }).click(), 2],
    [() => page.locator(".figure a", { hasText: "Delivered" }).click(), 2],
    [() => page.locator(".figure a", { hasText: "Failed" }).click(), 1],
    [() => page.locator("#failures .queue code").first().locator("xpath=..").locator("a").click(), 1],
    [() => page.locator("#failures a", { hasText: "customers.example" }).click(), 1],
  ] as const) {
    await page.goto(`${installation.url}/dashboard?range=3h`);
    await click();
    await page.locator("td.subject").first().waitFor();
    assert.equal(await page.locator("td.subject").count(), messages, page.url());
    assert.match(page.url(), /(since|result_since)=20\d\d-/);
  }
});
