/** The rows of the request log: their bounds after a clock was set and after a failed write, damage, and reads in steps. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type ApiRequest, REQUESTS_KEPT_MAX, REQUESTS_KEPT_MS } from "../../../src/spool/port/request-log.ts";
import { runBatch } from "../../../src/spool/sqlite/batch.ts";
import { sentMessage } from "../../../src/spool/sqlite/codec.ts";
import { openDatabase } from "../../../src/spool/sqlite/database.ts";
import { prepareRequestReport } from "../../../src/spool/sqlite/request-log.ts";
import { openStore } from "../../../src/spool/sqlite/store.ts";
import { apiRequest, rejectedRequest } from "../../support/api-requests.ts";
import { misplaceTable } from "../../support/damaged-spool.ts";
import { newMessage } from "../../support/messages.ts";
import { runSteps } from "../../support/run-steps.ts";
import { tempDir } from "../../support/temp-dir.ts";

const NOW_MS = 1_000_000;

function setUp(t: TestContext) {
  const db = openDatabase(tempDir(t), "write");
  t.after(() => db.close());
  const store = openStore(db);
  const record = (requests: ApiRequest[], nowMs = NOW_MS) =>
    runBatch(store, [["recordRequests", { requests, nowMs }]])[0];
  return { db, store, record };
}

test("requests of a clock that was far ahead do not hold up the deletion of others", (t) => {
  const { db, record } = setUp(t);
  const aheadMs = NOW_MS + 2 * REQUESTS_KEPT_MS;
  record([rejectedRequest({ atMs: aheadMs })], aheadMs);
  record([rejectedRequest({ id: "req_a" })]);
  assert.deepEqual(db.prepare("SELECT id FROM requests").pluck().all(), ["req_a"]);
  record([], NOW_MS + REQUESTS_KEPT_MS + 1);
  assert.equal(db.prepare("SELECT count(*) FROM requests").pluck().get(), 0);
});

test("a write that fails leaves the places without a gap", (t) => {
  const { db, record } = setUp(t);
  record([rejectedRequest()]);
  const wrong = rejectedRequest({ durationMs: 0.5 });
  assert.equal(record([rejectedRequest(), wrong])?.ok, false);
  record([rejectedRequest(), rejectedRequest()]);
  assert.deepEqual(db.prepare("SELECT place FROM requests ORDER BY number").pluck().all(), [1, 2, 3]);
});

test("more requests than are kept, in one write, leave the newest", (t) => {
  const { db, record } = setUp(t);
  record(Array.from({ length: REQUESTS_KEPT_MAX + 5 }, () => apiRequest()));
  const { count, oldest } = db.prepare("SELECT count(*) AS count, min(place) AS oldest FROM requests").get() as {
    count: number;
    oldest: number;
  };
  assert.deepEqual([count, oldest], [REQUESTS_KEPT_MAX, 6]);
});

test("damage in the log is reported, and neither stops other writes nor fails those of the log", (t) => {
  const { db, store, record } = setUp(t);
  record([rejectedRequest()]);
  misplaceTable(db, "requests", "requests_by_account");
  const replies = runBatch(store, [
    ["accept", sentMessage(newMessage({ createdAtMs: NOW_MS }))],
    ["recordRequests", { requests: [rejectedRequest()], nowMs: NOW_MS }],
  ]);
  assert.deepEqual(
    replies.map((reply) => (reply.ok ? reply.ok : reply.error)),
    [true, true],
  );
  assert.deepEqual(
    store.damage.take().map(({ place }) => place),
    ["the request log"],
  );
  assert.equal(record([rejectedRequest()])?.ok, true);
  const { value } = runSteps(prepareRequestReport(db)({ accountId: "acc_default", limit: 10 }));
  assert.deepEqual(value, { requests: [], cursor: null });
});

test("a filter that passes over many requests reads them in steps", (t) => {
  const { db, record } = setUp(t);
  record(Array.from({ length: 2100 }, () => rejectedRequest()));
  record([rejectedRequest({ keyId: "key_2" })]);
  const search = prepareRequestReport(db);
  const { value, count } = runSteps(search({ accountId: "acc_default", keyId: "key_2", limit: 10 }));
  assert.deepEqual([value.requests.length, count], [1, 5]);
  assert.equal(runSteps(search({ accountId: "acc_default", limit: 10 })).count, 1);
});
