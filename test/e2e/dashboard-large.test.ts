/** The dashboard with 100,000 messages in a real browser: overview, search, a message, the queue. */
import assert from "node:assert/strict";
import { it } from "node:test";
import type { Page } from "playwright-core";
import { newApiKey } from "../../src/security/api-key-format.ts";
import {
  assertAccessible,
  LAPTOP,
  NARROW,
  NO_CHROMIUM,
  openWindow,
  startBrowser,
  takeScreenshots,
} from "../support/dashboard/chromium.ts";
import { installWithOperator } from "../support/dashboard/installation.ts";
import { fillLargeSpool } from "../support/dashboard/large-spool.ts";
import { signIn } from "../support/dashboard/sign-in.ts";

const MESSAGES = 100_000;

/** The most of a list on a phone, in pixels. */
const LIST_HEIGHT_MAX = 3000;
const ROW_HEIGHTS = [36, 40];

const heightOfPage = (page: Page): Promise<number> => page.evaluate("document.documentElement.scrollHeight");

/** Asserts that a row of a list is one line on a desktop, and that no list is long on a phone. */
async function assertDense(page: Page, options: typeof LAPTOP): Promise<void> {
  if (options === LAPTOP) {
    const rows = page.locator("main tbody tr");
    const heights: number[] = await rows.evaluateAll((all) => all.map((row) => row.getBoundingClientRect().height));
    const [least = 0, most = 0] = ROW_HEIGHTS;
    assert.deepEqual(
      heights.filter((height) => height < least || height > most),
      [],
    );
  } else {
    const height = await heightOfPage(page);
    assert.ok(height <= LIST_HEIGHT_MAX, `${page.url()} is ${height} pixels high`);
  }
}

const subjects = (page: Page): Promise<string[]> => page.locator("td.subject .line a").allTextContents();

it("stays usable with 100,000 messages", { skip: NO_CHROMIUM }, async (t) => {
  const browser = await startBrowser();
  t.after(() => browser.close());
  const installation = await installWithOperator(t, { fill: (dataDir) => fillLargeSpool(dataDir, MESSAGES) });

  const { key, hash, lastFour } = newApiKey();
  const made = { accountId: "acc_default", name: "The key of the shop", hash, lastFour, createdAtMs: Date.now() };
  await installation.service.registry.createKey({ ...made, keysMax: 10 });
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
  await fetch(`${installation.url}/api/sending/send`, { method: "POST", headers, body: "{}" });

  for (const options of [LAPTOP, NARROW]) {
    const { page, consoleErrors } = await openWindow(browser, options);
    const inspect = async (name: string): Promise<void> => {
      await takeScreenshots(page, name);
      await assertAccessible(page, name);
    };
    await signIn(page, installation.url);

    await t.test("overview", async () => {
      await page.goto(`${installation.url}/dashboard?range=30d`);
      await page.locator(".u-wrap canvas").first().waitFor();
      const figures = await page.locator(".figure").allTextContents();
      assert.match(figures[0] ?? "", /Accepted99\s?\d{3}|Accepted100\s?000/);
      assert.match(figures[1] ?? "", /9\d\.\d %/);
      assert.match(figures.at(-1) ?? "", /Unknown100/);
      const [destination] = await page.locator("[aria-labelledby=queue-title] .queue-head a").allTextContents();
      assert.equal(destination, "big.example");
      await inspect("overview-large");
      await page.getByRole("link", { name: "24 hours" }).click();
      await page.locator(".u-wrap canvas").first().waitFor();
      if (options === LAPTOP) assert.equal(await heightOfPage(page), options.viewport.height, "it fits the window");
      await inspect("overview-large-day");
    });

    await t.test("API requests", async () => {
      await page.goto(`${installation.url}/dashboard/requests`);
      await page.getByText("invalid_request").waitFor();
      await assertDense(page, options);
      await inspect("requests-one");
      await page.goto(`${installation.url}/dashboard/api`);
      if (options !== LAPTOP) await assertDense(page, options);
    });

    await t.test("search", async () => {
      await page.goto(`${installation.url}/dashboard/messages`);
      assert.equal((await subjects(page))[0], `Order ${MESSAGES} is on its way`);
      assert.equal((await subjects(page)).length, 50);
      await assertDense(page, options);
      await inspect("messages-large");
      await page.getByRole("link", { name: "Older messages" }).click();
      assert.equal((await subjects(page))[0], `Order ${MESSAGES - 50} is on its way`);

      await page.getByLabel("Search", { exact: true }).fill("Customer777@");
      await page.getByRole("button", { name: "Search" }).click();
      assert.deepEqual(await subjects(page), ["Order 777 is on its way"]);

      await page.goto(`${installation.url}/dashboard/messages`);
      await page.getByLabel("Search", { exact: true }).fill("order 4242 IS");
      await page.getByRole("button", { name: "Search" }).click();
      await page.getByText("Searched recipients and subjects that contain “order 4242 IS”").waitFor();
      await page.getByText("Searched back to").waitFor();
      await inspect("messages-search");
      await page.getByRole("link", { name: "Search older messages" }).click();
      assert.deepEqual(await subjects(page), ["Order 4242 is on its way"]);

      await page.goto(`${installation.url}/dashboard/messages?q=@example.org&result=failed`);
      assert.equal((await subjects(page)).length, 50);
      assert.ok((await page.locator("td.address .line").allTextContents()).every((to) => to.endsWith("@example.org")));
      await page.goto(`${installation.url}/dashboard/messages?result=unknown`);
      assert.equal((await page.locator("td .badge").allTextContents())[49], "Unknown");
      await page.goto(`${installation.url}/dashboard/messages?q=msg_${"0".repeat(21)}123`);
      await page.getByRole("heading", { name: "Order 123 is on its way" }).waitFor();
      await page.getByText("The content was deleted after the retention period").waitFor();
    });

    await t.test("an unknown message, sent again after a warning", async () => {
      await page.goto(`${installation.url}/dashboard/messages?result=unknown`);
      await page.locator("td.subject a").first().click();
      await page.getByText("The whole message was sent, but the recipient's server did not reply").first().waitFor();
      await inspect("message-unknown");
      await page.getByRole("link", { name: "Send again …" }).click();
      await page.getByText("twice").waitFor();
      await inspect("send-again");
      await page.getByRole("link", { name: "Cancel" }).click();
      await page.locator(".recipient .badge", { hasText: "Unknown" }).waitFor();
    });

    await t.test("queue: pause and resume", async () => {
      await page.goto(`${installation.url}/dashboard/operator/queue`);
      await page.getByText("Greylisted, try again in five minutes").first().waitFor();
      await page.getByRole("button", { name: "Pause: big.example" }).click();
      await page.getByText("Paused: nothing is sent to this domain").waitFor();
      await page.locator("tr", { hasText: "big.example" }).locator(".badge", { hasText: "Paused" }).waitFor();
      await inspect("queue-large");
      await page.getByRole("button", { name: "Resume: big.example" }).click();
      await page.getByText("Resumed.", { exact: true }).waitFor();
      assert.equal(await page.locator(".badge", { hasText: "Paused" }).count(), 0);
    });

    assert.deepEqual(consoleErrors, []);
    await page.context().close();
  }
});
