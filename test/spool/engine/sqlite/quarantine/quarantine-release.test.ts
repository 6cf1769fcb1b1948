/** QuarantinedMessage messages are checked again: those that can be read are released automatically, the others stay. */

import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { runBatch, runMixedBatch } from "../../../../../src/spool/engine/sqlite/connection/batch.ts";
import { openDatabase } from "../../../../../src/spool/engine/sqlite/connection/database.ts";
import type { Request } from "../../../../../src/spool/engine/sqlite/connection/writer-operations.ts";
import { openStore } from "../../../../../src/spool/engine/sqlite/connection/writer-store.ts";
import { sentMark, sentMessage, sentSettlements } from "../../../../../src/spool/engine/sqlite/mail/mail-codec.ts";
import { QuarantineCheck } from "../../../../../src/spool/engine/sqlite/quarantine/quarantine-check.ts";
import type { SqliteStore } from "../../../../../src/spool/engine/sqlite/sqlite-spool.ts";
import type { NewMessage } from "../../../../../src/spool/port/mail.ts";
import {
  edit,
  FIRST_LEASE,
  fillSpool,
  misplaceTable,
  NOW_MS,
  OWNED_CLAIM,
  openSpool,
  STATES,
  withReply,
} from "../../../../support/damaged-spool.ts";
import { newMessage, settlement } from "../../../../support/messages.ts";
import { tempDir } from "../../../../support/temp-dir.ts";

const CLAIM = { nowMs: NOW_MS + 10_000, limit: 50, perDomain: 1000, allowance: {} };
const PART = { after: 0, limit: 100, bytesMax: 1_000_000, nowMs: NOW_MS, result: "unknown" } as const;
const TWO = ["a.example", "b.example"].map((domain) => ({ email: `ann@${domain}`, domain }));
const DAY_MS = 86_400_000;

/** Three messages that are stored as accepted, or as `sql` changes them. */
async function filled(t: TestContext, sql = ""): Promise<{ dataDir: string; spool: SqliteStore; ids: string[] }> {
  const dataDir = tempDir(t);
  const first = await openSpool(dataDir);
  const ids = await fillSpool(first, { count: 3 });
  await first.close();
  edit(dataDir, (db) => db.exec(sql));
  const spool = await openSpool(dataDir);
  t.after(() => spool.close());
  return { dataDir, spool, ids };
}

const QUARANTINE_ALL =
  "INSERT INTO quarantined SELECT seq, id, account_id, 0, 'message', 'disk I/O error' FROM messages";

/** Claims all messages and releases them. Returns their ids. */
async function claimed(spool: SqliteStore): Promise<string[]> {
  const { jobs } = await spool.claim(CLAIM);
  for (const { messageId, lease } of jobs) await spool.release({ messageId, positions: [0], lease });
  return jobs.map(({ messageId }) => messageId).sort();
}

/** Damages the second message, so that a claim quarantines it. Returns a function that repairs it. */
async function quarantineSecond(dataDir: string, spool: SqliteStore): Promise<() => void> {
  edit(dataDir, (db) => db.exec("UPDATE messages SET sender = 'nobody' WHERE seq = 2"));
  await claimed(spool);
  assert.equal((await spool.quarantined(1)).count, 1);
  return () => edit(dataDir, (db) => db.exec("UPDATE messages SET sender = 'a@shop.example' WHERE seq = 2"));
}

describe("a quarantined message", () => {
  it("that can be read again is released automatically and claimed", async (t) => {
    const { dataDir, spool, ids } = await filled(t);
    const repair = await quarantineSecond(dataDir, spool);
    assert.deepEqual(await spool.recheckQuarantined(PART), { released: [], next: null });
    assert.deepEqual(await claimed(spool), [ids[0], ids[2]]);
    repair();
    assert.deepEqual(await spool.recheckQuarantined(PART), { released: [ids[1]], next: null });
    assert.equal((await spool.quarantined(1)).count, 0);
    assert.equal((await spool.report(ids[1] ?? ""))?.quarantined, undefined);
    assert.deepEqual(await claimed(spool), ids);
  });

  const DAMAGES: Record<string, string> = {
    "a content with another byte": "UPDATE contents SET content = CAST(replace(content, 'BBB', 'BXB') AS BLOB)",
    "a content of another length, without a checksum": "UPDATE contents SET content = substr(content, 2), crc32 = NULL",
    "no content": "DELETE FROM contents",
    "no recipients": "DELETE FROM recipients",
    "a recipient that is no address": "UPDATE recipients SET email = 'nobody'",
    "a last reply that is no JSON": `${withReply("{", 2)}; UPDATE events SET smtp = '{'`,
    "no message": "DELETE FROM messages",
  };
  for (const [name, sql] of Object.entries(DAMAGES)) {
    it(`stays with ${name}, and the others are released`, async (t) => {
      const { spool, ids } = await filled(t, `${QUARANTINE_ALL}; ${sql} WHERE seq = 2`);
      const { released } = await spool.recheckQuarantined(PART);
      assert.deepEqual(released, [ids[0], ids[2]]);
      assert.equal((await spool.quarantined(1)).count, 1);
    });
  }

  it("without a checksum is released if its content has the right length", async (t) => {
    const { dataDir, spool, ids } = await filled(t);
    const repair = await quarantineSecond(dataDir, spool);
    repair();
    edit(dataDir, (db) => db.exec("UPDATE contents SET crc32 = NULL"));
    assert.deepEqual((await spool.recheckQuarantined(PART)).released, [ids[1]]);
  });

  it("that is soon found damaged again stays for a day, or until an operator retries it", async (t) => {
    const { dataDir, spool, ids } = await filled(t);
    for (const [nowMs, expected] of [
      [NOW_MS, [ids[1]]],
      [NOW_MS + DAY_MS - 1, []],
      [NOW_MS + DAY_MS, [ids[1]]],
    ] as const) {
      if ((await spool.quarantined(1)).count === 0) (await quarantineSecond(dataDir, spool))();
      const { released } = await spool.recheckQuarantined({ ...PART, nowMs });
      assert.deepEqual(released, expected);
    }
    (await quarantineSecond(dataDir, spool))();
    assert.equal(await spool.retry({ accountId: "acc_default", messageId: ids[1] ?? "", nowMs: NOW_MS }), 1);
  });

  it("whose attempt ended at its mark becomes unknown, as at a start; a leased recipient stays as it is", async (t) => {
    const { dataDir, spool, ids } = await filled(t);
    await spool.close();
    const db = openDatabase(dataDir, "write");
    t.after(() => db.close());
    const store = openStore(db);
    const run = (...request: Request) => runBatch(store, [request])[0] ?? assert.fail();
    const mark = (id = "") =>
      run("mark", sentMark({ messageId: id, positions: [0], lease: FIRST_LEASE, atMs: NOW_MS, mx: "mx", ip: null }));
    const settle = (id = "") => run("settle", sentSettlements(id, NOW_MS, [settlement(0, "delivered")], FIRST_LEASE));
    run("claim", OWNED_CLAIM);
    for (const id of ids) assert.ok(mark(id).ok);
    const readAgain = misplaceTable(db, "work");
    // The result of one is lost; the other's attempt is on its way to the next host.
    assert.ok(!settle(ids[1]).ok && !mark(ids[2]).ok);
    readAgain();
    const { sound } = new QuarantineCheck(db).check(PART);
    assert.deepEqual(sound, [2, 3]);
    const released = run("releaseQuarantined", { seqs: sound, nowMs: NOW_MS, result: "unknown" });
    assert.deepEqual(released, { ok: true, value: { released: [ids[1], ids[2]], isChanged: true } });
    const states = () =>
      db.prepare(`SELECT iif(mark IS NULL, result, 'marked'), reason FROM recipient_states ORDER BY seq`).raw().all();
    assert.deepEqual(states(), [
      ["marked", null],
      ["unknown", "interrupted_after_final_dot"],
      ["marked", null],
    ]);
    assert.ok(settle(ids[0]).ok && settle(ids[2]).ok);
    assert.deepEqual(
      states().map((row) => (row as unknown[])[0]),
      ["delivered", "unknown", "delivered"],
    );
  });

  for (const way of ["retryMessage", "retryFailedStep"]) {
    for (const process of ["the service", "the command line"]) {
      it(`that ${way} of ${process} releases: a marked recipient becomes unknown unless it is leased`, async (t) => {
        const dataDir = tempDir(t);
        const [service, cli] = [openDatabase(dataDir, "write"), openDatabase(dataDir, "write")];
        for (const db of [service, cli]) t.after(() => db.close());
        const store = openStore(service);
        const other = process === "the service" ? store : openStore(cli);
        const run = (...request: Request) => runBatch(store, [request])[0] ?? assert.fail();
        const [lost, under] = [newMessage({ recipients: TWO }), newMessage({ recipients: TWO })];
        const settle = ({ id }: NewMessage, position: number, result: "delivered" | "failed") =>
          run("settle", sentSettlements(id, NOW_MS, [settlement(position, result)], FIRST_LEASE));
        const mark = ({ id }: NewMessage) =>
          run(
            "mark",
            sentMark({ messageId: id, positions: [1], lease: FIRST_LEASE, atMs: NOW_MS, mx: "mx", ip: null }),
          );
        for (const message of [lost, under]) assert.ok(run("accept", sentMessage(message)).ok);
        run("claim", OWNED_CLAIM);
        for (const message of [lost, under]) assert.ok(settle(message, 0, "failed").ok && mark(message).ok);
        const readAgain = misplaceTable(service, "work");
        assert.ok(!settle(lost, 1, "delivered").ok && !mark(under).ok);
        readAgain();
        other.reload();
        for (const { id: messageId } of [lost, under]) {
          const step = { expiresAtMs: 2 * NOW_MS, limit: 50, after: null, dryRun: false };
          const args = [{ accountId: "acc_default", messageId, nowMs: NOW_MS, ...step }];
          const [reply] = await runMixedBatch(other, [["operation", { name: way, args }]]);
          assert.ok(reply?.ok, JSON.stringify(reply));
        }
        store.reload();
        assert.deepEqual(service.prepare("SELECT * FROM quarantined").all(), []);
        assert.ok(run("releaseQuarantined", { seqs: [], nowMs: NOW_MS, result: "unknown" }).ok);
        assert.ok(settle(under, 1, "delivered").ok);
        const states = service.prepare(`${STATES} WHERE position = 1 ORDER BY seq`).pluck().all();
        assert.deepEqual(states, ["unknown", "delivered"]);
      });
    }
  }

  it("that an operator released is checked for marked recipients, also if the quarantine is empty", async (t) => {
    const { dataDir, spool } = await filled(t);
    edit(dataDir, (db) => db.exec("UPDATE work SET mark = '{}' WHERE seq = 2"));
    assert.deepEqual(await spool.recheckQuarantined(PART), { released: [], next: null });
    const states = edit(dataDir, (db) => db.prepare(`${STATES} ORDER BY seq`).pluck().all());
    assert.deepEqual(states, ["pending", "unknown", "pending"]);
  });

  it("is released later if a read error stopped its release", async (t) => {
    const { dataDir, spool, ids } = await filled(t, QUARANTINE_ALL);
    await spool.close();
    const db = openDatabase(dataDir, "write");
    t.after(() => db.close());
    const store = openStore(db);
    const release = () =>
      runBatch(store, [["releaseQuarantined", { seqs: [1, 2, 3], nowMs: NOW_MS, result: "unknown" }]]);
    const readAgain = misplaceTable(db, "work");
    release();
    readAgain();
    assert.deepEqual(release(), [{ ok: true, value: { released: ids, isChanged: true } }]);
    assert.deepEqual(release(), [{ ok: true, value: { released: [], isChanged: false } }]);
  });

  it("is not checked once the spool is closed, and a running check ends then", async (t) => {
    const { dataDir, spool } = await filled(t);
    await quarantineSecond(dataDir, spool);
    const under = assert.rejects(spool.recheckQuarantined(PART), /closed|ended early/);
    await Promise.all([spool.close(), under]);
    await assert.rejects(spool.recheckQuarantined(PART), /closed/);
  });
});
