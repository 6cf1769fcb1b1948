/** What people do with mail under way, and what operators do, in a real browser with real delivery behind it. */
import assert from "node:assert/strict";
import { it, type TestContext } from "node:test";
import type { Page } from "playwright-core";
import { createResolver } from "../../src/dns/node-resolver.ts";
import { newApiKey } from "../../src/http/api-key.ts";
import { attempted, isFinal, lookUntil, send } from "../support/front-door.ts";
import { bindVerified } from "../support/world.ts";
import { assertAccessible, NARROW, NO_CHROMIUM, startBrowser, takePictures, visitor, WIDE } from "./chromium.ts";
import { type Installation, installWithOperator } from "./installation.ts";
import { signIn } from "./sign-in.ts";

interface Scene {
  here: Installation;
  page: Page;
  look: (name: string) => Promise<void>;
  /** Sends to these local parts at customers.example and waits until each was tried, or needs not be. */
  mail: (...locals: string[]) => Promise<string>;
}

async function scene(t: TestContext, options = WIDE): Promise<Scene> {
  const here = await installWithOperator(t);
  const browser = await startBrowser();
  t.after(() => browser.close());
  const { page, complaints } = await visitor(browser, options);
  t.after(() => assert.deepEqual(complaints, []));
  const resolver = createResolver({ servers: [here.zone.address] });
  const { service, zone, certsDir } = here;
  await bindVerified({ service, zone, resolver, certsDir }, "shop.example");
  const { key, hash, lastFour } = newApiKey();
  const account = await service.registry.accountNamed("default");
  await service.registry.createKey({
    accountId: account?.id ?? "",
    name: "web",
    hash,
    lastFour,
    createdAtMs: Date.now(),
  });
  await signIn(page, here.url);
  return {
    here,
    page,
    async look(name) {
      await takePictures(page, name);
      await assertAccessible(page, name);
    },
    async mail(...locals) {
      const to = locals.map((local) => `${local}@customers.example`);
      const html = "<h1>Your order</h1><p>is on its <b>way</b>.</p>";
      const text = "Your order is on its way.";
      const body = { from: "Shop <hello@shop.example>", to, subject: "Your order", html, text };
      const door = { url: here.url, key };
      const id = await send(door, body);
      await lookUntil(door, id, (recipient) => attempted(recipient) || isFinal(recipient));
      return id;
    },
  };
}

const resultsOf = (page: Page): Promise<string[]> => page.locator(".recipient-head .badge").allTextContents();

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

it("pauses a destination, resumes it, and tries what waits for it", { skip: NO_CHROMIUM }, async (t) => {
  const { here, page, look, mail } = await scene(t);
  await mail("greylist-1");
  await page.goto(`${here.url}/dashboard/operator/queue`);
  await look("queue");
  await page.getByRole("button", { name: "Pause: customers.example" }).click();
  await page.getByText("Paused: nothing is sent there").waitFor();
  await page.getByRole("button", { name: "Try now: customers.example" }).click();
  await page.getByText("What waits there is due now").waitFor();
  await page.goto(`${here.url}/dashboard/messages?result=pending`);
  assert.equal(await page.locator("td.subject").count(), 1);
  await page.locator("td.subject a").click();
  await page.getByText("An operator has paused customers.example").waitFor();
  assert.equal(here.sink.entries.length, 0);
  await page.goto(`${here.url}/dashboard/operator/queue`);
  await page.getByRole("button", { name: "Resume: customers.example" }).click();
  await page.getByText("Nothing waits").waitFor();
  assert.equal(here.sink.entries.length, 1);
});

it("creates accounts and users, looks at them, and examines the host", { skip: NO_CHROMIUM }, async (t) => {
  const { here, page, look } = await scene(t);
  await page.goto(`${here.url}/dashboard/operator/accounts`);
  await page.getByLabel("Name").fill("second");
  await page.getByRole("button", { name: "Add account" }).click();
  await page.getByLabel("Email").fill("bob@second.example");
  await page.getByLabel("First password").fill("a long enough password");
  await page.getByRole("button", { name: "Add user" }).click();
  await page.getByText("The user is created").waitFor();
  await page.getByLabel("Recipients a day").fill("500");
  await page.getByRole("button", { name: "Change quota" }).click();
  await page.getByText("of 500.").waitFor();
  await look("account");
  await page.getByRole("link", { name: "Accounts" }).first().click();
  await look("accounts");
  await page.getByRole("button", { name: "Look at it: second" }).click();
  await page.getByText("which is not your own").waitFor();
  await look("other-account");
  await page.getByRole("button", { name: "Back to mine" }).click();
  assert.equal(await page.getByText("which is not your own").count(), 0);
  await page.goto(`${here.url}/dashboard/operator/host`);
  await page.locator(".findings strong", { hasText: "reverse_dns 127.0.0.1" }).waitFor();
  await look("host");

  await page.goto(`${here.url}/dashboard/you`);
  await look("you");
  await page.getByRole("link", { name: "Set it up" }).click();
  await look("second-factor");
});

it("works without scripts, and by the keyboard alone", { skip: NO_CHROMIUM }, async (t) => {
  const here = await installWithOperator(t);
  const browser = await startBrowser();
  t.after(() => browser.close());
  const { page } = await visitor(browser, { ...WIDE, javaScriptEnabled: false });
  const press = async (key: string, times = 1): Promise<void> => {
    for (let i = 0; i < times; i += 1) await page.keyboard.press(key);
  };
  await page.goto(`${here.url}/dashboard/keys`);
  await page.locator("#field-email:focus").waitFor();
  await page.keyboard.type("delivered@customers.example");
  await press("Tab");
  await page.locator("#field-password:focus").waitFor();
  await page.keyboard.type("correct horse battery");
  await press("Enter");
  await page.getByRole("heading", { name: "API keys" }).waitFor();
  assert.equal(await page.getByRole("button", { name: "Copy" }).count(), 0, "no button that does nothing");

  await press("Tab");
  await press("Enter");
  await press("Tab");
  await page.keyboard.type("website");
  await press("Enter");
  await page.getByText("this is the only time it is shown").waitFor();
  await page.goto(`${here.url}/dashboard/domains`);
  await page.getByLabel("Domain name").fill("shop.example");
  await press("Enter");
  await page.getByRole("button", { name: "Verify now" }).focus();
  await press("Enter");
  await page.getByText("0 of five checks are verified").waitFor();
  await page.goto(`${here.url}/dashboard?range=24h`);
  await page.getByText("The same in numbers").click();
  await page.getByText("Nothing happened in this time").waitFor();
});
