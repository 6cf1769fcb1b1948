/** A read error that is gone at the next attempt quarantines no message whose rows are intact, and loses no result. */
import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import type { Database } from "better-sqlite3";
import { runBatch } from "../../../../../src/spool/engine/sqlite/connection/batch.ts";
import { openDatabase } from "../../../../../src/spool/engine/sqlite/connection/database.ts";
import Sqlite from "../../../../../src/spool/engine/sqlite/connection/driver.ts";
import type { Request } from "../../../../../src/spool/engine/sqlite/connection/writer-operations.ts";
import { openStore } from "../../../../../src/spool/engine/sqlite/connection/writer-store.ts";
import { type SentClaim, sentMark, sentSettlements } from "../../../../../src/spool/engine/sqlite/mail/mail-codec.ts";
import { FIRST_LEASE, fillSpool, NOW_MS, OWNED_CLAIM, openSpool } from "../../../../support/damaged-spool.ts";
import { settlement } from "../../../../support/messages.ts";
import { tempDir } from "../../../../support/temp-dir.ts";

const CLAIM = { nowMs: NOW_MS + 10_000, limit: 50, perDomain: 1000, allowance: {} };
const MESSAGES = 2;

/**
 * Makes one use of the file fail as SQLite does, whose transaction is then rolled back: the one numbered `fails`, from 0.
 * Returns how many uses there were since.
 */
function failOnce(t: TestContext, db: Database, fails: number): () => number {
  let uses = 0;
  const use = (): void => {
    uses += 1;
    if (uses - 1 !== fails) return;
    if (db.inTransaction) exec.call(db, "ROLLBACK");
    throw new Sqlite.SqliteError("disk I/O error", "SQLITE_IOERR_READ");
  };
  const { exec } = db;
  t.mock.method(db, "exec", (sql: string) => {
    if (/^(BEGIN IMMEDIATE|COMMIT|END)/.test(sql)) use();
    return exec.call(db, sql);
  });
  const statements = Object.getPrototypeOf(db.prepare("SELECT 1"));
  for (const method of ["get", "all", "run", "iterate"]) {
    const original = statements[method];
    t.mock.method(statements, method, function (this: unknown, ...args: unknown[]) {
      use();
      return original.apply(this, args);
    });
  }
  return () => uses;
}

/** Delivers all messages as delivery does, the second one after its release. Returns how often the file was used. */
function deliverAll(t: TestContext, dataDir: string, fails: number): number {
  const db = openDatabase(dataDir, "write");
  try {
    const store = openStore(db);
    const used = failOnce(t, db, fails);
    const run = (...request: Request): unknown => {
      const [operation] = request;
      for (let tries = 0; tries < 3; tries += 1) {
        const [reply] = runBatch(store, [request]);
        if (reply?.ok) return reply.value;
        assert.equal(reply?.unavailable, true, `${operation}: ${reply?.error}`);
        assert.equal(reply.damaged, undefined, `${operation}: ${reply.error}`);
      }
      return assert.fail(`${operation} fails`);
    };
    let nowMs = CLAIM.nowMs;
    for (let left = MESSAGES, isFirst = true; left > 0 && nowMs < CLAIM.nowMs + 600_000; nowMs += 60_000) {
      const { jobs, epoch } = run("claim", { ...OWNED_CLAIM, nowMs }) as SentClaim;
      const lease = { ...FIRST_LEASE, epoch };
      for (const [i, [messageId]] of [...jobs].entries()) {
        const ref = { messageId, positions: [0], lease };
        if (isFirst && i === 1) {
          run("release", ref);
          isFirst = false;
          continue;
        }
        run("content", messageId);
        run("mark", sentMark({ ...ref, atMs: nowMs, mx: "mx.example", ip: null }));
        run("settle", sentSettlements(messageId, nowMs, [settlement(0, "delivered")], lease));
        left -= 1;
      }
    }
    const uses = used();
    t.mock.restoreAll();
    assert.deepEqual(db.prepare("SELECT result, attempts FROM recipient_states").raw().all(), [
      ["delivered", 1],
      ["delivered", 1],
    ]);
    assert.deepEqual(db.prepare("SELECT * FROM quarantined").all(), []);
    return uses;
  } finally {
    t.mock.restoreAll();
    db.close();
  }
}

it("a read error that passes, at any use of the file in an attempt, quarantines nothing and loses no result", async (t) => {
  const whole = join(tempDir(t), "whole");
  const spool = await openSpool(whole);
  await fillSpool(spool, { count: MESSAGES, domains: 1 });
  await spool.close();
  const fresh = (): string => {
    const dataDir = join(tempDir(t), "copy");
    cpSync(whole, dataDir, { recursive: true });
    return dataDir;
  };
  const uses = deliverAll(t, fresh(), -1);
  assert.ok(uses > 40, `${uses} uses`);
  for (let fails = 0; fails < uses; fails += 1) await t.test(`use ${fails}`, () => void deliverAll(t, fresh(), fails));
});
