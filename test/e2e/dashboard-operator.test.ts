/** Operator actions in a real browser with real delivery, and pages without scripts. */
import assert from "node:assert/strict";
import { it } from "node:test";
import type { Page } from "playwright-core";
import { startHarness } from "../support/dashboard/browser-harness.ts";
import { NARROW, NO_CHROMIUM, openWindow, startBrowser, WIDE } from "../support/dashboard/chromium.ts";
import { installWithOperator, OPERATOR } from "../support/dashboard/installation.ts";

it("pauses a recipient domain, resumes it, and retries its recipients", { skip: NO_CHROMIUM }, async (t) => {
  const { installation, page, inspect, sendMessage } = await startHarness(t);
  await sendMessage("greylist-1");
  await page.goto(`${installation.url}/dashboard/operator/queue`);
  await inspect("queue");
  await page.getByRole("button", { name: "Pause: customers.example" }).click();
  await page.getByText("Paused: nothing is sent to this domain").waitFor();
  await page.getByRole("button", { name: "Try now: customers.example" }).click();
  await page.getByText("This domain is paused").waitFor();
  await inspect("queue-paused");
  await page.goto(`${installation.url}/dashboard/messages?result=pending`);
  assert.equal(await page.locator("td.subject").count(), 1);
  await page.locator("td.subject a").click();
  await page.getByText("An operator has paused customers.example").waitFor();
  assert.equal(installation.sink.entries.length, 0);
  await page.goto(`${installation.url}/dashboard/operator/queue`);
  await page.getByRole("button", { name: "Resume: customers.example" }).click();
  await page.getByText("The queue is empty").waitFor();
  assert.equal(installation.sink.entries.length, 1);
});

it("shows closed destinations, also in an empty queue, and tries one", { skip: NO_CHROMIUM }, async (t) => {
  const { installation, page, inspect, sendMessage } = await startHarness(t);
  for (let count = 0; count < 5; count += 1) await sendMessage("drop-after-dot");
  await page.goto(`${installation.url}/dashboard/operator/queue`);
  await page.getByText("1 closed destination without waiting recipients").waitFor();
  await page.getByText("The queue is empty").waitFor();
  await inspect("queue-empty-closed");
  await page.goto(`${installation.url}/dashboard?range=24h&all=1`);
  await page.getByText("1 closed destination without waiting recipients").waitFor();
  await inspect("overview-closed");
  await sendMessage("delivered");
  let id = "";
  for (let count = 0; count < 5; count += 1) id = await sendMessage("4xx-421");
  await page.goto(`${installation.url}/dashboard/operator/queue`);
  await inspect("queue-closed");
  await page.getByRole("button", { name: "Try now: customers.example" }).press("Enter");
  await page.getByText("one message probes it within seconds").waitFor();
  await inspect("queue-closed-tried");
  await page.goto(`${installation.url}/dashboard/messages/${id}`);
  await page.getByText("after rate limits. Last reply").waitFor();
  await page.getByRole("button", { name: "Try now: 4xx-421@customers.example" }).click();
  await page.getByText("One message probes it within seconds").waitFor();
  await inspect("message-closed");
});

it("creates accounts and users, switches to an account, and runs the host checks", { skip: NO_CHROMIUM }, async (t) => {
  const { installation, page, inspect } = await startHarness(t);
  await page.goto(`${installation.url}/dashboard/domains`);
  await page.getByLabel("Domain name").fill(`${"long-".repeat(11)}name.${"label.".repeat(20)}example`);
  await page.getByRole("button", { name: "Add domain" }).click();
  await page.getByText("Not verified yet").first().waitFor();
  await page.goto(`${installation.url}/dashboard/operator/accounts`);
  await page.getByLabel("Name").fill("second");
  await page.getByRole("button", { name: "Add account" }).click();
  await page.getByLabel("Email address").fill("bob@second.example");
  await page.getByLabel("Initial password").fill("a long enough password");
  await page.getByLabel("Your current password").fill(OPERATOR.password);
  await page.getByRole("button", { name: "Add user" }).click();
  await page.getByText("User added").waitFor();
  await page.getByLabel("Recipients per day").fill("500");
  await page.getByRole("button", { name: "Change quota" }).click();
  await page.getByText("Quota: 500.").waitFor();
  await inspect("account");
  await page.getByLabel("Actions for bob@second.example").click();
  await page.getByRole("link", { name: "Remove bob@second.example" }).click();
  await page.getByRole("heading", { name: "Remove bob@second.example?" }).waitFor();
  await inspect("user-remove");
  await page.getByRole("link", { name: "Cancel" }).click();
  await page.getByRole("link", { name: "Accounts" }).first().click();
  await inspect("accounts");
  await page.getByRole("button", { name: "Switch to account: second" }).click();
  await page.getByText("which is not your own").waitFor();
  await inspect("other-account");
  await page.getByRole("button", { name: "Switch to your own account" }).click();
  assert.equal(await page.getByText("which is not your own").count(), 0);
  await page.goto(`${installation.url}/dashboard/operator/host`);
  await page.locator(".findings code", { hasText: "reverse_dns 127.0.0.1" }).waitFor();
  for (const { viewport } of [NARROW, WIDE]) {
    await page.setViewportSize(viewport);
    await page.goto(`${installation.url}/dashboard/operator/host`);
    await inspect("host");
    await page.goto(`${installation.url}/dashboard?range=24h`);
    await inspect("overview-trouble");
    await page.goto(`${installation.url}/dashboard/domains`);
    await inspect("domains-long");
  }

  await page.goto(`${installation.url}/dashboard/you`);
  await inspect("you");
  await page.getByRole("link", { name: "Set up second factor" }).click();
  await inspect("second-factor");
});

it("requires re-authentication for changes to sign-in", { skip: NO_CHROMIUM }, async (t) => {
  const { installation, page, inspect, consoleErrors } = await startHarness(t);
  await page.goto(`${installation.url}/dashboard/operator/accounts/acc_default`);
  const current = page.getByLabel("Your current password");
  const addUser = async (email: string, { operator }: { operator: boolean }) => {
    await page.getByLabel("Email address").fill(email);
    await page.getByLabel("Initial password").fill("a long enough password");
    await page.getByLabel("Operator: can see and manage all accounts").setChecked(operator);
    await current.fill(OPERATOR.password);
  };
  await addUser("bob@shop.example", { operator: false });
  await page.getByRole("button", { name: "Add user" }).click();
  await page.getByText("User added").waitFor();
  await addUser("cara@shop.example", { operator: true });
  await current.fill("not this one");
  await page.getByRole("button", { name: "Add user" }).click();
  await page.getByText("Your current password is wrong").waitFor();
  await lookAtBothSizes(page, () => inspect("operator-add"));
  await page.getByLabel("Initial password").fill("a long enough password");
  await current.fill(OPERATOR.password);
  await page.getByRole("button", { name: "Add user" }).click();
  await page.getByText("User added").waitFor();

  const bob = await installation.service.people.userNamed("bob@shop.example");
  await installation.service.people.setTotp(bob?.id ?? "", { sealed: Buffer.from("sealed"), recoveryHashes: [] });
  await page.reload();
  await page.getByLabel("Actions for bob@shop.example").click();
  await lookAtBothSizes(page, () => inspect("user-actions"));
  await page.getByRole("link", { name: "Turn off second factor" }).click();
  await current.fill("not this one");
  await page.getByRole("button", { name: "Turn off second factor" }).click();
  await page.getByText("Your current password is wrong").waitFor();
  await lookAtBothSizes(page, () => inspect("user-second-factor-off"));
  await current.fill(OPERATOR.password);
  await page.getByRole("button", { name: "Turn off second factor" }).click();
  await page.getByText("Second factor turned off").waitFor();

  await page.getByLabel("Actions for bob@shop.example").click();
  await page.getByRole("link", { name: "Remove bob@shop.example" }).click();
  await current.fill(OPERATOR.password);
  await lookAtBothSizes(page, () => inspect("user-remove"));
  await page.getByRole("button", { name: "Remove bob@shop.example" }).click();
  await page.getByText("User removed").waitFor();
  // The browser reports both refused forms.
  assert.equal(consoleErrors.splice(0).filter((text) => text.includes("400 (Bad Request)")).length, 2);
});

async function lookAtBothSizes(page: Page, inspect: () => Promise<void>): Promise<void> {
  for (const { viewport } of [NARROW, WIDE]) {
    await page.setViewportSize(viewport);
    await inspect();
  }
}

it("works without scripts, and with the keyboard only", { skip: NO_CHROMIUM }, async (t) => {
  const browser = await startBrowser();
  t.after(() => browser.close());
  const installation = await installWithOperator(t);
  const { page } = await openWindow(browser, { ...WIDE, javaScriptEnabled: false });
  const press = async (key: string, times = 1): Promise<void> => {
    for (let i = 0; i < times; i += 1) await page.keyboard.press(key);
  };
  await page.goto(`${installation.url}/dashboard/keys`);
  await page.locator("#field-email:focus").waitFor();
  await page.keyboard.type("delivered@customers.example");
  await press("Tab");
  await page.locator("#field-password:focus").waitFor();
  await page.keyboard.type("correct horse battery");
  await press("Enter");
  await page.getByRole("heading", { name: "API keys" }).waitFor();
  assert.equal(await page.getByRole("button", { name: "Copy" }).count(), 0, "no button without a function");

  await press("Tab");
  await press("Enter");
  await press("Tab");
  await page.keyboard.type("website");
  await press("Enter");
  await page.getByText("this is the only time it is shown").waitFor();
  await page.goto(`${installation.url}/dashboard/domains`);
  await page.getByLabel("Domain name").fill("shop.example");
  await press("Enter");
  await page.getByRole("button", { name: "Verify now" }).focus();
  await press("Enter");
  await page.getByText("None of the five checks has passed").waitFor();
  await page.goto(`${installation.url}/dashboard?range=24h`);
  await page.getByText("No activity in this time range").waitFor();
});
