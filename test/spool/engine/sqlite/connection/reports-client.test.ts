/** Queries to the reports thread: accounts are served in round robin, and few queries of one account may wait. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startThread } from "../../../../../src/lib/thread.ts";
import { ReportsClient } from "../../../../../src/spool/engine/sqlite/connection/reports-client.ts";
import { SpoolUnavailable } from "../../../../../src/spool/port/errors.ts";
import { TooManyReports } from "../../../../../src/spool/port/reports.ts";
import { fillLargeSpool } from "../../../../support/dashboard/large-spool.ts";
import { tempDir } from "../../../../support/temp-dir.ts";

test("an account's query does not wait for earlier queries of another account", async (t) => {
  const dataDir = tempDir(t);
  await fillLargeSpool(dataDir, 20_000);
  const client = new ReportsClient(dataDir);
  t.after(() => client.close());
  const answered: string[] = [];
  const refused: unknown[] = [];
  const ask = (name: string, question: Promise<unknown>): Promise<unknown> =>
    question.then(() => answered.push(name)).catch((error: unknown) => refused.push(error));
  const busy = Array.from({ length: 40 }, (_, i) =>
    ask(`busy ${i}`, client.find({ accountId: "acc_default", recipient: "nobody", limit: 50 })),
  );
  const other = ask("other", client.find({ accountId: "acc_other", limit: 50 }));
  const operator = ask("operator", client.waiting({ accountId: null, nowMs: Date.now(), limit: 9 }));
  await Promise.all([...busy, other, operator]);
  // One is with the thread and ten wait.
  assert.equal(refused.length, 29);
  assert.ok(refused.every((error) => error instanceof TooManyReports));
  assert.ok(answered.indexOf("other") <= 2, answered.join());
  assert.equal(answered.length, 13);
  assert.deepEqual(
    answered.filter((name) => name.startsWith("busy")),
    busy.slice(0, 11).map((_, i) => `busy ${i}`),
  );
  // Its place is free again.
  await client.find({ accountId: "acc_default", recipient: "nobody", limit: 50 });
});

test("a thread that cannot be started fails its own queries, and none that follow", async (t) => {
  const dataDir = tempDir(t);
  await fillLargeSpool(dataDir, 1);
  let failures = 1;
  const client = new ReportsClient(dataDir, (...parts) => {
    if (failures === 0) return startThread(...parts);
    failures -= 1;
    throw Object.assign(new Error("no descriptors"), { code: "ERR_WORKER_INIT_FAILED" });
  });
  t.after(() => client.close());
  const filter = { accountId: "acc_default", limit: 5 };
  await assert.rejects(client.find(filter), SpoolUnavailable);
  assert.equal((await client.find(filter)).messages.length, 1);
});
