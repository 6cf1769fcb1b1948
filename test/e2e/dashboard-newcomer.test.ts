/** From an empty installation to a first delivered message, in a real browser. */
import assert from "node:assert/strict";
import { it } from "node:test";
import type { Page } from "playwright-core";
import {
  assertAccessible,
  LAPTOP,
  NARROW,
  NO_CHROMIUM,
  openWindow,
  startBrowser,
  takeScreenshots,
  WIDE,
} from "../support/dashboard/chromium.ts";
import {
  engineEnv,
  type Installation,
  install,
  installWithOperator,
  OPERATOR,
} from "../support/dashboard/installation.ts";
import { clientOf, signIn } from "../support/dashboard/sign-in.ts";

/** Publishes the records that the page shows. */
async function publish(page: Page, { zone }: Installation, except: string[] = []): Promise<void> {
  for (const row of await page.locator("tbody.record").all()) {
    const check = (await row.getAttribute("id")) ?? "";
    if (except.some((name) => check === `check-${name}`)) continue;
    const [type, name, , ...value] = await row.locator("tr:first-child td code").allTextContents();
    assert.ok(type && name && value.length > 0, check);
    zone.set(name, type as "TXT", [value.join(" ")]);
  }
}

const badgesOf = (page: Page): Promise<string[]> =>
  page.locator("tbody.record th :is(.badge, .state)").allTextContents();

for (const [engine, options] of [
  ["SQLite", WIDE],
  ["SQLite", NARROW],
  ["PostgreSQL", LAPTOP],
  ["PostgreSQL", NARROW],
] as const) {
  const { width } = options.viewport;
  it(`leads from the setup link to a delivered message, ${width} pixels wide, on ${engine}`, {
    skip: NO_CHROMIUM,
  }, async (t) => {
    const browser = await startBrowser();
    t.after(() => browser.close());
    const installation = await install(t, { env: await engineEnv(t, engine) });
    const { page, consoleErrors } = await openWindow(browser, options);
    const inspect = async (name: string): Promise<void> => {
      await takeScreenshots(page, name);
      await assertAccessible(page, name);
    };

    await t.test("the first user", async () => {
      await page.goto(`${installation.url}/dashboard`);
      await page.getByText("No user exists yet").waitFor();
      await page.goto(installation.setupUrl);
      await inspect("setup");
      await page.getByLabel("Email address").fill(OPERATOR.email);
      await page.getByLabel("Password").fill("short");
      await page.getByRole("button", { name: "Create user" }).click();
      await page.getByText("at least 10 characters.").first().waitFor();
      await page.getByLabel("Password").fill(OPERATOR.password);
      await page.getByRole("button", { name: "Create user" }).click();
      await page.getByRole("heading", { name: "Get started" }).waitFor();
      await inspect("start-empty");
      await page.getByLabel("Sender domain").waitFor();
      const again = await page.request.get(installation.setupUrl);
      assert.equal(again.status(), 404);
    });

    await t.test("add a domain", async () => {
      await page.getByLabel("Domain name").fill("https://shop.example");
      await page.getByRole("button", { name: "Add domain" }).click();
      await page.getByText("This is a web address").waitFor();
      await page.getByLabel("Domain name").fill("Shop.Example");
      await page.getByRole("button", { name: "Add domain" }).click();
      await page.getByRole("heading", { name: "shop.example", level: 1 }).waitFor();
      await inspect("domain-new");
    });

    await t.test("verify: each check with what was found", async () => {
      await publish(page, installation, ["dmarc"]);
      installation.zone.set("shop.example", "TXT", ["v=spf1 ip4:192.0.2.1 ~all"]);
      await page.getByRole("button", { name: "Verify now" }).click();
      await page.getByText("3 of the five checks have passed").waitFor();
      assert.deepEqual(await badgesOf(page), ["Verified", "Verified", "Failed", "Verified", "Failed"]);
      const spf = page.locator("#check-spf");
      assert.match((await spf.locator(".found").textContent()) ?? "", /v=spf1 ip4:192\.0\.2\.1 ~all/);
      assert.deepEqual(await spf.locator("del").allTextContents(), []);
      assert.equal((await spf.locator("ins").allTextContents()).join("").trim(), "ip4:127.0.0.1");
      await inspect("domain-failing");
      installation.zone.set("shop.example", "TXT", ["v=spf1 ip4:127.0.0.1 ~all"]);
      installation.zone.set("_dmarc.shop.example", "TXT", ["v=DMARC1; p=none"]);
      await page.getByRole("button", { name: "Verify now" }).click();
      await page.getByText("All five checks are verified").waitFor();
      await page.getByRole("link", { name: "Create a key" }).waitFor();
      await page.getByText("History of the checks").first().click();
      await inspect("domain-verified");
      await page.getByRole("button", { name: "Create a new key" }).click();
      await page.getByText("New key: waiting for its record").waitFor();
      await inspect("domain-rotating");
      await page.getByRole("button", { name: "Discard the new key" }).click();
      await page.getByText("New key discarded").waitFor();
    });

    await t.test("create a key, shown once", async () => {
      await page.goto(`${installation.url}/dashboard/start`);
      await page.getByLabel("Key name").fill("website");
      await page.getByRole("button", { name: "Create key" }).click();
      await page.getByText("this is the only time it is shown").waitFor();
      const key = await page.locator("code", { hasText: /^svc_live_/ }).textContent();
      const curl = (await page.locator("pre").textContent()) ?? "";
      assert.ok(curl.includes(`Authorization: Bearer ${key}`) && curl.includes("hello@shop.example"), curl);
      await inspect("key-created");
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      await page.getByRole("button", { name: "Copy API key" }).click();
      await page.getByRole("button", { name: "Copy API key" }).getByText("Copied").waitFor();
      assert.equal(await page.evaluate(() => navigator.clipboard.readText()), key);
      await page.reload();
      await page.getByText("This key has already been shown").waitFor();
      assert.ok(!(await page.content()).includes(String(key)));
      await page.goto(`${installation.url}/dashboard/keys`);
      assert.equal(await page.locator("tbody tr").count(), 1);
      await page.locator("code", { hasText: `…${key?.slice(-4)}` }).waitFor();
      await inspect("keys");
    });

    await t.test("send the test message and see it delivered", async () => {
      await page.goto(`${installation.url}/dashboard/start`);
      await inspect("start-almost");
      await page.getByLabel("From", { exact: true }).fill("orders");
      await page.getByLabel("To", { exact: true }).fill("nobody");
      await page.getByRole("button", { name: "Send test message" }).click();
      await page.locator("#field-to-error").waitFor();
      await inspect("start-test-error");
      await page.getByLabel("To", { exact: true }).fill("delivered-2@customers.example");
      await page.getByRole("button", { name: "Send test message" }).click();
      await page.locator("#test-result .badge", { hasText: "Delivered" }).waitFor();
      await page.locator("#test-result .reply", { hasText: "250" }).waitFor();
      await inspect("start-test-delivered");
      assert.equal(installation.sink.entries.length, 1);
      assert.equal(installation.sink.entries[0]?.dkim.result, "pass");
      await page.getByRole("link", { name: "Show the message with its timeline" }).click();
      await page.locator(".recipient .badge", { hasText: "Delivered" }).waitFor();
      await page.getByText("orders@shop.example").first().waitFor();
      await inspect("message-delivered");
      await page.goto(`${installation.url}/dashboard/start`);
      await page.getByText("Your first message was delivered. This server still needs attention").waitFor();
      await page.goto(`${installation.url}/dashboard`);
      await page.getByRole("heading", { name: "Overview" }).waitFor();
      await inspect("overview-first");
    });

    await t.test("revoke the key, after a confirmation", async () => {
      await page.goto(`${installation.url}/dashboard/keys`);
      await page.getByRole("link", { name: "Revoke website" }).click();
      await page.getByRole("heading", { name: "Revoke “website”?" }).waitFor();
      await inspect("key-revoke");
      await page.getByRole("button", { name: "Revoke website" }).click();
      await page.getByText("Key revoked").waitFor();
      assert.equal(await page.locator("tbody .badge", { hasText: "Revoked" }).count(), 1);
    });

    assert.deepEqual(
      consoleErrors.filter((text) => !text.includes("status of 400")),
      [],
    );
  });
}

it("shows newly published records automatically, on the domain's page and on Get started", {
  skip: NO_CHROMIUM,
}, async (t) => {
  const browser = await startBrowser();
  t.after(() => browser.close());
  const installation = await installWithOperator(t);
  const { page } = await openWindow(browser);
  await signIn(page, installation.url);
  await page.goto(`${installation.url}/dashboard/domains`);
  await page.getByLabel("Domain name").fill("shop.example");
  await page.getByRole("button", { name: "Add domain" }).click();
  await page.getByRole("heading", { name: "shop.example", level: 1 }).waitFor();
  await publish(page, installation);
  const steps = await page.context().newPage();
  await steps.goto(`${installation.url}/dashboard/start`);
  await steps.locator("#step-3.quiet").waitFor();

  assert.equal((await (await clientOf(installation.url)).post("/domains/shop.example/verify")).status, 302);
  await page.getByRole("link", { name: "Create a key" }).waitFor();
  await page.locator("#title").getByText("May send").waitFor();
  assert.deepEqual(await badgesOf(page), Array(5).fill("Verified"));
  await steps.bringToFront();
  await steps.locator("#step-3.good").waitFor();
});
