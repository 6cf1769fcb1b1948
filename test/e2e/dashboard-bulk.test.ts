/** Actions on all recipients of a search in a real browser, with and without scripts: thousands of unknown recipients. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { it } from "node:test";
import Sqlite from "../../src/spool/engine/sqlite/connection/driver.ts";
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
import { fillLargeSpool } from "../support/dashboard/large-spool.ts";
import { signIn } from "../support/dashboard/sign-in.ts";

const MESSAGES = 20_000;

/** Half of the messages have an unknown recipient. */
async function fill(dataDir: string): Promise<void> {
  await fillLargeSpool(dataDir, MESSAGES);
  const db = new Sqlite(join(dataDir, "postrider.db"));
  db.exec(`INSERT OR IGNORE INTO unknown_recipients (seq, position, account_id, domain, attempts, at_ms)
             SELECT seq, position, account_id, domain, 1, 1 FROM recipients WHERE seq % 2 = 0;
           DELETE FROM work WHERE seq % 2 = 0;
           UPDATE events SET result = 'unknown', reason = 'no_reply_to_final_dot', smtp = NULL WHERE seq % 2 = 0`);
  db.close();
}

it("marks thousands of unknown recipients in steps, with a count before and a notice after", {
  skip: NO_CHROMIUM,
}, async (t) => {
  const browser = await startBrowser();
  t.after(() => browser.close());
  const installation = await installWithOperator(t, { fill });
  const { spool } = installation.service;
  const unknownNow = async () => {
    const waiting = await spool.queue({ accountId: "acc_default", limit: MESSAGES });
    return waiting.filter(({ result }) => result === "unknown").length;
  };

  await t.test("with scripts, from the list to the notice", async () => {
    const { page, consoleErrors } = await openWindow(browser, WIDE);
    await signIn(page, installation.url);
    await page.goto(`${installation.url}/dashboard/messages?result=unknown&q=@big.example`);
    await takeScreenshots(page, "bulk-menu");
    await assertAccessible(page, "bulk-menu");
    await page.getByRole("link", { name: "Mark unknown as delivered …" }).click();
    await page.getByRole("heading", { name: /^Mark \d[\s\d]+ unknown recipients as delivered\?$/ }).waitFor();
    await takeScreenshots(page, "bulk-confirmation");
    await assertAccessible(page, "bulk-confirmation");
    const before = await unknownNow();
    await page.getByRole("button", { name: /^Mark/ }).click();
    const notice = page.locator("main .notice");
    await notice.filter({ hasText: "are marked as delivered" }).waitFor({ timeout: 60_000 });
    await takeScreenshots(page, "bulk-outcome");
    await assertAccessible(page, "bulk-outcome");
    const marked = Number(((await notice.textContent()) ?? "").replace(/\D/g, ""));
    assert.ok(marked > 5000, `${marked}`);
    assert.equal(await unknownNow(), before - marked);
    await page.getByRole("link", { name: "Back to the messages" }).click();
    await page.getByText("No messages found").first().waitFor();
    assert.deepEqual(consoleErrors, []);
  });

  await t.test("without scripts, step by step, on a narrow screen", async () => {
    const { page } = await openWindow(browser, { ...NARROW, javaScriptEnabled: false });
    await signIn(page, installation.url);
    await page.goto(`${installation.url}/dashboard/messages?result=unknown`);
    await takeScreenshots(page, "bulk-menu");
    await page.getByRole("link", { name: "Mark unknown as not delivered …" }).click();
    await takeScreenshots(page, "bulk-confirmation");
    await page.getByRole("button", { name: /^Mark/ }).click();
    for (let steps = 0; (await page.locator("main .notice").count()) === 0; steps += 1) {
      assert.ok(steps < 100);
      if (steps === 0) await takeScreenshots(page, "bulk-progress");
      await page.getByRole("button", { name: "Continue" }).click();
    }
    await takeScreenshots(page, "bulk-outcome");
    assert.equal(await unknownNow(), 0);
  });

  await t.test("the pages on a narrow screen", async () => {
    const { page } = await openWindow(browser, NARROW);
    await signIn(page, installation.url);
    for (const action of ["send-failed-again", "cancel", "send-unknown-again"]) {
      await page.goto(`${installation.url}/dashboard/bulk/${action}?subject=order&since=2020-01-01T00:00`);
      await page.locator("h1").waitFor();
      await takeScreenshots(page, `bulk-${action}`);
      await assertAccessible(page, `bulk-${action}`);
    }
  });
});
