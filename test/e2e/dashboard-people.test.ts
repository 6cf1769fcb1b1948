/** Users, roles, the deletion of an account and ended sessions in a real browser, wide and narrow. */
import assert from "node:assert/strict";
import { it, type TestContext } from "node:test";
import type { Page } from "playwright-core";
import { hashLinkToken } from "../../src/security/link-token.ts";
import {
  assertAccessible,
  NARROW,
  NO_CHROMIUM,
  openWindow,
  startBrowser,
  takeScreenshots,
  WIDE,
} from "../support/dashboard/chromium.ts";
import { addUser, type Installation, installWithOperator, OPERATOR } from "../support/dashboard/installation.ts";
import { signIn } from "../support/dashboard/sign-in.ts";

async function inspect(page: Page, name: string): Promise<void> {
  await takeScreenshots(page, name);
  await assertAccessible(page, name);
}

async function endSessions({ service }: Installation, email: string): Promise<void> {
  const user = await service.people.userNamed(email);
  await service.people.endSessions(user?.id ?? "", null);
}

/** Switches from the current account to another one. */
async function switchFrom(page: Page, from: string, to: string): Promise<void> {
  const current = (name: string) => page.locator("details.switcher summary", { hasText: name });
  await current(from).waitFor({ state: "attached" });
  const menu = page.locator("label.menu-button");
  if (await menu.isVisible()) await menu.click();
  await current(from).click();
  await page.getByRole("button", { name: `Switch to ${to}` }).click();
  await current(to).waitFor({ state: "attached" });
}

/** An owner of the account shop, signed in. */
async function startOwner(t: TestContext, options = WIDE) {
  const browser = await startBrowser();
  t.after(() => browser.close());
  const installation = await installWithOperator(t);
  const owner = await addUser(installation, "shop", "ann@shop.example");
  const { page } = await openWindow(browser, options);
  await signIn(page, installation.url, owner);
  return { browser, installation, owner, page };
}

for (const [name, options] of [
  ["wide", WIDE],
  ["narrow", NARROW],
] as const) {
  it(`an invited viewer sees everything and can change nothing, ${name}`, { skip: NO_CHROMIUM }, async (t) => {
    const { browser, installation, owner, page } = await startOwner(t, options);
    await page.goto(`${installation.url}/dashboard/users`);
    await page.getByLabel("Email address").fill("bob@shop.example");
    await page.getByLabel("Role").selectOption("owner");
    await inspect(page, "users");
    await page.getByLabel("Role").selectOption("viewer");
    await page.getByLabel("Your current password").fill(owner.password);
    await page.getByRole("button", { name: "Invite user" }).click();
    await inspect(page, "invited");
    const link = new URL((await page.locator("code").first().textContent()) ?? "");
    const taken = { id: "inv_taken", hash: hashLinkToken("taken"), accountId: "acc_default", email: owner.email };
    const parts = { role: "viewer" as const, invitedBy: OPERATOR.email, createdAtMs: Date.now(), usersMax: 10 };
    await installation.service.registry.createInvitation({ ...taken, ...parts });
    const { page: guest } = await openWindow(browser, options);
    await guest.goto(`${installation.url}/dashboard/invitation/taken`);
    await guest.getByLabel("Password").fill("a long enough password");
    await guest.getByRole("button", { name: "Accept invitation" }).click();
    await guest.getByText("This email address already has a user").waitFor();
    await inspect(guest, "invitation-taken");
    await page.goto(`${installation.url}/dashboard/invitation/taken`);
    await inspect(page, "invitation-join");
    await page.getByRole("button", { name: "Join default" }).click();
    await switchFrom(page, "default", "shop");
    await switchFrom(page, "shop", "default");
    await inspect(page, "switched");
    await guest.goto(`${installation.url}${link.pathname}`);
    await inspect(guest, "invitation");
    await guest.getByLabel("Password").fill("a long password of mine");
    await guest.getByRole("button", { name: "Accept invitation" }).click();
    await guest.locator("header.side").waitFor();
    for (const path of ["keys", "domains", "webhooks", "start", "users"]) {
      await guest.goto(`${installation.url}/dashboard/${path}`);
      assert.equal(await guest.locator("main form[method=post]").count(), 0, path);
      await inspect(guest, `viewer-${path}`);
    }
  });

  it(`a form whose session has ended is filled in again, ${name}`, { skip: NO_CHROMIUM }, async (t) => {
    const { installation, owner, page } = await startOwner(t, options);
    await page.goto(`${installation.url}/dashboard/webhooks`);
    await page.getByLabel("URL").fill("https://example.com/hooks?a=1");
    await endSessions(installation, owner.email);
    await page.getByRole("button", { name: "Create endpoint" }).click();
    await page.getByText("Your session has ended. Sign in to continue.").waitFor();
    await inspect(page, "ended");
    await page.getByLabel("Email address").fill(owner.email);
    await page.getByLabel("Password").fill(owner.password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("Your session had ended, so nothing was sent").waitFor();
    assert.equal(await page.getByLabel("URL").inputValue(), "https://example.com/hooks?a=1");
    await inspect(page, "kept");
    await page.getByRole("button", { name: "Create endpoint" }).click();
    await page.getByText("Copy the secret now").waitFor();
  });

  it(`a live page says that its session has ended, and keeps what is typed, ${name}`, {
    skip: NO_CHROMIUM,
  }, async (t) => {
    const { installation, owner, page } = await startOwner(t, options);
    await page.goto(`${installation.url}/dashboard/start`);
    await page.getByLabel("Domain name").fill("typed.example");
    await endSessions(installation, owner.email);
    await page.locator("#session-ended").waitFor();
    assert.equal(await page.getByLabel("Domain name").inputValue(), "typed.example");
    await inspect(page, "live-ended");
  });

  it(`an operator switches accounts by name and by the recent ones, ${name}`, { skip: NO_CHROMIUM }, async (t) => {
    const { browser, installation } = await startOwner(t, options);
    const { page } = await openWindow(browser, options);
    await signIn(page, installation.url);
    const openSwitcher = async (): Promise<void> => {
      if (options === NARROW) await page.getByText("Menu", { exact: true }).click();
      await page.locator(".switcher summary").click();
    };
    await openSwitcher();
    await page.getByLabel("Switch to account").fill("sho");
    await page.locator('datalist option[value="shop"]').waitFor({ state: "attached" });
    await inspect(page, "switcher");
    await page.keyboard.press("Enter");
    await page.getByText("which is not your own").waitFor();
    await openSwitcher();
    await inspect(page, "switcher-recent");
    await page.getByRole("button", { name: "Switch to default" }).click();
    await page.locator(".switcher summary", { hasText: "default" }).waitFor({ state: "attached" });
  });
}

it("an owner deletes and restores the account", { skip: NO_CHROMIUM }, async (t) => {
  const { installation, owner, page } = await startOwner(t);
  await page.goto(`${installation.url}/dashboard/account`);
  await inspect(page, "account");
  await page.getByRole("link", { name: "Delete account shop" }).click();
  await page.getByLabel("Name of the account").fill("shop");
  await page.getByLabel("Your current password").fill(owner.password);
  await inspect(page, "account-delete");
  await page.getByRole("button", { name: "Delete account" }).click();
  await page.getByText("its API keys are rejected").waitFor();
  await inspect(page, "account-deleted");
  await page.getByRole("button", { name: "Restore account" }).click();
  await page.getByText("Account restored").waitFor();
  const { registry } = installation.service;
  // Without the record of an owner, as an operator's.
  await registry.deleteAccount((await registry.accountNamed("shop"))?.id ?? "", Date.now());
  await page.goto(`${installation.url}/dashboard/account`);
  await page.getByText("only an operator can restore it").waitFor();
  assert.equal(await page.getByRole("button", { name: "Restore account" }).count(), 0);
  await inspect(page, "account-deleted-by-operator");
});
