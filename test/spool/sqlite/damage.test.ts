/**
 * Damage in the spool file: a message that cannot be read is quarantined, and all others go on. Nothing that can be read is
 * lost, and nothing is sent twice.
 */
import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { CHECK_NAMES, type DomainCheck, type DomainChecks } from "../../../src/spool/port/accounts.ts";
import { deliveryPause, PAUSE_NOTE, pauseSentence } from "../../../src/spool/port/delivery-pause.ts";
import {
  MessageDamaged,
  type RetriedFailed,
  SpoolUnavailable,
  type StsPolicy,
  type WaitPlace,
  type WaitsShortened,
} from "../../../src/spool/port/mail.ts";
import { sentMark, sentMessage, sentSettlements } from "../../../src/spool/sqlite/codec.ts";
import { isDamage } from "../../../src/spool/sqlite/damage.ts";
import { openDatabase } from "../../../src/spool/sqlite/database.ts";
import Sqlite from "../../../src/spool/sqlite/driver.ts";
import type { SqliteStore } from "../../../src/spool/sqlite/sqlite-spool.ts";
import { openStore, type Reply, runBatch } from "../../../src/spool/sqlite/writer.ts";
import {
  damagePage,
  edit,
  fillSpool,
  misplaceTable,
  NOW_MS,
  openSpool,
  type Page,
  pagesOf,
} from "../../support/damaged-spool.ts";
import { newMessage, settlement } from "../../support/messages.ts";
import { tempDir } from "../../support/temp-dir.ts";

const CLAIM = { nowMs: NOW_MS + 10_000, limit: 50, perDomain: 1000, allowance: {} };
const ACCOUNT = "acc_default";

async function opened(t: TestContext, dataDir: string): Promise<SqliteStore> {
  const spool = await openSpool(dataDir);
  t.after(() => spool.close());
  return spool;
}

/** Works until a claim finds nothing, each handed to `deliver`. */
async function claimAll(spool: SqliteStore, deliver: (messageId: string) => Promise<void>): Promise<void> {
  for (;;) {
    const { jobs, nextDueMs } = await spool.claim(CLAIM);
    for (const { messageId } of jobs) await deliver(messageId);
    // A claim that found damage alone asks to be repeated a second later.
    if (jobs.length === 0 && nextDueMs !== CLAIM.nowMs + 1000) return;
  }
}

/** As delivery does it: the content, the mark, the result. Returns the ids whose result was stored. */
async function deliverAll(spool: SqliteStore): Promise<string[]> {
  const delivered: string[] = [];
  await claimAll(spool, async (messageId) => {
    const ref = { messageId, positions: [0] };
    try {
      await spool.content(messageId);
      await spool.mark({ ...ref, atMs: NOW_MS, mx: "mx.example", ip: null });
      await spool.settle(messageId, NOW_MS, [settlement(0, "delivered")]);
      delivered.push(messageId);
    } catch (error) {
      assert.ok(error instanceof MessageDamaged, `${error}`);
      await spool.release(ref);
    }
  });
  return delivered;
}

/** What may be wrong with the second of three messages, the others being sound. */
const ROWS: Record<string, string> = {
  "a last reply that is no JSON": "UPDATE recipients SET smtp = '{' WHERE seq = 2",
  "a last reply that is no reply": "UPDATE recipients SET smtp = '[]' WHERE seq = 2",
  "a recipient that is no address": "UPDATE recipients SET email = 'nobody' WHERE seq = 2",
  "a recipient at another domain": "UPDATE recipients SET email = 'user1@other.example' WHERE seq = 2",
  "a sender that is no address": "UPDATE messages SET sender = '' WHERE seq = 2",
  "a message that is missing": "DELETE FROM messages WHERE seq = 2",
  "a content that is missing": "DELETE FROM contents WHERE seq = 2",
  "a content that is shorter": "UPDATE contents SET content = substr(content, 2) WHERE seq = 2",
  "a content with another byte":
    "UPDATE contents SET content = CAST(replace(content, 'BBB', 'BXB') AS BLOB) WHERE seq = 2",
};

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
  damagePage(dataDir, pagesOf(dataDir).find(({ name }) => name === "recipients_waiting") ?? assert.fail());
  const db = openDatabase(dataDir, "write");
  t.after(() => db.close());
  db.pragma("max_page_count = 1");
  const store = openStore(db);
  assert.match(
    JSON.stringify(store.damage.take()),
    /"recipients, of which recipients_waiting is made","error":"database or disk is full/,
  );
  const claimed = () => {
    const [reply] = runBatch(store, [["claim", CLAIM]]);
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
    const run = (operation: string, args: unknown) => runBatch(store, [[operation, args]])[0] ?? assert.fail();
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
    misplaceTable(db, "recipients_waiting");
    const other = new Sqlite(join(dataDir, "postrider.db"));
    t.after(() => other.close());
    other.exec("BEGIN IMMEDIATE");
    assert.equal(jobs(run("claim", CLAIM)), 0);
    other.exec("ROLLBACK");
    later();
    assert.equal(jobs(run("claim", CLAIM)), 3);
  });

  it("because the disk is full: no result is lost, and the message is not quarantined", async (t) => {
    const { db, ids, run, later } = await setUp(t);
    const [messageId = ""] = ids;
    const ref = { messageId, positions: [0] };
    run("claim", CLAIM);
    const mark = () => run("mark", sentMark({ ...ref, atMs: NOW_MS, mx: "mx.example", ip: null }));
    const settle = () => run("settle", sentSettlements(messageId, NOW_MS, [settlement(0, "delivered")]));
    assert.ok(mark().ok);
    misplaceTable(db, "recipients_marked");
    db.pragma("max_page_count = 1");
    for (const reply of [settle(), settle()]) {
      assert.ok(!reply.ok);
      assert.deepEqual([reply.unavailable, reply.damaged], [true, undefined]);
    }
    db.pragma("max_page_count = 4294967294");
    later();
    assert.ok(settle().ok);
    assert.equal(db.prepare("SELECT state FROM recipients WHERE seq = 1").pluck().get(), "delivered");
    assert.deepEqual(db.prepare("SELECT * FROM quarantined").all(), []);
  });

  it("because a read fails for another reason than damage: the claim returns", async (t) => {
    const { db, run, later } = await setUp(t);
    misplaceTable(db, "recipients_waiting");
    const { prepare } = db;
    const mocked = t.mock.method(db, "prepare", (sql: string) => {
      if (sql.includes("total(1)")) throw new Sqlite.SqliteError("out of memory", "SQLITE_NOMEM");
      return prepare.call(db, sql);
    });
    assert.equal(jobs(run("claim", CLAIM)), 0);
    mocked.mock.restore();
    later();
    assert.equal(jobs(run("claim", CLAIM)), 3);
  });
});

it("a settlement that met damage is retried later if its message cannot be checked now", async (t) => {
  const db = openDatabase(tempDir(t), "write");
  t.after(() => db.close());
  const store = openStore(db);
  const { id } = newMessage();
  const run = (operation: string, args: unknown) => runBatch(store, [[operation, args]])[0] ?? assert.fail();
  run("accept", sentMessage(newMessage({ id, createdAtMs: NOW_MS })));
  run("claim", CLAIM);
  const settle = () => run("settle", sentSettlements(id, NOW_MS, [settlement(0, "delivered")]));
  const readAgain = misplaceTable(db, "recipients");
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
  misplaceTable(db, "notes");
  const write = () => runBatch(store, [["writeNote", { name: "readiness", text: "now" }]])[0]?.ok;
  db.pragma("max_page_count = 1");
  assert.equal(write(), false);
  db.pragma("max_page_count = 4294967294");
  assert.equal(write(), true);
});

it("damage found after a thousand damaged messages is skipped and reported too", async (t) => {
  const db = openDatabase(tempDir(t), "write");
  t.after(() => db.close());
  const store = openStore(db);
  for (let seq = 1; seq <= 1010; seq += 1) store.damage.note(`the message in row ${seq}`, new Error("disk I/O error"));
  assert.equal(store.damage.take().length, 1000);
  const message = newMessage({ createdAtMs: NOW_MS });
  runBatch(store, [["accept", sentMessage(message)]]);
  runBatch(store, [["claim", CLAIM]]);
  const tables = ["activity", "delivery_times", "api_keys", "refused_addresses", "quota"];
  for (const table of tables) misplaceTable(db, table);
  const [settled] = runBatch(store, [["settle", sentSettlements(message.id, NOW_MS, [settlement(0, "delivered")])]]);
  assert.deepEqual(settled, { ok: true, value: undefined });
  assert.deepEqual(
    store.damage.take().map(({ place }) => place),
    ["the refused addresses", "the counts of activity", "the delivery times"],
  );
  const [accepted] = runBatch(store, [["accept", sentMessage(newMessage({ createdAtMs: NOW_MS }))]]);
  assert.equal(accepted?.ok, true, JSON.stringify(accepted));
});

describe("a repaired file that has lost its newest messages", () => {
  const LOST: Record<string, string> = {
    "their contents and recipients are left": "DELETE FROM messages WHERE seq > 1",
    "their recipients are left": "DELETE FROM messages WHERE seq > 1; DELETE FROM contents WHERE seq > 1",
    "one recipient is left":
      "DELETE FROM messages WHERE seq > 1; DELETE FROM contents WHERE seq > 1; UPDATE recipients SET position = 1 WHERE seq = 2; DELETE FROM recipients WHERE seq > 2",
  };
  for (const [name, sql] of Object.entries(LOST)) {
    it(`${name}: new messages are accepted and delivered only to their own recipients`, async (t) => {
      const dataDir = tempDir(t);
      const first = await openSpool(dataDir);
      await fillSpool(first, { count: 3 });
      await first.close();
      edit(dataDir, (db) => db.exec(sql));
      const spool = await opened(t, dataDir);
      await spool.recover(NOW_MS, "unknown");
      const { id } = newMessage();
      assert.equal((await spool.accept(newMessage({ id, createdAtMs: NOW_MS + 10 }))).type, "accepted");
      const { jobs } = await spool.claim(CLAIM);
      const own = jobs.filter(({ messageId }) => messageId === id).flatMap(({ recipients }) => recipients);
      assert.deepEqual(
        own.map(({ email }) => email),
        ["ann@customers.example"],
      );
    });
  }
});

describe("notes that cannot be read", () => {
  const PAUSE = JSON.stringify({ backupAtMs: NOW_MS, newestSeq: 1 });

  /** A spool with a message that waits, whose notes were damaged while it was closed. */
  async function damagedNotes(t: TestContext, { isRestored }: { isRestored: boolean }) {
    const dataDir = tempDir(t);
    const first = await openSpool(dataDir);
    const [id = ""] = await fillSpool(first, { count: 1 });
    if (isRestored) await first.writeNote(PAUSE_NOTE, PAUSE);
    await first.close();
    damagePage(dataDir, pagesOf(dataDir).find(({ name }) => name === "notes") ?? assert.fail());
    return { dataDir, id };
  }

  const claimed = async (spool: SqliteStore): Promise<number> => (await spool.claim(CLAIM)).jobs.length;

  for (const isRestored of [true, false]) {
    it(`pause delivery until an operator decides (${isRestored ? "restored" : "never restored"})`, async (t) => {
      const { dataDir, id } = await damagedNotes(t, { isRestored });
      const spool = await opened(t, dataDir);
      assert.equal(await claimed(spool), 0);
      const pause = (await deliveryPause(spool)) ?? assert.fail("no pause is reported");
      assert.match(pauseSentence(pause), /damaged where it says whether it was restored .* queue resume/);
      await spool.writeNote("readiness", "now");
      assert.equal(await claimed(spool), 0, "also once the table is made anew");
      await spool.close();
      const again = await opened(t, dataDir);
      assert.equal(await claimed(again), 0, "also after a restart");
      assert.ok((await deliveryPause(again)) !== null);
      const resumed = await again.resumeDelivery({ nowMs: NOW_MS, waiting: "send" });
      assert.deepEqual(resumed, { held: 0, unreadable: 0 });
      assert.equal(await deliveryPause(again), null);
      assert.deepEqual(await deliverAll(again), [id]);
    });
  }

  it("are recreated when an operator resumes delivery, who can hold what was pending", async (t) => {
    const { dataDir, id } = await damagedNotes(t, { isRestored: true });
    const spool = await opened(t, dataDir);
    assert.deepEqual(await spool.resumeDelivery({ nowMs: NOW_MS, waiting: "hold" }), { held: 1, unreadable: 0 });
    assert.equal((await spool.report(id))?.recipients[0]?.result, "unknown");
    assert.equal(await deliveryPause(spool), null);
  });

  it("are recreated with the pause if it was read before", async (t) => {
    const db = openDatabase(tempDir(t), "write");
    t.after(() => db.close());
    const store = openStore(db);
    runBatch(store, [["writeNote", { name: PAUSE_NOTE, text: PAUSE }]]);
    store.reload();
    misplaceTable(db, "notes");
    const [failed] = runBatch(store, [["writeNote", { name: "readiness", text: "now" }]]);
    assert.equal(failed?.ok, true, JSON.stringify(failed));
    assert.equal(db.prepare("SELECT text FROM notes WHERE name = ?").pluck().get(PAUSE_NOTE), PAUSE);
  });

  it("do not pause delivery if there was no pause when they were read before, or if they can be read again", async (t) => {
    const db = openDatabase(tempDir(t), "write");
    t.after(() => db.close());
    const store = openStore(db);
    runBatch(store, [["accept", sentMessage(newMessage({ createdAtMs: NOW_MS }))]]);
    const sound = misplaceTable(db, "notes");
    store.reload();
    const jobs = (from: typeof store): number => {
      const [reply] = runBatch(from, [["claim", CLAIM]]);
      return reply?.ok ? (reply.value as { jobs: unknown[] }).jobs.length : -1;
    };
    const atStart = openStore(db);
    assert.equal(jobs(atStart), 0);
    sound();
    assert.equal(jobs(atStart), 1);
    misplaceTable(db, "notes");
    assert.equal(jobs(store), 1);
  });
});

describe("a row that cannot be decoded", () => {
  for (const [name, sql] of Object.entries(ROWS)) {
    it(`${name}: its message is quarantined, also after a restart, and the others are delivered`, async (t) => {
      const dataDir = tempDir(t);
      const first = await openSpool(dataDir);
      const ids = await fillSpool(first, { count: 3, domains: 1 });
      await first.close();
      edit(dataDir, (db) => db.exec(sql));
      const spool = await opened(t, dataDir);
      await spool.recover(NOW_MS, "unknown");
      assert.deepEqual((await deliverAll(spool)).sort(), [ids[0], ids[2]]);
      const { count, messages } = await spool.quarantined(10);
      assert.deepEqual([count, messages[0]?.seq, messages[0]?.accountId], [1, 2, ACCOUNT]);
      const again = await opened(t, dataDir);
      assert.deepEqual((await again.claim(CLAIM)).jobs, []);
      const states = edit(dataDir, (db) => db.prepare("SELECT state FROM recipients ORDER BY seq").pluck().all());
      assert.deepEqual(states, ["delivered", "pending", "delivered"]);
    });
  }

  it("is shown with its readable parts, and a retry releases it once it is repaired, not before", async (t) => {
    const dataDir = tempDir(t);
    const spool = await opened(t, dataDir);
    const [id = ""] = await fillSpool(spool, { count: 1 });
    edit(dataDir, (db) => db.exec("UPDATE recipients SET email = 'nobody'"));
    assert.deepEqual((await spool.claim(CLAIM)).jobs.length, 0);
    const report = await spool.report(id);
    assert.deepEqual([report?.recipients[0]?.result, report?.quarantined?.part], ["pending", "message"]);
    const retry = { accountId: ACCOUNT, messageId: id, nowMs: NOW_MS };
    await assert.rejects(spool.retry(retry), MessageDamaged);
    edit(dataDir, (db) => db.exec("UPDATE recipients SET email = 'user0@d0.example'"));
    assert.equal(await spool.retry(retry), 1);
    assert.equal((await spool.quarantined(10)).count, 0);
    assert.deepEqual(await deliverAll(spool), [id]);
    assert.equal((await spool.report(id))?.quarantined, undefined);
  });

  it("a failed recipient of a quarantined message stays failed, and is due once the message can be read again", async (t) => {
    const dataDir = tempDir(t);
    const spool = await opened(t, dataDir);
    const [id = ""] = await fillSpool(spool, { count: 2 });
    await claimAll(spool, (messageId) => spool.settle(messageId, NOW_MS, [settlement(0, "failed")]));
    edit(dataDir, (db) => {
      db.exec("CREATE TABLE kept AS SELECT * FROM contents; UPDATE contents SET content = x'00' WHERE seq = 1");
      db.exec(`INSERT INTO quarantined VALUES (1, '${id}', '${ACCOUNT}', 1, 'content', 'the content is too short')`);
    });
    const again = await opened(t, dataDir);
    const step = {
      accountId: ACCOUNT,
      nowMs: NOW_MS + 1,
      expiresAtMs: 2 * NOW_MS,
      limit: 50,
      after: null,
      dryRun: false,
    };
    const retry = async (parts: { messageId?: string; dryRun?: boolean }) => {
      const { recipients, unreadable } = await again.retryFailed({ ...step, ...parts });
      return [recipients.length, unreadable];
    };
    assert.deepEqual(await retry({ messageId: id }), [0, 1]);
    assert.deepEqual(await retry({}), [1, 1], "the other message's only");
    edit(dataDir, (db) => db.exec("DELETE FROM contents; INSERT INTO contents SELECT * FROM kept"));
    assert.deepEqual(await retry({}), [0, 1], "only who is named leaves quarantine");
    assert.deepEqual(await retry({ messageId: id, dryRun: true }), [1, 0]);
    assert.equal((await again.quarantined(10)).count, 1);
    assert.deepEqual(await retry({ messageId: id }), [1, 0]);
    assert.equal((await again.quarantined(10)).count, 0);
    assert.equal((await deliverAll(again)).includes(id), true);
  });

  it("releases a message whose content is repaired, although it was in an attempt", async (t) => {
    const dataDir = tempDir(t);
    const first = await openSpool(dataDir);
    const [id = ""] = await fillSpool(first, { count: 1 });
    await first.close();
    const whole = edit(dataDir, (db) => db.prepare("SELECT content FROM contents").pluck().get());
    edit(dataDir, (db) => db.exec("UPDATE contents SET content = x'00'"));
    const spool = await opened(t, dataDir);
    assert.deepEqual(await deliverAll(spool), []);
    edit(dataDir, (db) => db.prepare("UPDATE contents SET content = ?").run(whole));
    assert.equal(await spool.retry({ accountId: ACCOUNT, messageId: id, nowMs: NOW_MS }), 1);
    assert.deepEqual(await deliverAll(spool), [id]);
  });

  it("is left out of reports: events, replies, tags, checks, policies, notes", async (t) => {
    const dataDir = tempDir(t);
    const spool = await opened(t, dataDir);
    const message = newMessage({ createdAtMs: NOW_MS, tags: ["a"], metadata: { b: "c" } });
    await spool.accept(message);
    await spool.claim(CLAIM);
    await spool.settle(message.id, NOW_MS, [settlement(0, "delivered")]);
    await spool.storeStsPolicy({ ...POLICY, mx: ["mx.example"] });
    const sealed = { selector: "s", publicKey: "", sealedPrivateKey: Buffer.alloc(1), domainsMax: 9, token: "t" };
    await spool.addDomain({ accountId: ACCOUNT, name: "a.example", createdAtMs: 0, checks: {} as never, ...sealed });
    edit(dataDir, (db) => {
      db.exec("UPDATE events SET event = '{'; UPDATE recipients SET smtp = '{'; UPDATE sts_policies SET mx = '{'");
      db.exec("UPDATE messages SET tags = '{', metadata = '[1]'; UPDATE domains SET checks = 'x'");
    });
    const report = await spool.report(message.id);
    assert.deepEqual([report?.tags, report?.metadata, report?.recipients[0]?.smtp], [[], {}, null]);
    assert.deepEqual(
      report?.recipients[0]?.events.map(({ type }) => type),
      ["accepted"],
    );
    assert.deepEqual((await spool.reports.find({ accountId: ACCOUNT, limit: 5 })).messages[0]?.tags, []);
    assert.equal(await spool.stsPolicy(POLICY.domain), null);
    assert.equal((await spool.domainNamed(ACCOUNT, "a.example"))?.checks.spf.state, "pending");
    assert.deepEqual((await spool.quarantined(1)).places.length, 2);
  });
});

const POLICY = { domain: "sts.example", id: "1", mode: "none", fetchedAtMs: NOW_MS, expiresAtMs: 2 * NOW_MS } as const;

/** The cached policy of a domain numbered in the order of names. */
const policyOf = (number: number): StsPolicy => ({
  ...POLICY,
  domain: `p${String(number).padStart(3, "0")}.example`,
  mode: "enforce",
  mx: Array.from({ length: 10 }, (_, i) => `mx${i}.p${number}.customers.example`),
});

const POLICIES = 100;
/** Policies that a page holds. */
const POLICIES_OF_A_PAGE = 12;

const MESSAGES = 120;
const MARKED = 10;

/** A spool in which mail waits, has been marked and has been delivered; every copy of it is damaged in another place. */
async function livedSpool(dataDir: string): Promise<string[]> {
  const spool = await openSpool(dataDir);
  const ids = await fillSpool(spool, { count: MESSAGES, domains: 30, contentBytes: 6000 });
  const { jobs } = await spool.claim({ ...CLAIM, limit: 2 * MARKED });
  for (const [i, { messageId }] of jobs.entries()) {
    await spool.mark({ messageId, positions: [0], atMs: NOW_MS, mx: "mx.example", ip: null });
    if (i >= MARKED) await spool.settle(messageId, NOW_MS, [settlement(0, "delivered")]);
  }
  await spool.writeNote("long", "y".repeat(6000));
  for (let i = 0; i < POLICIES; i += 1) await spool.storeStsPolicy(policyOf(i));
  await spool.close();
  return ids;
}

/** One page of each kind: the middle one, for damage at the end of a table refuses what is new. */
function onePageOfEachKind(pages: Page[]): Page[] {
  const kinds = new Map<string, Page[]>();
  for (const page of pages) kinds.set(kindOf(page), [...(kinds.get(kindOf(page)) ?? []), page]);
  return [...kinds.values()].flatMap((kind) => kind[kind.length >> 1] ?? []);
}

const kindOf = ({ name, type }: Page): string => `${name} ${type}`;

/** Most messages that one page of the kind may take out of the queue; none where it is not named. */
const LOST_MAX: Record<string, number> = {
  "messages leaf": 40,
  "messages internal": MESSAGES,
  "contents leaf": 5,
  "contents internal": MESSAGES,
  "contents overflow": 1,
  "recipients leaf": 70,
  "recipients internal": MESSAGES,
};

/** Without these nothing new can be stored, or not with certainty but once. */
const REFUSES = /^(messages|contents|recipients|idempotency|sqlite_autoindex_messages_1) |^idempotency leaf/;

describe("a page that cannot be read", () => {
  it("of any table or index does not stop the start or anything that can be read", async (t) => {
    const whole = join(tempDir(t), "whole");
    const ids = await livedSpool(whole);
    const pages = onePageOfEachKind(pagesOf(whole));
    assert.ok(pages.length > 35);
    for (const page of pages) await t.test(kindOf(page), (each) => survives(each, { whole, ids, page }));
  });
});

async function survives(t: TestContext, { whole, ids, page }: { whole: string; ids: string[]; page: Page }) {
  const dataDir = join(tempDir(t), "damaged");
  cpSync(whole, dataDir, { recursive: true });
  damagePage(dataDir, page);
  const spool = await opened(t, dataDir);
  const lostMax = LOST_MAX[kindOf(page)] ?? 0;
  const recovered = await spool.recover(NOW_MS, "unknown");
  const isPaused = (await deliveryPause(spool)) !== null;
  assert.equal(isPaused, /^notes (leaf|internal)/.test(kindOf(page)));
  if (isPaused) await spool.resumeDelivery({ nowMs: NOW_MS, waiting: "send" });
  const delivered = await deliverAll(spool);
  assert.equal(new Set(delivered).size, delivered.length);
  const expected = MESSAGES - MARKED - lostMax;
  assert.ok(recovered >= MARKED - lostMax, `${recovered} of ${MARKED} recovered`);
  assert.ok(delivered.length >= expected - MARKED, `${delivered.length} delivered`);
  const { count } = await spool.quarantined(1);
  // What was final before is in no queue that would find it damaged.
  assert.ok(count >= MESSAGES - 2 * MARKED - delivered.length && count <= lostMax, `${count} quarantined`);
  for (const id of ids) await spool.report(id).catch(mustBeDamaged);
  await spool.backlog();
  await storesPolicies(spool, page);
  await spool.writeNote("readiness", "now");
  const message = newMessage({ createdAtMs: NOW_MS, idempotency: { key: "k", payloadHash: "h" } });
  const accepting = spool.accept(message);
  if (REFUSES.test(kindOf(page))) await accepting.catch(mustBeUnavailable);
  else assert.equal((await accepting).type, "accepted");
  await forgetAll(spool);
}

it("retention skips damaged pages and removes all other results", async (t) => {
  for (const [name, most] of [
    ["contents", 10],
    ["messages", 75],
    ["events", 90],
  ] as const) {
    const dataDir = tempDir(t);
    const first = await openSpool(dataDir);
    await fillSpool(first, { count: MESSAGES, domains: 1, contentBytes: 6000 });
    await deliverAll(first);
    await first.close();
    const leaves = pagesOf(dataDir).filter((page) => page.name === name && page.type === "leaf");
    damagePage(dataDir, leaves[leaves.length >> 1] ?? assert.fail());
    const spool = await opened(t, dataDir);
    await forgetAll(spool);
    const left = edit(dataDir, (db) => db.prepare("SELECT seq FROM recipients").pluck().all() as number[]);
    // Those of the page, and the ones beside it: removing them would change the page too.
    assert.ok(left.length <= most, `${name}: ${left.length} left`);
  }
});

it("a retry of failed recipients skips damaged pages and retries all others", async (t) => {
  const whole = join(tempDir(t), "whole");
  const first = await openSpool(whole);
  await fillSpool(first, { count: MESSAGES, domains: 1, contentBytes: 6000 });
  await claimAll(first, (id) => first.settle(id, NOW_MS, [settlement(0, "failed")]));
  await first.close();
  for (const [name, most] of [
    ["messages", 40],
    ["recipients", 75],
    ["contents", 10],
    ["events", 0],
    ["recipients_failed", 0],
    ["recipients_waiting", 0],
  ] as const) {
    const dataDir = join(tempDir(t), "damaged");
    cpSync(whole, dataDir, { recursive: true });
    const leaves = pagesOf(dataDir).filter((page) => page.name === name && page.type === "leaf");
    damagePage(dataDir, leaves[leaves.length >> 1] ?? assert.fail(name));
    const spool = await opened(t, dataDir);
    const { retried, unreadable } = await retryAllFailed(spool);
    assert.equal(retried + unreadable, MESSAGES, name);
    assert.ok(unreadable <= most, `${name}: ${unreadable} unreadable`);
    assert.equal(unreadable > 0, most > 0, `${name}: ${unreadable} unreadable`);
    const { retried: others } = await retryAllFailed(spool);
    assert.equal(others, 0, `${name}: ${others} retried twice`);
  }
});

async function retryAllFailed(spool: SqliteStore): Promise<{ retried: number; unreadable: number }> {
  const step = { accountId: ACCOUNT, nowMs: NOW_MS + 1, expiresAtMs: 2 * NOW_MS, limit: 50, dryRun: false };
  const sum = { retried: 0, unreadable: 0 };
  for (let after: string | null = null, isFirst = true; isFirst || after !== null; isFirst = false) {
    const { recipients, unreadable, next }: RetriedFailed = await spool.retryFailed({ ...step, after });
    sum.retried += recipients.length;
    sum.unreadable += unreadable;
    after = next;
  }
  return sum;
}

/** Each new policy is stored, and the others are kept that can be read. */
async function storesPolicies(spool: SqliteStore, { name, type }: Page): Promise<void> {
  for (const number of [-1, POLICIES / 2, POLICIES]) {
    const policy = { ...policyOf(number), id: "new" };
    await spool.storeStsPolicy(policy);
    assert.deepEqual(await spool.stsPolicy(policy.domain), policy);
  }
  const policies = await Promise.all(Array.from({ length: POLICIES }, (_, i) => spool.stsPolicy(policyOf(i).domain)));
  const lost = policies.filter((policy) => policy === null).length;
  const lostMax = { leaf: POLICIES_OF_A_PAGE, overflow: 1, internal: POLICIES };
  assert.ok(lost <= (name === "sts_policies" ? lostMax[type] : 0), `${lost} policies lost`);
}

/** A page of each kind that waiting mail stands on, and most recipients that damage of it keeps from a change. */
const WAITING_PAGES = [
  ["recipients", 110],
  ["messages", 60],
  ["contents", 0],
  ["events", 0],
  ["recipients_waiting", 0],
  ["recipients_unknown", 0],
] as const;

/** Mail that waits after a first attempt, or, each second message, has had none; copies of it are damaged. */
async function waitingSpool(dataDir: string, dueMs: number): Promise<string[]> {
  const spool = await openSpool(dataDir);
  const ids = await fillSpool(spool, { count: 4 * MESSAGES, domains: 1 });
  const { jobs } = await spool.claim({ ...CLAIM, limit: ids.length });
  for (const [i, { messageId }] of jobs.entries()) {
    if (i % 2 === 0) await spool.settle(messageId, NOW_MS, [settlement(0, "pending", dueMs)]);
    else await spool.release({ messageId, positions: [0] });
  }
  await spool.close();
  return ids;
}

async function heldInHistory(spool: SqliteStore, id: string): Promise<boolean> {
  const report = await spool.report(id).catch(mustBeDamaged);
  return report?.recipients[0]?.events.at(-1)?.type === "unknown";
}

/** A copy of a spool whose middle leaf of a table or index is damaged. */
function damagedCopy(t: TestContext, whole: string, name: string): { dataDir: string; undo: () => void } {
  const dataDir = join(tempDir(t), "damaged");
  cpSync(whole, dataDir, { recursive: true });
  const leaves = pagesOf(dataDir).filter((page) => page.name === name && page.type !== "internal");
  return { dataDir, undo: damagePage(dataDir, leaves[leaves.length >> 1] ?? assert.fail(name)) };
}

describe("damaged pages are skipped", () => {
  it("when messages of a backup are held: all others are held, and damaged ones are not sent", async (t) => {
    const whole = join(tempDir(t), "whole");
    const ids = await waitingSpool(whole, NOW_MS + 1);
    edit(whole, (db) => {
      const pause = JSON.stringify({ backupAtMs: NOW_MS, newestSeq: ids.length });
      db.prepare("INSERT INTO notes (name, text) VALUES (?, ?)").run(PAUSE_NOTE, pause);
    });
    for (const [name, most] of WAITING_PAGES) {
      const { dataDir, undo } = damagedCopy(t, whole, name);
      const spool = await opened(t, dataDir);
      const { held, unreadable } =
        (await spool.resumeDelivery({ nowMs: NOW_MS + 2, waiting: "hold" })) ?? assert.fail("no pause");
      assert.equal(held + unreadable, ids.length, name);
      assert.ok(unreadable <= most, `${name}: ${unreadable} unreadable`);
      assert.equal(unreadable > 0, most > 0, `${name}: ${unreadable} unreadable`);
      assert.equal(await deliveryPause(spool), null);
      assert.equal((await spool.quarantined(0)).count, unreadable, name);
      assert.deepEqual(await deliverAll(spool), [], name);
      const histories = await Promise.all(ids.map((id) => heldInHistory(spool, id)));
      const written = histories.filter(Boolean).length;
      // The look-up of a message beside damaged recipients meets them too.
      assert.ok(written >= held - (name === "events" ? 60 : 2), `${name}: ${written} of ${held} histories written`);
      if (unreadable === 0) continue;

      await spool.close();
      undo();
      const again = await opened(t, dataDir);
      const part = { after: 0, limit: 1000, bytesMax: 1e9 };
      const checked = await again.recheckQuarantined({ ...part, nowMs: NOW_MS + 3, result: "unknown" });
      assert.deepEqual(checked, { released: [], next: null }, "released by the operator alone");
      assert.deepEqual(await deliverAll(again), []);
      const [{ messageId = null } = {}] = (await again.quarantined(1)).messages;
      const id = messageId ?? ids[Number((await again.quarantined(1)).messages[0]?.seq) - 1] ?? assert.fail(name);
      assert.equal(await again.retry({ accountId: ACCOUNT, messageId: id, nowMs: NOW_MS + 3 }), 1);
      assert.deepEqual(await deliverAll(again), [id]);
    }
  });

  it("when waits are shortened: all others are shortened, and the pass ends", async (t) => {
    const whole = join(tempDir(t), "whole");
    const ids = await waitingSpool(whole, NOW_MS + 1e9);
    for (const [name, most] of WAITING_PAGES) {
      const { dataDir } = damagedCopy(t, whole, name);
      const spool = await opened(t, dataDir);
      let shortened = 0;
      let after: WaitPlace | null = null;
      do {
        const step: WaitsShortened = await spool.shortenWaits({
          nowMs: NOW_MS + 1e6,
          longestMs: [0],
          after,
          limit: 50,
        });
        shortened += step.recipients;
        after = step.next;
      } while (after !== null);
      // The messages' own rows do not change.
      const isTouched = name === "recipients";
      assert.ok(shortened >= ids.length / 2 - (isTouched ? most : 0), `${name}: ${shortened} shortened`);
      assert.equal(shortened < ids.length / 2, isTouched, `${name}: ${shortened} shortened`);
    }
  });

  it("when a domain is retried: all others are due", async (t) => {
    const whole = join(tempDir(t), "whole");
    const ids = await waitingSpool(whole, NOW_MS + 1e9);
    for (const [name, most] of WAITING_PAGES) {
      const { dataDir } = damagedCopy(t, whole, name);
      const spool = await opened(t, dataDir);
      const filter = { accountId: ACCOUNT, domain: "d0.example", nowMs: NOW_MS + 1e6, limit: 1000 };
      const due = await spool.retryDomain(filter);
      assert.ok(due >= ids.length / 2 - most, `${name}: ${due} due`);
      assert.equal(due < ids.length / 2, most > 0, `${name}: ${due} due`);
      assert.equal(await spool.retryDomain(filter), 0, `${name}: retried twice`);
    }
  });
});

it("a message accepted after a restore is not held, although retention has removed the newest messages of the backup", async (t) => {
  const dataDir = tempDir(t);
  const first = await openSpool(dataDir);
  await fillSpool(first, { count: 3 });
  await deliverAll(first);
  await first.writeNote(PAUSE_NOTE, JSON.stringify({ backupAtMs: NOW_MS, newestSeq: 3 }));
  await forgetAll(first);
  await first.close();
  const spool = await opened(t, dataDir);
  const accepted = [newMessage({ createdAtMs: NOW_MS }), newMessage({ createdAtMs: NOW_MS })];
  for (const message of accepted) await spool.accept(message);
  const resumed = await spool.resumeDelivery({ nowMs: NOW_MS, waiting: "hold" });
  assert.deepEqual(resumed, { held: 0, unreadable: 0 });
  assert.deepEqual((await deliverAll(spool)).sort(), accepted.map(({ id }) => id).sort());
});

describe("checks of a domain", () => {
  const checksOf = (state: DomainCheck["state"]): DomainChecks => {
    const result = { detail: "", expected: "", found: [], checkedAtMs: 1, standing: true, failedSinceMs: null };
    const check: DomainCheck = { state, ...result };
    return Object.fromEntries(CHECK_NAMES.map((name) => [name, check])) as DomainChecks;
  };

  async function checkedDomain(dataDir: string): Promise<string> {
    const spool = await openSpool(dataDir);
    const sealed = { selector: "s", publicKey: "", sealedPrivateKey: Buffer.alloc(1), domainsMax: 9, token: "t" };
    const checks = checksOf("verified");
    const added = await spool.addDomain({ accountId: ACCOUNT, name: "a.example", createdAtMs: 0, checks, ...sealed });
    const { id } = typeof added === "string" ? assert.fail(added) : added;
    await spool.saveChecks(id, checksOf("failed"), true, 1);
    await spool.close();
    return id;
  }

  for (const damaged of ["x", "", "null", "[]", "{}", '{"spf":null}', '{"spf":{}}']) {
    it(`stored as ${damaged || "nothing"}: the next check replaces them`, async (t) => {
      const dataDir = tempDir(t);
      const id = await checkedDomain(dataDir);
      edit(dataDir, (db) => db.prepare("UPDATE domains SET checks = ?").run(damaged));
      const spool = await opened(t, dataDir);
      await spool.saveChecks(id, checksOf("verified"), true, 1);
      assert.deepEqual((await spool.domainNamed(ACCOUNT, "a.example"))?.checks, checksOf("verified"));
      assert.equal((await spool.checkHistory(ACCOUNT, "a.example", 1))[0]?.state, "verified");
    });
  }

  it("are replaced if their history is damaged", async (t) => {
    const dataDir = tempDir(t);
    const id = await checkedDomain(dataDir);
    damagePage(dataDir, pagesOf(dataDir).find(({ name }) => name === "check_changes") ?? assert.fail());
    const spool = await opened(t, dataDir);
    await spool.saveChecks(id, checksOf("verified"), true, 1);
    assert.deepEqual((await spool.domainNamed(ACCOUNT, "a.example"))?.checks, checksOf("verified"));
  });
});

it("damage means that SQLite cannot read the file, not that an operation fails for now", () => {
  const damage = [
    "SQLITE_CORRUPT",
    "SQLITE_CORRUPT_INDEX",
    "SQLITE_NOTADB",
    "SQLITE_IOERR_READ",
    "SQLITE_IOERR_SHORT_READ",
  ];
  const temporary = [
    "SQLITE_BUSY",
    "SQLITE_FULL",
    "SQLITE_IOERR",
    "SQLITE_IOERR_FSYNC",
    "SQLITE_IOERR_WRITE",
    "SQLITE_NOMEM",
  ];
  for (const code of damage) assert.equal(isDamage(new Sqlite.SqliteError("x", code)), true, code);
  for (const code of temporary) assert.equal(isDamage(new Sqlite.SqliteError("x", code)), false, code);
  assert.equal(isDamage(new Error("x")), false);
});

const mustBeDamaged = (error: unknown): void => assert.ok(error instanceof MessageDamaged, `${error}`);
const mustBeUnavailable = (error: unknown): void => assert.ok(error instanceof SpoolUnavailable, `${error}`);

async function forgetAll(spool: SqliteStore): Promise<void> {
  const step = { contentsBeforeMs: 2 * NOW_MS, resultsBeforeMs: 2 * NOW_MS, nowMs: 2 * NOW_MS, limit: 100 };
  for (let steps = 0; steps < 300; steps += 1) {
    const done = await spool.forget(step).catch(mustBeUnavailable);
    if (done === undefined || !done.isMore) return;
  }
}
