/** The request log on SQLite: damage, and the rows that a read passes over. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { runMixedBatch } from "../../../../src/spool/engine/sqlite/connection/batch.ts";
import { openDatabase } from "../../../../src/spool/engine/sqlite/connection/database.ts";
import { SqliteSession } from "../../../../src/spool/engine/sqlite/connection/sqlite-session.ts";
import type { Request } from "../../../../src/spool/engine/sqlite/connection/writer-operations.ts";
import { openStore } from "../../../../src/spool/engine/sqlite/connection/writer-store.ts";
import { readable } from "../../../../src/spool/engine/sqlite/files/damage.ts";
import { sentMessage } from "../../../../src/spool/engine/sqlite/mail/mail-codec.ts";
import { statements } from "../../../../src/spool/engine/statement.ts";
import { requestLogOperations } from "../../../../src/spool/store/reports/request-log.ts";
import { rejectedRequest } from "../../../support/api-requests.ts";
import { misplaceTable } from "../../../support/damaged-spool.ts";
import { newMessage } from "../../../support/messages.ts";
import { tempDir } from "../../../support/temp-dir.ts";

const NOW_MS = 1_000_000;

function setUp(t: TestContext) {
  const db = openDatabase(tempDir(t), "write");
  t.after(() => db.close());
  return { db, store: openStore(db) };
}

test("damage in the log is reported, and neither stops other writes nor fails those of the log", async (t) => {
  const { db, store } = setUp(t);
  const full = [{ accountId: "acc_default", failed: true }];
  const record: Request = ["operation", { name: "storeRequests", args: [[rejectedRequest()], NOW_MS, full] }];
  const run = async (...requests: Request[]) =>
    (await runMixedBatch(store, requests)).map((reply) => (reply.ok ? reply.ok : reply.error));
  assert.deepEqual(await run(record), [true]);
  misplaceTable(db, "requests", "requests_by_account");
  const accept: Request = ["accept", sentMessage(newMessage({ createdAtMs: NOW_MS }))];
  assert.deepEqual(await run(accept, record), [true, true]);
  assert.deepEqual(
    store.damage.take().map(({ place }) => place),
    ["the request log"],
  );
  assert.deepEqual(await run(record), [true]);
  const session = new SqliteSession(db, { avoid: (_place, read, fallback) => readable(read) ?? fallback, note() {} });
  const found = await requestLogOperations.reports.requests(session, { accountId: "acc_default", limit: 10 });
  assert.deepEqual(found, { requests: [], cursor: null });
});

test("every statement of the log reads an index in its order", (t) => {
  const { db } = setUp(t);
  const about = statements().filter(({ text }) => /\bFROM requests\b/.test(text));
  assert.equal(about.length, 11);
  for (const { text } of about) {
    const plan = db
      .prepare<object, { detail: string }>(`EXPLAIN QUERY PLAN ${text}`)
      .all({ 1: 1, 2: 1, 3: 1, 4: 1, 5: 1 });
    const details = plan.map(({ detail }) => detail).join("; ");
    assert.match(details, /SEARCH requests USING (COVERING )?INDEX requests_by/);
    assert.doesNotMatch(details, /SCAN requests|TEMP B-TREE/, text);
  }
});
