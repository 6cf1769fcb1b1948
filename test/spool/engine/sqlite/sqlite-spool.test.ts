import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { isLocked } from "../../../../src/spool/engine/sqlite/connection/database.ts";
import Sqlite from "../../../../src/spool/engine/sqlite/connection/driver.ts";
import type { SqliteClaimant } from "../../../../src/spool/engine/sqlite/mail/claimant.ts";
import { openSqliteSpool, type SqliteStore } from "../../../../src/spool/engine/sqlite/sqlite-spool.ts";
import { SpoolUnavailable } from "../../../../src/spool/port/errors.ts";
import { settleMessage } from "../../../support/attempts.ts";
import { newMessage, rcptReply, recipientsAt, settlement } from "../../../support/messages.ts";
import { tempDir } from "../../../support/temp-dir.ts";
import type { SpoolUnderTest } from "../../port/conformance/suite.ts";
import { conformance } from "../../port/conformance.ts";

const onFatal = (error: Error): void => {
  throw error;
};

async function openAt(t: TestContext, dataDir: string): Promise<SpoolUnderTest> {
  // As a client: a crash is played by leaving the old instance alone, and its lock would stand in the way.
  const spool = await openSqliteSpool({ dataDir, role: "client", onFatal });
  t.after(() => spool.close());
  return {
    spool,
    reopen: () => openAt(t, dataDir),
    acceptForAny: (message) => spool.accept(message),
    other: async () => spool.newClaimant(),
    lapse: (claimant) => (claimant as SqliteStore | SqliteClaimant).expireLeases(),
  };
}

conformance("sqlite", (t) => openAt(t, tempDir(t)));

it("rejects a second service on one data directory, and accepts the next one after the first has closed", async (t) => {
  const dataDir = tempDir(t);
  const open = () => openSqliteSpool({ dataDir, role: "service", onFatal });
  assert.equal(isLocked(dataDir), false);
  const first = await open();
  await assert.rejects(open(), /another Postrider service/);
  assert.equal(isLocked(dataDir), true);
  await first.close();
  assert.equal(isLocked(dataDir), false);
  await (await open()).close();
});

it("rejects a spool of a newer schema with one line", async (t) => {
  const dataDir = tempDir(t);
  const open = () => openSqliteSpool({ dataDir, role: "service", onFatal });
  await (await open()).close();
  const db = new Sqlite(join(dataDir, "postrider.db"));
  db.pragma("user_version = 999");
  db.close();
  await assert.rejects(open(), /schema 999.*run the newer version/);
});

it("commits with synchronous=FULL in WAL mode, in a file that only its owner can read", async (t) => {
  const dataDir = tempDir(t);
  const spool = await openSqliteSpool({ dataDir, role: "service", onFatal });
  t.after(() => spool.close());
  const { openDatabase } = await import("../../../../src/spool/engine/sqlite/connection/database.ts");
  const db = openDatabase(dataDir, "write");
  t.after(() => db.close());
  assert.equal(db.pragma("synchronous", { simple: true }), 2);
  assert.equal(db.pragma("journal_mode", { simple: true }), "wal");
  assert.equal(statSync(join(dataDir, "postrider.db")).mode & 0o077, 0);
});

it("a revoked key is inactive as soon as the revocation resolves, also for reads in the same iteration of the event loop", async (t) => {
  const spool = await openSqliteSpool({ dataDir: tempDir(t), role: "service", onFatal });
  t.after(() => spool.close());
  // In which phase of a turn the answer comes is chance.
  for (let round = 0; round < 40; round++) {
    const key = { accountId: "acc_default", name: `key ${round}`, hash: Buffer.alloc(32, round), lastFour: "aaaa" };
    const created = await spool.createKey({ ...key, createdAtMs: 1, keysMax: 100 });
    assert.ok(created !== "too_many");
    const { id } = created;
    let isRevoked = false;
    const revoked = spool.revokeKey("acc_default", id, 2).then(async () => {
      isRevoked = true;
      assert.equal(await spool.activeKey(key.hash), null);
    });
    while (!isRevoked) {
      await spool.activeKey(key.hash);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await revoked;
  }
});

it("writes the uses of keys when it is closed, and keeps the newest of each", async (t) => {
  const dataDir = tempDir(t);
  for (const atMs of [5, 3, null]) {
    const spool = await openSqliteSpool({ dataDir, role: "service", onFatal });
    const made = { accountId: "acc_default", name: "k", hash: Buffer.alloc(32), lastFour: "abcd", createdAtMs: 1 };
    if (atMs === 5) assert.ok((await spool.createKey({ ...made, keysMax: 1 })) !== "too_many");
    const [key = assert.fail()] = await spool.keys("acc_default");
    if (atMs === null) assert.equal(key.lastUsedAtMs, 5);
    else spool.touchKey(key.id, atMs);
    await spool.close();
  }
});

it("sees changes of another process: a revoked key is inactive at once, a retried recipient becomes due", async (t) => {
  const dataDir = tempDir(t);
  const service = await openSqliteSpool({ dataDir, role: "service", onFatal });
  t.after(() => service.close());
  const client = await openSqliteSpool({ dataDir, role: "client", onFatal });
  t.after(() => client.close());

  const hash = Buffer.alloc(32, 7);
  const made = { accountId: "acc_default", name: "web", hash, lastFour: "abcd", createdAtMs: 1, keysMax: 10 };
  const key = await client.createKey(made);
  assert.ok(key !== "too_many");
  assert.equal((await service.activeKey(hash))?.id, key.id);
  assert.equal(await client.revokeKey("acc_default", key.id, 2), "revoked");
  assert.equal(await service.activeKey(hash), null);
  assert.equal(await client.revokeKey("acc_default", key.id, 3), "already_revoked");
  assert.equal(await client.revokeKey("acc_other", key.id, 3), "not_found");

  const message = newMessage();
  await service.accept(message);
  const request = { nowMs: 1_000_000, limit: 10, perDomain: 10, allowance: {} };
  const nextAttemptAtMs = 9_000_000;
  await settleMessage(service, message.id, 1_000_000, [settlement(0, "pending", nextAttemptAtMs)]);
  const woken = new Promise<void>((resolve) => service.onDue(resolve));
  assert.equal(await client.retry({ accountId: "acc_default", messageId: message.id, nowMs: 1_000_001 }), 1);
  await woken;
  assert.equal((await service.claim({ ...request, nowMs: 1_000_001 })).jobs.length, 1);
});

it("removes refusals that no longer count", async (t) => {
  const dataDir = tempDir(t);
  const { spool } = await openAt(t, dataDir);
  const reply = { code: 550, enhanced_code: "5.1.1", message: "No such user" };
  const said = rcptReply(reply);
  const day = 86_400_000;
  for (const [email, atMs] of [
    ["ann", 0],
    ["ben", 15 * day],
    ["cid", 30 * day],
  ] as const) {
    const message = newMessage({ recipients: [{ email: `${email}@a.example`, domain: "a.example" }] });
    await spool.accept(message);
    await settleMessage(spool, message.id, atMs, [{ ...settlement(0, "failed"), tries: [said] }]);
  }
  const db = new Sqlite(join(dataDir, "postrider.db"), { readonly: true });
  t.after(() => db.close());
  const kept = db.prepare("SELECT address FROM refused_addresses ORDER BY address").pluck().all();
  assert.deepEqual(kept, ["ben@a.example", "cid@a.example"]);
});

it("returns the space of deleted messages to the disk", async (t) => {
  const dataDir = tempDir(t);
  const { spool } = await openAt(t, dataDir);
  const content = Buffer.alloc(50_000, "x");
  for (let i = 0; i < 200; i += 1) {
    const message = newMessage({ content, tags: ["a", "b"] });
    await spool.accept(message);
    await settleMessage(spool, message.id, 1_000_000, [settlement(0, "delivered")]);
  }
  const db = new Sqlite(join(dataDir, "postrider.db"), { readonly: true });
  t.after(() => db.close());
  const pages = (): number => db.pragma("page_count", { simple: true }) as number;
  const before = pages();
  const step = { nowMs: 2_000_000, contentsBeforeMs: 2_000_000, resultsBeforeMs: 2_000_000, limit: 20 };
  for (let isMore = true; isMore; ) ({ isMore } = await spool.applyRetention(step));
  assert.ok(before > 2400 && pages() < before / 2, `${before} pages became ${pages()}`);
  const tables = ["messages", "contents", "recipients", "events", "message_tags"];
  for (const table of tables) assert.equal(db.prepare(`SELECT count(*) FROM ${table}`).pluck().get(), 0, table);
});

it("claims a message as another process has changed it since its acceptance", async (t) => {
  const dataDir = tempDir(t);
  const service = await openSqliteSpool({ dataDir, role: "service", onFatal });
  t.after(() => service.close());
  const client = await openSqliteSpool({ dataDir, role: "client", onFatal });
  t.after(() => client.close());
  const changed = newMessage({ deadlineMs: 1_000_100 });
  const unchanged = newMessage({ deadlineMs: 1_000_100 });
  const request = { nowMs: 1_000_200, limit: 10, perDomain: 10, allowance: {} };
  await service.claim(request);
  await service.accept(changed);
  await service.accept(unchanged);
  // A person's retry lifts the sender's own limit.
  await client.retry({ accountId: "acc_default", messageId: changed.id, nowMs: 1_000_200 });
  const { jobs } = await service.claim(request);
  const deadlines = new Map(jobs.map((job) => [job.messageId, job.deadlineMs]));
  assert.deepEqual([deadlines.get(changed.id), deadlines.get(unchanged.id)], [undefined, 1_000_100]);
});

it("claims each message once, whether or not all fit in memory, and whether they came together or one by one", async (t) => {
  for (const count of [1, 2, 3, 4, 5, 6, 7, 8, 2400]) {
    const { spool } = await openAt(t, tempDir(t));
    const came = (i: number): number => 1_000_000 + Math.min(i, count >> 1);
    const messages = Array.from({ length: count }, (_, i) => newMessage({ createdAtMs: came(i) }));
    await Promise.all(messages.map((message) => spool.accept(message)));
    const claimed: string[] = [];
    for (;;) {
      const { jobs } = await spool.claim({ nowMs: 2_000_000, limit: 500, perDomain: 5000, allowance: {} });
      if (jobs.length === 0) break;
      claimed.push(...jobs.map((job) => job.messageId));
    }
    assert.deepEqual(claimed.sort(), messages.map(({ id }) => id).sort());
  }
});

it("counts each message of a shared transaction once in the quota, and not the rejected one", async (t) => {
  const spool = await openSqliteSpool({ dataDir: tempDir(t), role: "service", onFatal });
  t.after(() => spool.close());
  const two = (id = newMessage().id) =>
    spool.accept(newMessage({ id, recipients: recipientsAt("a.example", 2), quotaDaily: 5 }));
  // The first goes alone; what comes meanwhile shares the next transaction. An id cannot be used twice.
  const [first, second, third, faulty] = await Promise.allSettled([
    two("msg_same"),
    two(),
    two(),
    spool.accept(newMessage({ id: "msg_same" })),
  ]);
  const typeOf = (settled: typeof first) => (settled.status === "fulfilled" ? settled.value.type : settled.status);
  assert.deepEqual([first, second, third].map(typeOf), ["accepted", "accepted", "quota_exceeded"]);
  assert.equal(faulty.status, "rejected");
  assert.equal(await spool.quotaUsed("acc_default", 1_000_000), 4);
});

it("a faulty write fails alone, not the others of its transaction", async (t) => {
  const { spool } = await openAt(t, tempDir(t));
  const [before, faulty, after] = await Promise.allSettled([
    spool.accept(newMessage({ id: "msg_same" })),
    spool.accept(newMessage({ id: "msg_same" })),
    spool.accept(newMessage()),
  ]);
  assert.deepEqual([before.status, faulty.status, after.status], ["fulfilled", "rejected", "fulfilled"]);
  assert.equal(await spool.backlog(), 2);
});

it("resolves requests made before closing, and rejects later ones as unavailable", async (t) => {
  const dataDir = tempDir(t);
  const spool = await openSqliteSpool({ dataDir, role: "service", onFatal });
  const accepted = Promise.all(Array.from({ length: 20 }, () => spool.accept(newMessage())));
  await spool.close();
  assert.equal((await accepted).length, 20);
  await assert.rejects(spool.accept(newMessage()), SpoolUnavailable);
  await assert.rejects(spool.report("msg_x"), SpoolUnavailable);
  const again = await openSqliteSpool({ dataDir, role: "service", onFatal });
  t.after(() => again.close());
  assert.equal(await again.backlog(), 20);
});
