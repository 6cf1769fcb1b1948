/** The list of API requests: what users and operators see, its filters and its pages; and the page of one request. */
import assert from "node:assert/strict";
import { it, test } from "node:test";
import type { RecordedRequest } from "../../../src/spool/port/request-log.ts";
import { apiRequest, faultyRequest, rejectedRequest } from "../../support/api-requests.ts";
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
const listed = (page: string): string[] =>
  [...page.matchAll(/"\/dashboard\/requests\/(req_\w+)"/g)].map(([, id = ""]) => id);

const newKey = { accountId: "acc_default", name: "website", lastFour: "wxyz", createdAtMs: 1, keysMax: 10 };

async function setUp(t: Parameters<typeof installWithOperator>[0]) {
  const installation = await installWithOperator(t);
  const { spool, registry } = installation.service;
  const record = (requests: RecordedRequest[]): Promise<void> =>
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
    /href="\/dashboard\/requests\/req_sent".*POST \/api\/sending\/send.*href="\/dashboard\/messages\/msg_a".*202.*website.*&lt; 1 ms/s,
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

it("shows one request with its fault, its message and the command that repeats it", async (t) => {
  const { installation, record, keyId, operator } = await setUp(t);
  const fault = {
    detail: "to[1]: This is not an email address. <b>",
    errors: [{ field: "to[1]", detail: "This is not an email address. <b>" }],
    others: 2,
  };
  await record([
    apiRequest({ id: "req_sent", keyId, messageId: "msg_a", durationMs: 0 }),
    faultyRequest({ id: "req_bad", keyId, durationMs: 12, fault }),
    faultyRequest({
      id: "req_gone",
      keyId: "key_gone",
      method: "DELETE",
      path: "/it's",
      status: 404,
      code: "not_found",
    }),
    faultyRequest({ id: "req_cut", path: `/${"x".repeat(199)}…`, fault: { detail: "No.", errors: [], others: 0 } }),
    apiRequest({ id: "req_smtp", keyId, method: "SMTP", path: "/submission", status: 250 }),
    faultyRequest({ id: "req_unparsed", accountId: null, keyId: null, method: "", path: "" }),
  ]);
  const sent = await textOf(operator, "/req_sent");
  assert.match(sent, /202.*&lt; 1 ms.*website.*req_sent.*href="\/dashboard\/messages\/msg_a"/s);
  assert.doesNotMatch(sent, /href="\/errors/);
  assert.match(
    sent,
    /curl --globoff --path-as-is 'http:\/\/[^\n]+\/api\/sending\/send' \\\n.*Bearer \$POSTRIDER_API_KEY.*--data-raw &quot;\$BODY&quot;/s,
  );

  const bad = await textOf(operator, "/req_bad");
  assert.match(bad, /400.*href="\/errors#invalid_request".*12 ms/s);
  assert.equal(bad.match(/This is not an email address\. &lt;b>/g)?.length, 1);
  assert.match(bad, /2 more fields at fault/);
  const gone = await textOf(operator, "/req_gone");
  assert.match(gone, /key_gone.*curl --globoff --path-as-is -X DELETE 'http:[^\n]*\/it'\\''s'/s);
  assert.doesNotMatch(gone, /BODY/);
  const smtp = await textOf(operator, "/req_smtp");
  assert.match(smtp, /SMTP.*250/s);
  assert.doesNotMatch(smtp, /curl/);
  const cut = await textOf(operator, "/req_cut");
  assert.match(cut, /No\./);
  assert.doesNotMatch(cut, /curl/);
  assert.match(await textOf(operator, "/req_unparsed"), /Not a well-formed HTTP request.*None/s);

  const user = await clientOf(installation.url, await addUser(installation, "second", "bob@second.example"));
  for (const id of ["req_sent", "req_bad", "req_unparsed", "req_none"])
    assert.equal((await user.get(`/requests/${id}`)).status, 404);
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
      ...Array.from({ length: 45 }, () => apiRequest({ keyId })),
      apiRequest({ id: "req_A1b2C3d4E5f6G7h8", keyId, messageId: "msg_a" }),
      faultyRequest({ id: "req_I9j0K1l2M3n4O5p6", keyId, path: `/${"long-path/".repeat(19)}` }),
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
    await page.getByRole("link", { name: /long-path/ }).click();
    await page.getByText("This field is required.").waitFor();
    await takeScreenshots(page, "request");
    await assertAccessible(page, "an API request");
    assert.deepEqual(consoleErrors, []);
  });
}
