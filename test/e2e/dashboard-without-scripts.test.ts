/** Every page in a real browser without scripts: no control is visible that does nothing, and what scripts would fold is open. */
import assert from "node:assert/strict";
import { it } from "node:test";
import type { Page } from "playwright-core";
import type { Role } from "../../src/spool/port/memberships.ts";
import { cheapHash } from "../support/cheap-hash.ts";
import { startHarness } from "../support/dashboard/browser-harness.ts";
import { NARROW, NO_CHROMIUM, openWindow, startBrowser, WIDE } from "../support/dashboard/chromium.ts";
import { addUser, type Installation, OPERATOR } from "../support/dashboard/installation.ts";
import { clientOf, signIn } from "../support/dashboard/sign-in.ts";

/** Most downloads. */
const NOT_VISITED = /\/(?:source|zone|html|assets|openapi)(?:[/.?]|$)|\/export/;

/** Reports the controls on the page that would do nothing. For the browser. */
const FIND_DEAD = `(() => {
  const faults = [];
  const isVisible = (element) => element.checkVisibility({ visibilityProperty: true });
  const report = (element, fault) => faults.push(fault + ": " + element.outerHTML.slice(0, 200));
  const all = (selector) => [...document.querySelectorAll(selector)];
  for (const details of all("details[data-open-without-script]")) if (!details.open) report(details, "closed");
  for (const details of all("details")) details.open = true;
  // Their buttons are shown once a row is selected.
  for (const box of all("input.select-box")) box.checked = true;
  for (const button of all("button").filter(isVisible)) {
    if (button.form === null || button.type !== "submit" || button.disabled) report(button, "dead button");
  }
  for (const input of all("input:not([type=hidden]), select, textarea").filter(isVisible)) {
    // The style sheet shows the examples in the chosen language.
    if (input.matches("[type=radio][name=language]")) continue;
    const submits = [...(input.form?.elements ?? [])].some((each) => each.matches("button") && isVisible(each));
    if (!submits || input.name === "") report(input, "dead field");
  }
  for (const link of all("a").filter(isVisible)) {
    const href = link.getAttribute("href");
    if (href === null || href === "#" || href.startsWith("javascript:")) report(link, "dead link");
    else if (href.startsWith("#") && document.getElementById(href.slice(1)) === null) report(link, "link to nothing");
  }
  const scripted = "[role=button], [onclick], [contenteditable], [draggable=true], canvas, [data-plot], .needs-script";
  for (const element of all(scripted).filter(isVisible)) report(element, "needs a script");
  return faults;
})()`;

const findDead = (page: Page): Promise<string[]> => page.evaluate(FIND_DEAD);

function isDownload(error: Error): "download" {
  if (/Download is starting/.test(error.message)) return "download";
  throw error;
}

/** Pages that are the same for every role, but for the navigation. */
const SAME_FOR_ALL = /^\/dashboard\/(?:docs|api)(?:\/|$)/;

/**
 * Follows the links of a page to every other one, and of pages that differ only in their parameters to one. Returns their kinds, without
 * those in `seen`; adds to it what is the same for every role.
 */
async function walk(page: Page, start: string, seen: Set<string>): Promise<string[]> {
  const { origin } = new URL(start);
  const kindOf = ({ pathname, searchParams }: URL): string =>
    `${pathname}?${[...searchParams.keys()].toSorted().join("&")}`.replace(
      /(?:msg|key|whe|whd|evt|acc|usr|cur)_\w+/g,
      "*",
    );
  const visited = new Set<string>();
  const queue = [new URL(start)];
  for (let url = queue.shift(); url !== undefined; url = queue.shift()) {
    if (visited.has(kindOf(url)) || seen.has(kindOf(url))) continue;
    visited.add(kindOf(url));
    if (SAME_FOR_ALL.test(url.pathname)) seen.add(kindOf(url));
    const response = await page.goto(url.href).catch(isDownload);
    if (response === "download") continue;
    assert.ok(response !== null && response.status() === 200, `${url.href}: ${response?.status()}`);
    assert.deepEqual(await findDead(page), [], url.href);
    const links = (await page.evaluate("[...document.links].map(({ href }) => href)")) as string[];
    for (const href of links) {
      const link = new URL(href);
      link.hash = "";
      if (link.origin === origin && link.pathname.startsWith("/dashboard") && !NOT_VISITED.test(link.href))
        queue.push(link);
    }
  }
  return [...visited];
}

/** Creates a user of the account with the data. */
async function addMember({ service }: Installation, role: Role): Promise<typeof OPERATOR> {
  const [email, password, accountId] = [`${role}@shop.example`, "a long enough password", "acc_default"];
  const user = { email, accountId, passwordHash: cheapHash(password), operator: false, createdAtMs: 1, usersMax: 10 };
  await service.registry.createUser(user);
  const userId = (await service.people.userNamed(email))?.id ?? "";
  await service.people.changeMember({ accountId, userId, role, keepOwner: false });
  return { email, password };
}

it("no page has a dead control without scripts, for any role", { skip: NO_CHROMIUM }, async (t) => {
  const { installation, page: scripted, sendMessage } = await startHarness(t);
  await sendMessage("delivered", "user-unknown", "greylist-1");
  const client = await clientOf(installation.url);
  const all = { all_types: "yes", all_keys: "yes", all_domains: "yes" };
  for (const [path, fields] of [
    ["/domains/shop.example/return-path", { state: "on" }],
    ["/domains/shop.example/rotate", {}],
    ["/domains", { name: "late.example" }],
    ["/webhooks", { url: "https://hooks.example/postrider", ...all }],
    ["/start", { local: "hello", domain: "shop.example", to: "delivered@customers.example" }],
  ] as const) {
    const answer = await client.post(path, fields);
    assert.equal(answer.status, 302, `${path}: ${await answer.text()}`);
  }
  const other = await addUser(installation, "second", "bob@second.example");
  const [developer, viewer] = [await addMember(installation, "developer"), await addMember(installation, "viewer")];
  const browser = await startBrowser();
  t.after(() => browser.close());
  const seen = new Set<string>();
  for (const [role, who, least] of [
    ["visitor", null, 30],
    ["operator", OPERATOR, 30],
    ["developer", developer, 20],
    ["viewer", viewer, 15],
    ["owner of an empty account", other, 10],
  ] as const) {
    await t.test(role, async () => {
      const { page } = await openWindow(browser, { ...WIDE, javaScriptEnabled: false });
      if (who !== null) await signIn(page, installation.url, who);
      const pages = await walk(page, `${installation.url}/dashboard${who === null ? "/api" : "/start"}`, seen);
      assert.ok(pages.length >= least, `${pages.length} pages: ${pages.join(", ")}`);
      assert.equal(
        pages.some((path) => path.startsWith("/dashboard/operator")),
        role === "operator",
      );
      if (who === null) return;
      await page.goto(`${installation.url}/dashboard?range=24h`);
      await page.locator("details.numbers table").or(page.getByText("No activity in this time range")).waitFor();
      await page.goto(`${installation.url}/dashboard/nothing`);
      await page.getByRole("heading", { name: "Page not found" }).waitFor();
      assert.deepEqual(await findDead(page), []);
      await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Messages" }).waitFor();
    });
  }
  await t.test("on a phone, a button shows the navigation", async () => {
    const { page } = await openWindow(browser, { ...NARROW, javaScriptEnabled: false });
    await signIn(page, installation.url);
    await page.goto(`${installation.url}/dashboard/messages`);
    const domains = page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Domains" });
    const header = await page.locator("header.side").boundingBox();
    assert.ok(header !== null && header.height < 70, `${header?.height} px of navigation`);
    assert.equal(await domains.isVisible(), false);
    await page.getByText("Menu", { exact: true }).tap();
    await domains.tap();
    await page.waitForURL(/\/dashboard\/domains$/);
    await page.getByRole("checkbox", { name: "Menu" }).focus();
    await page.keyboard.press("Space");
    assert.equal(await domains.isVisible(), true, "with the keyboard");
  });
  await t.test("with scripts", async () => {
    await scripted.goto(`${installation.url}/dashboard?range=24h`);
    await scripted.locator("[data-plot] canvas").first().waitFor();
    assert.equal(await scripted.locator("details.numbers[open]").count(), 0);
    await scripted.goto(`${installation.url}/dashboard/domains/shop.example`);
    await scripted.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const copied = async (name: string): Promise<unknown> => {
      await scripted.getByRole("button", { name, exact: true }).click();
      await scripted
        .getByRole("button", { name, exact: true })
        .getByText("Copied")
        .or(scripted.getByText("Copied"))
        .first()
        .waitFor();
      return scripted.evaluate("navigator.clipboard.readText()");
    };
    assert.equal(await copied("Copy name in the zone of the DMARC record"), "_dmarc");
    assert.match(
      String(await copied("Copy all as zone file lines")),
      /^_postrider\.shop\.example\. 3600 IN TXT .*\n_dmarc\.shop/s,
    );
  });
});
