/** The list of API requests: what users and operators see, its filters and its pages. */
import assert from "node:assert/strict";
import { it, test } from "node:test";
import type { ApiRequest } from "../../../src/spool/port/request-log.ts";
import { apiRequest, rejectedRequest } from "../../support/api-requests.ts";
import {
  assertAccessible,
  NARROW,
  NO_CHROMIUM,
  openWindow,
  startBrowser,
  takeScreenshots,
} from "../../support/dashboard/chromium.ts";
import { addUser, installWithOperator } from "../../support/dashboard/installation.ts";
import { type Client, clientOf, signIn } from "../../support/dashboard/sign-in.ts";

const textOf = async (client: Client, path = ""): Promise<string> => (await client.get(`/requests${path}`)).text();

/** The request ids of the list, in its order. */
const listed = (page: string): string[] => [...page.matchAll(/<code>(req_\w+)<\/code>/g)].map(([, id = ""]) => id);

const newKey = { accountId: "acc_default", name: "website", lastFour: "wxyz", createdAtMs: 1, keysMax: 10 };

async function setUp(t: Parameters<typeof installWithOperator>[0]) {
  const installation = await installWithOperator(t);
  const { spool, registry } = installation.service;
  const record = (requests: ApiRequest[]): Promise<void> =>
    spool.recordRequests(
      requests.map((request) => ({ ...request, atMs: Date.now() })),
      Date.now(),
    );
  const created = await registry.createKey({ ...newKey, hash: Buffer.alloc(32) });
  assert.ok(created !== "too_many");
  const operator = await clientOf(installation.url);
  return { installation, record, keyId: created.id, operator };
}

it("shows each request with its status, code, key, duration and message", async (t) => {
  const { record, keyId, operator } = await setUp(t);
  assert.match(await textOf(operator), /No requests yet/);
  await record([
    apiRequest({ id: "req_sent", keyId, messageId: "msg_a", durationMs: 0 }),
    rejectedRequest({ id: "req_bad", keyId: "key_gone", status: 429, code: "rate_limit_exceeded", durationMs: 12 }),
  ]);
  const page = await textOf(operator);
  assert.deepEqual(listed(page), ["req_bad", "req_sent"]);
  const [, bad = "", sent = ""] = page.split("<tbody>")[1]?.split("<tr>") ?? [];
  assert.match(bad, /429.*rate_limit_exceeded.*key_gone.*12 ms/s);
  assert.doesNotMatch(bad, /\/dashboard\/messages\//);
  assert.match(
    sent.replaceAll(/<\/?span[^>]*>/g, ""),
    /POST \/api\/sending\/send.*href="\/dashboard\/messages\/msg_a".*202.*website.*&lt; 1 ms/s,
  );
  assert.match(page, /X-Request-Id.*At more than 200 requests a second.*kept for 7 days/s);
});

it("filters by request id, key and rejection, and keeps the filters on further pages", async (t) => {
  const { record, keyId, operator } = await setUp(t);
  const requests = Array.from({ length: 120 }, (_, i) =>
    i % 2 === 0 ? rejectedRequest({ keyId }) : apiRequest({ keyId }),
  );
  await record([...requests, rejectedRequest({ id: "req_other" })]);
  assert.deepEqual(listed(await textOf(operator, "?id=+req_other+")), ["req_other"]);
  assert.deepEqual(listed(await textOf(operator, `?id=req_other&key=${keyId}`)), []);
  const rejected = requests.filter(({ status }) => status === 400).map(({ id }) => id);
  const first = await textOf(operator, `?key=${keyId}&failed=yes`);
  const [, next = ""] = /href="\/dashboard\/requests(\?before=[^"]+)"/.exec(first) ?? [];
  const second = await textOf(operator, next.replaceAll("&amp;", "&"));
  assert.deepEqual([...listed(first), ...listed(second)], rejected.toReversed());
  assert.equal(listed(first).length, 50);
  assert.match(second, /<option value="yes" selected[^>]*>Rejected/);
  assert.doesNotMatch(second, /rel="next"/);
  assert.equal(listed(await textOf(operator, "?before=nonsense")).length, 50);
});

it("shows requests without a valid key to operators only, and each account its own", async (t) => {
  const { installation, record, operator } = await setUp(t);
  const user = await clientOf(installation.url, await addUser(installation, "second", "bob@second.example"));
  const unparsed = rejectedRequest({ id: "req_unparsed", accountId: null, keyId: null, method: "", path: "" });
  await record([unparsed, rejectedRequest({ id: "req_own" })]);

  assert.deepEqual(listed(await textOf(operator)), ["req_own"]);
  const missing = await textOf(operator, "?id=req_unparsed");
  assert.match(missing, /No such request.*href="\/dashboard\/requests\?id=req_unparsed&amp;keyless=yes"/s);
  const keyless = await textOf(operator, "?id=req_unparsed&keyless=yes");
  assert.deepEqual(listed(keyless), ["req_unparsed"]);
  assert.match(keyless, /Not a well-formed HTTP request.*None/s);

  assert.equal((await user.get("/requests?keyless=yes")).status, 404);
  for (const query of ["", "?id=req_own", "?id=req_unparsed"]) assert.deepEqual(listed(await textOf(user, query)), []);
  assert.match(await textOf(user, "?id=req_unparsed"), /only the operator of this service can find it/);
  assert.doesNotMatch(await textOf(user), /keyless/);
});

it("shows hostile paths as text", async (t) => {
  const { record, operator } = await setUp(t);
  await record([rejectedRequest({ path: "/<script>alert(1)</script>" })]);
  const page = await textOf(operator, `?id=${encodeURIComponent('"><script>')}`);
  assert.doesNotMatch(page + (await textOf(operator)), /<script>/);
});

for (const options of [{ viewport: { width: 1280, height: 900 } }, NARROW]) {
  test(`the list of requests in a browser, ${options.viewport.width} pixels wide`, { skip: NO_CHROMIUM }, async (t) => {
    const { installation, record, keyId } = await setUp(t);
    await record([
      apiRequest({ id: "req_A1b2C3d4E5f6G7h8", keyId, messageId: "msg_a" }),
      rejectedRequest({ id: "req_I9j0K1l2M3n4O5p6", keyId, path: `/${"long-path/".repeat(19)}` }),
      rejectedRequest({ id: "req_Q7r8S9t0U1v2W3x4", keyId: "key_AbCdEfGhIjKl", code: "invalid_idempotency_key" }),
    ]);
    const browser = await startBrowser();
    t.after(() => browser.close());
    const { page, consoleErrors } = await openWindow(browser, options);
    await signIn(page, installation.url);
    await page.goto(`${installation.url}/dashboard/requests`);
    await takeScreenshots(page, "requests");
    const hiddenPx = await page.locator(".table").evaluate((table) => table.scrollWidth - table.clientWidth);
    assert.equal(hiddenPx, 0, "the table fits into its card");
    await page.getByLabel("X-Request-Id").fill("req_I9j0K1l2M3n4O5p6");
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByText("invalid_request").waitFor();
    await assertAccessible(page, "API requests");
    assert.deepEqual(consoleErrors, []);
  });
}
