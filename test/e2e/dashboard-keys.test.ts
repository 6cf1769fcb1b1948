/** API keys with restrictions and the API reference, in a browser: by keyboard, remembered, and without scripts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startHarness } from "../support/dashboard/browser-harness.ts";
import { NARROW, NO_CHROMIUM, openWindow, startBrowser, WIDE } from "../support/dashboard/chromium.ts";
import { installWithOperator } from "../support/dashboard/installation.ts";

for (const options of [WIDE, NARROW]) {
  const { width } = options.viewport;

  test(`a restricted key, ${width} pixels wide`, { skip: NO_CHROMIUM, timeout: 120_000 }, async (t) => {
    const { installation, page, inspect } = await startHarness(t, options);
    await page.goto(`${installation.url}/dashboard/keys`);
    await page.getByLabel("Key name").fill("newsletter");
    await page.getByLabel("Permissions").selectOption("send");
    await page.getByLabel("Only these:").check();
    await page.getByLabel("shop.example").check();
    await page.getByRole("button", { name: "Create key" }).click();
    const key = (await page.locator("code", { hasText: /^svc_live_/ }).textContent()) ?? "";
    const denied = await fetch(`${installation.url}/api/sending/messages`, {
      headers: { Authorization: `Bearer ${key}` },
    });
    assert.equal(denied.status, 403);
    await page.goto(`${installation.url}/dashboard/keys`);
    await page.getByText("Send, from shop.example").waitFor();
    await inspect("keys-restricted");
    await page.getByRole("link", { name: "newsletter", exact: true }).click();
    await page.getByText("Send messages only").first().waitFor();
    // The log of requests is written every now and then.
    while ((await page.getByText("permission_denied").count()) === 0) await page.reload();
    await inspect("key");
    await page.getByLabel("Permissions").selectOption("read");
    await page.getByLabel("All domains, including future ones").check();
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.getByText("Key changed.").waitFor();
    await page.getByText("Read only: the messages of all keys of the account").waitFor();
    await page.getByRole("link", { name: "All requests with this key" }).click();
    await page.getByText("permission_denied").waitFor();
  });

  test(`the API reference, ${width} pixels wide`, { skip: NO_CHROMIUM, timeout: 120_000 }, async (t) => {
    const { installation, page, inspect } = await startHarness(t, options);
    await page.goto(`${installation.url}/dashboard/api/sending`);
    const send = page.locator("details", { has: page.locator("#send") });
    assert.equal(await send.getAttribute("open"), null);
    // By keyboard.
    await send.locator("summary").first().focus();
    await page.keyboard.press("Enter");
    await send.getByText("hello@shop.example").first().waitFor();
    await page.getByRole("radio", { name: "Python" }).check();
    assert.deepEqual(await shownLanguages(), ["python"]);
    await send.getByText("permission_denied").first().waitFor();
    await inspect("api-send");
    await page.goto(`${installation.url}/dashboard/api/messages#object-Recipient`);
    await page.locator("#object-Recipient").getByText("next_attempt_at").waitFor();
    await page.reload();
    assert.ok(await page.getByRole("radio", { name: "Python" }).isChecked());

    async function shownLanguages(): Promise<(string | null)[]> {
      const examples = await send.locator(".example").all();
      const shown = await Promise.all(
        examples.map(async (each) => ((await each.isVisible()) ? [await each.getAttribute("data-language")] : [])),
      );
      return shown.flat();
    }
  });
}

test("the API reference without scripts", { skip: NO_CHROMIUM, timeout: 120_000 }, async (t) => {
  const installation = await installWithOperator(t);
  const browser = await startBrowser();
  t.after(() => browser.close());
  const { page } = await openWindow(browser, { ...WIDE, javaScriptEnabled: false });
  await page.goto(`${installation.url}/dashboard/api/messages#lookUpMessage`);
  const details = page.locator("details", { has: page.locator("#lookUpMessage") });
  await details.getByRole("heading", { name: "Look up a message" }).waitFor();
  // The browser opens what the link leads into.
  await details.getByText("curl 'http").waitFor();
  await page.getByRole("radio", { name: "PHP" }).check();
  await details.getByText("curl_init(").waitFor();
  assert.equal(await details.getByText("curl 'http").isVisible(), false);
});
