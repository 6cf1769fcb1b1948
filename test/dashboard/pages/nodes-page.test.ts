/** The page of nodes as it is rendered: what the confirmation says about leases, and the layout of the list in a browser. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { AuthContext } from "../../../src/dashboard/auth/sessions.ts";
import { drainPage } from "../../../src/dashboard/pages/nodes-page.tsx";
import {
  assertAccessible,
  NO_CHROMIUM,
  openWindow,
  startBrowser,
  takeScreenshots,
} from "../../support/dashboard/chromium.ts";
import { install, OPERATOR } from "../../support/dashboard/installation.ts";
import { signIn } from "../../support/dashboard/sign-in.ts";
import { freshDatabase } from "../../support/postgres/fresh-database.ts";
import { missingPostgres } from "../../support/postgres/installation.ts";

const AUTH = {
  user: {
    email: OPERATOR.email,
    operator: true,
    memberships: [{ accountId: "acc_default", role: "owner", byGroup: false, joinedAtMs: 1 }],
  },
  account: { id: "acc_default", name: "default", deletedAtMs: null },
  role: "owner",
  recent: [],
  formToken: "token",
} as unknown as AuthContext;

test("the confirmation says what becomes of no, one and several leased recipients", () => {
  const texts: [leases: number, text: string][] = [
    [0, "It leases no recipients now."],
    [1, "The recipient that it leases goes to the other nodes, unless its attempt is in progress."],
    [2, "The 2 recipients that it leases go to the other nodes, except those whose attempts are in progress."],
  ];
  for (const [leases, text] of texts) {
    const page = drainPage(AUTH, { name: "a", leases }).replace(/\s+/g, " ");
    assert.ok(page.includes(`sends nothing more. ${text} The other nodes take over its recurring tasks.`), page);
  }
});

const skip = NO_CHROMIUM || missingPostgres();

test("the list stands apart from its introduction, and names are bolder than addresses", {
  skip,
  timeout: 120_000,
}, async (t) => {
  const { url } = await freshDatabase(t);
  const env = { ADMIN_EMAIL: OPERATOR.email, ADMIN_PASSWORD: OPERATOR.password, DATABASE_URL: url };
  const installation = await install(t, { env });
  const browser = await startBrowser();
  t.after(() => browser.close());
  const { page, consoleErrors } = await openWindow(browser);
  await signIn(page, installation.url);
  await page.goto(`${installation.url}/dashboard/operator/nodes`);
  await takeScreenshots(page, "nodes");
  const lead = await page.locator("#nodes .lead").boundingBox();
  const table = await page.locator("#nodes .table").boundingBox();
  assert.ok(lead !== null && table !== null);
  assert.ok(table.y - (lead.y + lead.height) >= 12);
  const weightOf = (selector: string): Promise<number> =>
    page.locator(selector).evaluate((element) => Number(getComputedStyle(element).fontWeight));
  assert.equal(await weightOf("#nodes tbody th div"), 400);
  assert.ok((await weightOf("#nodes tbody th")) > 400);
  await assertAccessible(page, "nodes");
  assert.deepEqual(consoleErrors, []);
});
