/** What people do with mail under way, in a real browser with real delivery behind it. */
import assert from "node:assert/strict";
import { it } from "node:test";
import type { Page } from "playwright-core";
import { NARROW, NO_CHROMIUM, takePictures, WIDE } from "./chromium.ts";
import { scene } from "./scene.ts";

const resultsOf = (page: Page): Promise<string[]> => page.locator(".recipient-head .badge").allTextContents();

/** How many pixels of a chart have this colour of the page's. */
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

for (const options of [WIDE, NARROW]) {
  it(`shows each recipient's story, and tries again when asked, ${options.viewport.width} wide`, {
    skip: NO_CHROMIUM,
  }, async (t) => {
    const { here, page, look, mail } = await scene(t, options);
    const id = await mail("delivered", "5xx-550", "greylist-1", "drop-after-dot");
    await page.goto(`${here.url}/dashboard/messages/${id}`);
    assert.deepEqual(await resultsOf(page), ["Delivered", "Failed", "Pending", "Unknown"]);
    await page.locator(".recipient.failed summary").click();
    await page.locator(".recipient.failed .tries").getByText("550").waitFor();
    await look("message-results");

    await page.getByRole("button", { name: "Try now: greylist-1@customers.example" }).click();
    await page.getByText("It is due now").waitFor();
    await page.locator(".recipient.delivered", { hasText: "greylist-1" }).waitFor();
    assert.deepEqual(await resultsOf(page), ["Delivered", "Failed", "Delivered", "Unknown"]);

    const before = here.sink.entries.length;
    await page.getByRole("link", { name: "Send again …" }).click();
    await page.getByText("drop-after-dot@customers.example may have this message already").waitFor();
    assert.equal(here.sink.entries.length, before);
    await page.getByRole("button", { name: "Send it again" }).click();
    await page.getByText("It is sent again").waitFor();
    await page.locator(".recipient.unknown").getByText("Timeline").click();
    await page.getByText("Attempt 2: unknown").waitFor();
    assert.equal(here.sink.entries.length, before + 1);

    await page.getByText("Source").click();
    await page.locator("pre.source").getByText("Subject: Your order").waitFor();
    await page.locator("summary", { hasText: /^Text$/ }).click();
    assert.equal((await page.locator("pre.body-text").textContent())?.trim(), "Your order is on its way.");
    await page.frameLocator("iframe.html").getByRole("heading", { name: "Your order" }).waitFor();
  });
}

it("keeps the overview up to date by itself", { skip: NO_CHROMIUM }, async (t) => {
  const { here, page, mail } = await scene(t);
  await page.goto(`${here.url}/dashboard?range=3h`);
  const figure = (name: string) => page.locator(".figure", { hasText: name }).locator(".figure-value");
  assert.equal(await figure("Accepted").textContent(), "0");
  await mail("delivered", "4xx-451");
  await figure("Accepted").getByText("1", { exact: true }).waitFor();
  await page.locator(".queue-head a", { hasText: "customers.example" }).waitFor();
  await page.goto(`${here.url}/dashboard/messages`);
  assert.equal(await page.locator("td.subject").count(), 1);
  await page.locator("td.nowrap").first().click();
  assert.equal(await page.evaluate("document.activeElement.matches('section.table')"), true);
  await mail("delivered");
  await page.locator("td.subject").nth(1).waitFor();
  assert.equal(await page.evaluate("document.activeElement.matches('section.table')"), true, "still moved by keys");
  await page.goto(`${here.url}/dashboard?all=1`);
  await page.getByRole("heading", { name: "Overview of all accounts" }).waitFor();
  await takePictures(page, "overview-charts");
  let pixels = 0;
  for (let looks = 0; looks < 50 && pixels === 0; looks += 1) {
    await page.waitForTimeout(100);
    pixels = await coloured(page, "times", "--accent");
  }
  assert.ok(pixels > 5, "one step alone is a point");
  const drawn = await page.locator("[data-plot=results] canvas").count();
  assert.equal(drawn, 1);
});

it("shows which addresses are not tried and why, and lets them be tried again", { skip: NO_CHROMIUM }, async (t) => {
  const { here, page, look, mail } = await scene(t);
  for (let i = 0; i < 3; i += 1) await mail("nobody");
  const id = await mail("nobody");
  await page.goto(`${here.url}/dashboard/messages/${id}`);
  await page.getByText("It was not tried").first().waitFor();
  await page.getByRole("link", { name: "Suppressed addresses" }).click();
  await page.locator("tbody").getByText("nobody@customers.example").waitFor();
  await look("suppressed");
  await page.getByRole("button", { name: "Try again: nobody@customers.example" }).click();
  await page.getByText("No address is suppressed").waitFor();
  await mail("nobody");
  assert.equal(
    (await here.service.spool.suppressions({ accountId: "acc_default", after: 4, nowMs: Date.now(), limit: 9 })).length,
    0,
  );
});
