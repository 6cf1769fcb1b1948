/** The selection of rows in a real browser, with the keyboard and without scripts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import {
  assertAccessible,
  NARROW,
  NO_CHROMIUM,
  openWindow,
  startBrowser,
  takeScreenshots,
} from "../../support/dashboard/chromium.ts";
import { installWithOperator } from "../../support/dashboard/installation.ts";
import { fillLargeSpool } from "../../support/dashboard/large-spool.ts";
import { signIn } from "../../support/dashboard/sign-in.ts";

const DESKTOP = { viewport: { width: 1280, height: 900 } };

test("selected messages and addresses in a browser", { skip: NO_CHROMIUM }, async (t) => {
  const installation = await installWithOperator(t, { fill: (dataDir) => fillLargeSpool(dataDir, 600) });
  const { url, service } = installation;
  const suppressions = Array.from({ length: 120 }, (_, i) => ({
    address: `${"long-name-".repeat(i % 5)}user${i}@z.example`,
    cause: "bounce" as const,
    atMs: i,
    untilMs: null,
  }));
  await service.spool.addSuppressions({ accountId: "acc_default", suppressions, nowMs: Date.now() });
  const browser = await startBrowser();
  t.after(() => browser.close());
  for (const options of [DESKTOP, NARROW]) {
    await t.test(`${options.viewport.width} pixels wide`, async () => {
      const { page, consoleErrors } = await openWindow(browser, options);
      await signIn(page, url);
      await page.goto(`${url}/dashboard/messages`);
      assert.equal(await page.locator(".selection-bar").isVisible(), false);
      const html = await page.content();
      assert.ok(gzipSync(html).length < 15_000, `${gzipSync(html).length} octets`);
      const heights = await page
        .locator(".messages tbody tr")
        .evaluateAll((rows) => rows.map((row) => row.clientHeight));
      if (options === DESKTOP) assert.ok(Math.max(...heights) <= 40, `${Math.max(...heights)} pixels`);
      await page.locator(".select-box").first().check();
      await page.locator(".select-box").nth(1).check();
      await takeScreenshots(page, "messages-selected");
      await assertAccessible(page, "selected messages");
      await page.getByRole("button", { name: "Cancel pending …" }).click();
      await page.getByRole("heading", { name: /Cancel/ }).waitFor();
      await takeScreenshots(page, "selected-confirmation");
      await assertAccessible(page, "the confirmation");

      await page.goto(`${url}/dashboard/suppressed`);
      const sizeBytes = gzipSync(await page.content()).length;
      assert.ok(sizeBytes < 15_000, `${sizeBytes} octets`);
      await page.locator(".select-box").first().check();
      await page.locator(".select-box").nth(2).check();
      await takeScreenshots(page, "suppressed-selected");
      await assertAccessible(page, "selected addresses");
      await page.getByRole("button", { name: "Allow again …" }).click();
      await takeScreenshots(page, "allow-again");
      await page.getByRole("button", { name: "Allow 2 email addresses again" }).click();
      await page.getByText("2 email addresses are allowed again").waitFor();
      assert.deepEqual(consoleErrors, []);
      await page.context().close();
    });
  }

  await t.test("by the keyboard", async () => {
    const { page } = await openWindow(browser, DESKTOP);
    await signIn(page, url);
    await page.goto(`${url}/dashboard/suppressed`);
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.keyboard.press("x");
    assert.deepEqual(
      await page
        .locator(".select-box")
        .evaluateAll((boxes) => boxes.map((box) => (box as HTMLInputElement).checked).slice(0, 3)),
      [false, true, false],
    );
    await page.keyboard.press("x");
    assert.equal(await page.locator(".select-box:checked").count(), 0);
    await page.context().close();
  });

  await t.test("without scripts", async () => {
    const { page } = await openWindow(browser, { ...DESKTOP, javaScriptEnabled: false });
    await signIn(page, url);
    await page.goto(`${url}/dashboard/suppressed`);
    await page.locator(".select-box").first().check();
    await page.getByRole("button", { name: "Allow again …" }).click();
    await page.getByRole("button", { name: "Allow 1 email address again" }).click();
    await page.getByText("Suppression lifted").waitFor();
    await page.context().close();
  });
});
