/** Damaged indexes: they are rebuilt, at once or once that is possible, and nothing is lost meanwhile. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { runBatch, runMixedBatch } from "../../../../../src/spool/engine/sqlite/connection/batch.ts";
import { openDatabase } from "../../../../../src/spool/engine/sqlite/connection/database.ts";
import Sqlite from "../../../../../src/spool/engine/sqlite/connection/driver.ts";
import type { Request } from "../../../../../src/spool/engine/sqlite/connection/writer-operations.ts";
import type { Reply } from "../../../../../src/spool/engine/sqlite/connection/writer-protocol.ts";
import { openStore } from "../../../../../src/spool/engine/sqlite/connection/writer-store.ts";
import { sentMark, sentMessage, sentSettlements } from "../../../../../src/spool/engine/sqlite/mail/mail-codec.ts";
import {
  damagePage,
  edit,
  FIRST_LEASE,
  fillSpool,
  misplaceTable,
  NOW_MS,
  OWNED_CLAIM,
  opened,
  openSpool,
  pagesOf,
  STATES,
} from "../../../../support/damaged-spool.ts";
import { newMessage, settlement } from "../../../../support/messages.ts";
import { tempDir } from "../../../../support/temp-dir.ts";

it("a damaged index of message ids is rebuilt: messages are accepted and looked up", async (t) => {
  const dataDir = tempDir(t);
  const first = await openSpool(dataDir);
  const ids = await fillSpool(first, { count: 300 });
  await first.close();
  const pages = pagesOf(dataDir).filter(({ name }) => name === "sqlite_autoindex_messages_1");
  assert.ok(pages.length > 1);
  for (const page of pages) damagePage(dataDir, page);
  const spool = await opened(t, dataDir);
  assert.equal((await spool.accept(newMessage({ createdAtMs: NOW_MS }))).type, "accepted");
  assert.equal((await spool.report(ids[7] ?? ""))?.id, ids[7]);
  await assert.rejects(spool.accept(newMessage({ id: ids[7] ?? "", createdAtMs: NOW_MS })), /UNIQUE/);
  await spool.close();
  const faults = edit(dataDir, (db) => db.pragma("integrity_check") as { integrity_check: string }[]);
  const lines = faults.flatMap((row) => row.integrity_check.split("\n"));
  assert.deepEqual(
    lines.filter((line) => !/never used$|^ok$|^\*\*\*/.test(line)),
    [],
  );
});

it("if an index is damaged while the disk is full, the spool opens without it and rebuilds it when there is space", async (t) => {
  const dataDir = tempDir(t);
  const first = await openSpool(dataDir);
  await fillSpool(first, { count: 3 });
  await first.close();
  damagePage(dataDir, pagesOf(dataDir).find(({ name }) => name === "work_waiting") ?? assert.fail());
  const db = openDatabase(dataDir, "write");
  t.after(() => db.close());
  db.pragma("max_page_count = 1");
  const store = openStore(db);
  assert.match(
    JSON.stringify(store.damage.take()),
    /"work, of which work_waiting is made","error":"database or disk is full/,
  );
  const claimed = () => {
    const [reply] = runBatch(store, [["claim", OWNED_CLAIM]]);
    return reply?.ok && (reply.value as { jobs: unknown[] }).jobs.length;
  };
  assert.equal(claimed(), 0);
  db.pragma("max_page_count = 4294967294");
  const laterMs = performance.now() + 60_000;
  t.mock.method(performance, "now", () => laterMs);
  runBatch(store, []);
  assert.equal(claimed(), 3);
});

describe("an index that cannot be rebuilt yet", () => {
  /** A store with three messages; `later` is a minute later, when the rebuilding is tried again. */
  async function setUp(t: TestContext) {
    const dataDir = tempDir(t);
    const first = await openSpool(dataDir);
    const ids = await fillSpool(first, { count: 3 });
    await first.close();
    const db = openDatabase(dataDir, "write");
    t.after(() => db.close());
    db.pragma("busy_timeout = 0");
    const store = openStore(db);
    const run = (...request: Request) => runBatch(store, [request])[0] ?? assert.fail();
    const later = (): void => {
      const laterMs = performance.now() + 60_000;
      t.mock.method(performance, "now", () => laterMs);
      runBatch(store, []);
    };
    return { dataDir, db, ids, run, later };
  }

  const jobs = (reply: Reply): number => (reply.ok ? (reply.value as { jobs: unknown[] }).jobs.length : -1);

  it("because another process writes: the claim returns, and a later one finds the messages", async (t) => {
    const { dataDir, db, run, later } = await setUp(t);
    misplaceTable(db, "work_waiting");
    const other = new Sqlite(join(dataDir, "postrider.db"));
    t.after(() => other.close());
    other.exec("BEGIN IMMEDIATE");
    assert.equal(jobs(run("claim", OWNED_CLAIM)), 0);
    other.exec("ROLLBACK");
    later();
    assert.equal(jobs(run("claim", OWNED_CLAIM)), 3);
  });

  it("because the disk is full: no result is lost, and the message is not quarantined", async (t) => {
    const { db, ids, run, later } = await setUp(t);
    const [messageId = ""] = ids;
    const ref = { messageId, positions: [0], lease: FIRST_LEASE };
    run("claim", OWNED_CLAIM);
    const mark = () => run("mark", sentMark({ ...ref, atMs: NOW_MS, mx: "mx.example", ip: null }));
    const settle = () => run("settle", sentSettlements(messageId, NOW_MS, [settlement(0, "delivered")], FIRST_LEASE));
    assert.ok(mark().ok);
    misplaceTable(db, "work_marked");
    db.pragma("max_page_count = 1");
    for (const reply of [settle(), settle()]) {
      assert.ok(!reply.ok);
      assert.deepEqual([reply.unavailable, reply.damaged], [true, undefined]);
    }
    db.pragma("max_page_count = 4294967294");
    later();
    assert.ok(settle().ok);
    assert.equal(db.prepare(`${STATES} WHERE seq = 1`).pluck().get(), "delivered");
    assert.deepEqual(db.prepare("SELECT * FROM quarantined").all(), []);
  });

  it("because a read fails for another reason than damage: the claim returns", async (t) => {
    const { db, run, later } = await setUp(t);
    misplaceTable(db, "work_waiting");
    const { prepare } = db;
    const mocked = t.mock.method(db, "prepare", (sql: string) => {
      if (sql.includes("total(1)")) throw new Sqlite.SqliteError("out of memory", "SQLITE_NOMEM");
      return prepare.call(db, sql);
    });
    assert.equal(jobs(run("claim", OWNED_CLAIM)), 0);
    mocked.mock.restore();
    later();
    assert.equal(jobs(run("claim", OWNED_CLAIM)), 3);
  });
});

it("a settlement that met damage is retried later if its message cannot be checked now", async (t) => {
  const db = openDatabase(tempDir(t), "write");
  t.after(() => db.close());
  const store = openStore(db);
  const { id } = newMessage();
  const run = (...request: Request) => runBatch(store, [request])[0] ?? assert.fail();
  run("accept", sentMessage(newMessage({ id, createdAtMs: NOW_MS })));
  run("claim", OWNED_CLAIM);
  const settle = () => run("settle", sentSettlements(id, NOW_MS, [settlement(0, "delivered")], FIRST_LEASE));
  const readAgain = misplaceTable(db, "work");
  const statements = Object.getPrototypeOf(db.prepare("SELECT 1"));
  const { get } = statements;
  const mocked = t.mock.method(statements, "get", function (this: { source: string }, ...args: unknown[]) {
    if (this.source.startsWith("SELECT sender")) throw new Sqlite.SqliteError("out of memory", "SQLITE_NOMEM");
    return get.apply(this, args);
  });
  assert.deepEqual(settle(), { ok: false, unavailable: true, error: "out of memory (SQLITE_NOMEM)" });
  mocked.mock.restore();
  readAgain();
  assert.ok(settle().ok);
});

it("notes that cannot be recreated because the disk is full are recreated when there is space", async (t) => {
  const db = openDatabase(tempDir(t), "write");
  t.after(() => db.close());
  const store = openStore(db);
  misplaceTable(db, "key_values");
  const write = async () =>
    (await runMixedBatch(store, [["operation", { name: "writeValue", args: ["readiness", "now"] }]]))[0]?.ok;
  db.pragma("max_page_count = 1");
  assert.equal(await write(), false);
  db.pragma("max_page_count = 4294967294");
  assert.equal(await write(), true);
});

it("damage found after a thousand damaged messages is skipped and reported too", async (t) => {
  const db = openDatabase(tempDir(t), "write");
  t.after(() => db.close());
  const store = openStore(db);
  for (let seq = 1; seq <= 1010; seq += 1) store.damage.note(`the message in row ${seq}`, new Error("disk I/O error"));
  assert.equal(store.damage.take().length, 1000);
  const message = newMessage({ createdAtMs: NOW_MS });
  runBatch(store, [["accept", sentMessage(message)]]);
  runBatch(store, [["claim", OWNED_CLAIM]]);
  const tables = ["activity", "delivery_times", "api_keys", "refused_addresses", "quota"];
  for (const table of tables) misplaceTable(db, table);
  const settlements = sentSettlements(message.id, NOW_MS, [settlement(0, "delivered")], FIRST_LEASE);
  const [settled] = runBatch(store, [["settle", settlements]]);
  assert.deepEqual(settled, { ok: true, value: "settled" });
  assert.deepEqual(
    store.damage.take().map(({ place }) => place),
    ["the refused addresses", "the counts of activity", "the delivery times"],
  );
  const [accepted] = runBatch(store, [["accept", sentMessage(newMessage({ createdAtMs: NOW_MS }))]]);
  assert.equal(accepted?.ok, true, JSON.stringify(accepted));
});
