/** Signing in by the identity provider in a real browser: there and back, a confirmation, the sign-out, and the refusal. */
import assert from "node:assert/strict";
import { it } from "node:test";
import {
  assertAccessible,
  NARROW,
  NO_CHROMIUM,
  openWindow,
  startBrowser,
  takeScreenshots,
  WIDE,
} from "../support/dashboard/chromium.ts";
import { addUser } from "../support/dashboard/installation.ts";
import { startWithProvider, verified } from "../support/dashboard/with-provider.ts";

for (const [name, options] of [
  ["wide", WIDE],
  ["narrow", NARROW],
] as const) {
  it(`a user signs in by the provider, confirms a change there, and signs out, ${name}`, {
    skip: NO_CHROMIUM,
  }, async (t) => {
    const browser = await startBrowser();
    t.after(() => browser.close());
    const { provider, installation } = await startWithProvider(t, { PASSWORD_SIGN_IN: "operators" });
    const { email } = await addUser(installation, "shop", "ann@shop.example");
    const { page } = await openWindow(browser, options);
    const inspect = async (at: string): Promise<void> => {
      await takeScreenshots(page, `provider-${at}`);
      await assertAccessible(page, `provider-${at}`);
    };
    const button = page.getByRole("button", { name: "Sign in with 127.0.0.1" });
    provider.person = verified("p9", "nobody@shop.example");
    await page.goto(`${installation.url}/dashboard/users`);
    await inspect("sign-in");
    await button.click();
    await page.getByText("There is no user or invitation").waitFor();
    await inspect("refused");
    provider.person = verified("p1", email);
    await page.goto(`${installation.url}/dashboard/users`);
    await page.context().clearCookies();
    await button.click();
    await page.getByRole("button", { name: "Sign in again" }).waitFor();
    assert.equal(new URL(page.url()).pathname, "/dashboard/users");
    await inspect("users");
    await page.getByRole("button", { name: "Sign in again" }).click();
    await page.getByRole("button", { name: "Invite user" }).waitFor();
    await page.getByRole("button", { name: "Sign in again" }).waitFor({ state: "detached" });
    await page.getByLabel("Email address").fill("bob@shop.example");
    await page.getByRole("button", { name: "Invite user" }).click();
    await page.locator("code").first().waitFor();
    await page.goto(`${installation.url}/dashboard/you`);
    await inspect("profile");
    if (options === NARROW) await page.getByText("Menu", { exact: true }).click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.waitForURL(`${provider.issuer}/session/end**`);
  });
}
