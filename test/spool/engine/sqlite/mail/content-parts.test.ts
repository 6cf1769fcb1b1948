/** Large contents in parts: what an acceptance that fails, a crash, retention and damage leave of them. */

import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { runBatch } from "../../../../../src/spool/engine/sqlite/connection/batch.ts";
import { openDatabase } from "../../../../../src/spool/engine/sqlite/connection/database.ts";
import type { Writer, WriterListeners } from "../../../../../src/spool/engine/sqlite/connection/open-writer.ts";
import { WriterClient } from "../../../../../src/spool/engine/sqlite/connection/writer-client.ts";
import type { Request } from "../../../../../src/spool/engine/sqlite/connection/writer-operations.ts";
import { failed, type Reply, sentReplies } from "../../../../../src/spool/engine/sqlite/connection/writer-protocol.ts";
import { openStore } from "../../../../../src/spool/engine/sqlite/connection/writer-store.ts";
import { ContentSender } from "../../../../../src/spool/engine/sqlite/mail/content-sender.ts";
import { claimOf, type SentClaim, sentMessage } from "../../../../../src/spool/engine/sqlite/mail/mail-codec.ts";
import { openSqliteSpool, type SqliteStore } from "../../../../../src/spool/engine/sqlite/sqlite-spool.ts";
import { settleMessage } from "../../../../support/attempts.ts";
import { ACCOUNT, CLAIM, deliverAll, edit, NOW_MS, OWNED_CLAIM, openSpool } from "../../../../support/damaged-spool.ts";
import { newMessage, settlement } from "../../../../support/messages.ts";
import { tempDir } from "../../../../support/temp-dir.ts";
import { largeContent, partsOf, wholeContent } from "../../../../support/whole-content.ts";

const PART_BYTES = 1000;

async function openAt(t: TestContext, dataDir: string): Promise<SqliteStore> {
  const spool = await openSpool(dataDir, PART_BYTES);
  t.after(() => spool.close());
  return spool;
}

const large = (sizeBytes: number, parts: Parameters<typeof newMessage>[0] = {}) =>
  newMessage({ createdAtMs: NOW_MS, expiresAtMs: NOW_MS + 48 * 3_600_000, content: largeContent(sizeBytes), ...parts });

const count = (dataDir: string, table: string): number =>
  edit(dataDir, (db) => db.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get() ?? 0);

/** Waits until no parts are listed for removal; each read is behind the removals requested so far. */
async function removed(spool: SqliteStore, dataDir: string): Promise<void> {
  while (count(dataDir, "staged") > 0) await spool.backlog();
}

/** Stores parts without their message, and ends as a killed process does. Returns the number of their tail. */
function stageOnly(dataDir: string, parts: number): number {
  const db = openDatabase(dataDir, "write");
  const store = openStore(db);
  let tail: number | null = null;
  for (let part = 1; part <= parts; part += 1) {
    const request: Request = ["stage", { messageId: "msg_lost", tail, part, bytes: Buffer.alloc(PART_BYTES) }];
    const [reply] = runBatch(store, [request]);
    assert.ok(reply?.ok);
    tail = reply.value as number;
  }
  db.close();
  return tail ?? assert.fail();
}

describe("parts of a content that was not accepted", () => {
  it("are removed by the start after a crash, and those of accepted contents are not", async (t) => {
    const dataDir = tempDir(t);
    const message = large(20_000);
    const first = await openSpool(dataDir, PART_BYTES);
    await first.accept(message);
    await first.close();
    const tail = stageOnly(dataDir, 50);
    assert.equal(count(dataDir, "content_parts"), 19 + 50);
    const spool = await openAt(t, dataDir);
    await spool.recover(NOW_MS, "unknown");
    await removed(spool, dataDir);
    assert.equal(count(dataDir, "content_parts"), 19);
    assert.ok((await wholeContent(spool, message.id)).equals(message.content));
    const later = large(3000);
    await spool.accept(later);
    assert.ok(tail > 0 && (await partsOf(spool, later.id)).length > 0);
  });

  it("stay while only a command uses the spool: the service may be storing them", async (t) => {
    const dataDir = tempDir(t);
    const command = await openAt(t, dataDir);
    stageOnly(dataDir, 3);
    await command.accept(large(5000, { quotaDaily: 1, recipients: [] }));
    const refused = large(5000, { quotaDaily: 1, recipients: recipients(2) });
    assert.equal((await command.accept(refused)).type, "quota_exceeded");
    while (count(dataDir, "content_parts") > 3 + 4) await command.backlog();
    assert.deepEqual([count(dataDir, "staged"), count(dataDir, "content_parts")], [1, 3 + 4]);
  });

  it("are removed after a rejection, a replay and an error", async (t) => {
    const dataDir = tempDir(t);
    const spool = await openAt(t, dataDir);
    const idempotency = { key: "k", payloadHash: "h" };
    const first = large(40_000, { idempotency });
    await spool.accept(first);
    assert.deepEqual(await spool.accept(large(40_000, { idempotency })), { type: "replayed", id: first.id });
    assert.equal(
      (await spool.accept(large(40_000, { idempotency: { ...idempotency, payloadHash: "other" } }))).type,
      "idempotency_key_reused",
    );
    assert.equal(
      (await spool.accept(large(40_000, { quotaDaily: 1, recipients: recipients(2) }))).type,
      "quota_exceeded",
    );
    await assert.rejects(spool.accept(large(40_000, { id: first.id })), /UNIQUE/);
    await removed(spool, dataDir);
    assert.deepEqual([count(dataDir, "messages"), count(dataDir, "content_parts")], [1, 39]);
    assert.ok((await wholeContent(spool, first.id)).equals(first.content));
  });

  it("are never removed while they are being stored", async (t) => {
    const dataDir = tempDir(t);
    const spool = await openAt(t, dataDir);
    const messages = Array.from({ length: 5 }, () => large(30_000));
    let isDone = false;
    const accepting = Promise.all(messages.map((message) => spool.accept(message))).finally(() => {
      isDone = true;
    });
    const step = { nowMs: NOW_MS, contentsBeforeMs: 0, resultsBeforeMs: 0, limit: 100 };
    while (!isDone) await spool.applyRetention(step);
    assert.ok((await accepting).every(({ type }) => type === "accepted"));
    for (const { id, content } of messages) assert.ok((await wholeContent(spool, id)).equals(content));
  });
});

it("a message whose parts were being stored when the clock was set back is due at once", (t) => {
  const db = openDatabase(tempDir(t), "write");
  t.after(() => db.close());
  const store = openStore(db);
  const run = (request: Request): unknown => {
    const [reply] = runBatch(store, [request]);
    assert.ok(reply?.ok);
    return reply.value;
  };
  const accept = (aheadMs: number, isSetBack: boolean): void => {
    const message = large(1500, { createdAtMs: NOW_MS + aheadMs });
    const [first, bytes] = [message.content.subarray(0, 1000), message.content.subarray(1000)];
    const number = run(["stage", { messageId: message.id, tail: null, part: 1, bytes }]) as number;
    const step = { nowMs: NOW_MS, longestMs: [0], after: null, limit: 100 };
    if (isSetBack) run(["shortenWaits", step]);
    run(["accept", sentMessage(message, { first, tail: { number, parts: 1 } })]);
  };
  accept(3_600_000, false);
  accept(3_600_000, true);
  accept(0, true);
  const claim = { ...OWNED_CLAIM, nowMs: NOW_MS };
  const dates = () =>
    claimOf(run(["claim", claim]) as SentClaim, claim.owner).jobs.map(({ createdAtMs }) => createdAtMs - NOW_MS);
  assert.deepEqual(
    dates().sort((a, b) => a - b),
    [0, 3_600_000, 3_600_000],
    "the first was brought forward by the second's step",
  );
});

function recipients(many: number) {
  return Array.from({ length: many }, (_, i) => ({ email: `u${i}@a.example`, domain: "a.example" }));
}

it("retention removes the parts with the content, in bounded steps, and a half-removed content is never sent", async (t) => {
  const dataDir = tempDir(t);
  const first = await openSpool(dataDir, PART_BYTES);
  const [done, waiting] = [large(41_000), large(41_000)];
  for (const message of [done, waiting]) await first.accept(message);
  await settleMessage(first, done.id, NOW_MS, [settlement(0, "failed")]);
  await first.close();
  const spool = await openAt(t, dataDir);
  const step = { nowMs: 2 * NOW_MS, contentsBeforeMs: 2 * NOW_MS, resultsBeforeMs: 0, limit: 100 };
  const left: number[] = [];
  for (let isMore = true; isMore; ) {
    ({ isMore } = await spool.applyRetention(step));
    left.push(count(dataDir, "content_parts") - 40);
    const retry = {
      accountId: ACCOUNT,
      nowMs: NOW_MS + 1,
      expiresAtMs: 3 * NOW_MS,
      limit: 9,
      after: null,
      dryRun: true,
    };
    assert.equal((await spool.retryFailed(retry)).contentDeleted, 1);
  }
  assert.deepEqual(left, [24, 8, 0]);
  assert.equal(count(dataDir, "staged"), 0);
  assert.ok((await wholeContent(spool, waiting.id)).equals(waiting.content));
});

/** What may be wrong with the later parts of the first of two messages. */
const DAMAGE: Record<string, string> = {
  "a byte of the last part":
    "UPDATE content_parts SET content = CAST(replace(content, 'line 00400', 'line 00X00') AS BLOB) WHERE number = 1028",
  "a part of another length": "UPDATE content_parts SET content = substr(content, 2) WHERE number = 1025",
  "a part that is missing": "DELETE FROM content_parts WHERE number = 1026",
  "two parts exchanged":
    "UPDATE content_parts SET number = 1 WHERE number = 1025; UPDATE content_parts SET number = 1025 WHERE number = 1026; UPDATE content_parts SET number = 1026 WHERE number = 1",
  "the parts of another message": "UPDATE contents SET tail = 2 WHERE seq = 1",
  "fewer parts": "UPDATE contents SET later_parts = 3 WHERE seq = 1",
  "another body hash": "UPDATE contents SET body_hash = 'x' WHERE seq = 1",
};

describe("damage of a content in parts", () => {
  for (const [name, sql] of Object.entries(DAMAGE)) {
    it(`${name}: its message is quarantined, and released once it is repaired`, async (t) => {
      const dataDir = tempDir(t);
      const first = await openSpool(dataDir, PART_BYTES);
      const messages = [large(5000), large(5000)];
      const ids = messages.map(({ id }) => id);
      for (const message of messages) await first.accept(message);
      await first.close();
      edit(dataDir, (db) => {
        db.exec("CREATE TABLE kept AS SELECT * FROM contents; CREATE TABLE kept_parts AS SELECT * FROM content_parts");
        db.exec(sql);
      });
      const spool = await openAt(t, dataDir);
      assert.deepEqual(await deliverAll(spool), [ids[1]]);
      const { count: quarantined, messages: listed } = await spool.quarantined(10);
      assert.deepEqual([quarantined, listed[0]?.messageId, listed[0]?.part], [1, ids[0], "content"]);
      assert.equal(await spool.reports.contentOf(ACCOUNT, ids[0] ?? ""), null);
      const check = { after: 0, limit: 10, bytesMax: 1e9, nowMs: NOW_MS + 1, result: "unknown" } as const;
      assert.deepEqual((await spool.recheckQuarantined(check)).released, []);
      edit(dataDir, (db) => {
        db.exec("DELETE FROM contents; INSERT INTO contents SELECT * FROM kept");
        db.exec("DELETE FROM content_parts; INSERT INTO content_parts SELECT * FROM kept_parts");
      });
      assert.equal((await spool.recheckQuarantined(check)).released.length, 1);
      assert.deepEqual(await deliverAll(spool), [ids[0]]);
    });
  }
});

it("reports show a content in parts whole", async (t) => {
  const spool = await openAt(t, tempDir(t));
  const message = large(50_000);
  await spool.accept(message);
  assert.ok((await spool.reports.contentOf(ACCOUNT, message.id))?.equals(message.content));
  assert.equal((await spool.reports.viewOf(ACCOUNT, message.id))?.sizeBytes, 50_000);
  assert.equal(await spool.reports.contentOf("acc_other", message.id), null);
});

it("a message larger than what may wait for the writer is accepted when nothing else waits", async (t) => {
  const spool = await openSqliteSpool({ dataDir: tempDir(t), role: "service", onFatal: assert.fail });
  t.after(() => spool.close());
  const message = newMessage({ content: largeContent(66 * 1024 * 1024), bodyHash: "not computed here" });
  assert.equal((await spool.accept(message)).type, "accepted");
  const claimed = await spool.claim({ ...CLAIM, nowMs: 2_000_000 });
  assert.equal(claimed.jobs[0]?.sizeBytes, message.content.length);
  const parts = await partsOf(spool, message.id);
  assert.ok(parts.length > 200 && Buffer.concat(parts).equals(message.content));
});

it("a content whose body is not hashed yet has one part, whatever its size", async (t) => {
  const spool = await openAt(t, tempDir(t));
  const message = large(20_000, { bodyHash: null });
  await spool.accept(message);
  const { first, laterParts, bodyHash } = await spool.content(message.id);
  assert.deepEqual([first.equals(message.content), laterParts, bodyHash], [true, 0, null]);
});

it("a content given up while the disk fails is removed when asked again", async (t) => {
  const store = openStore(openDatabase(tempDir(t), "write"));
  t.after(() => store.db.close());
  let failing: string[] = ["accept", "discard"];
  const listening: WriterListeners[] = [];
  const writer: Writer = {
    post(message) {
      if (message.type !== "batch") return;
      const replies = message.requests.map((request): Reply => {
        if (failing.includes(request[0])) return failed(new Error("disk I/O error"));
        return runBatch(store, [request])[0] ?? assert.fail();
      });
      setImmediate(() => listening[0]?.message({ type: "replies", replies: sentReplies(replies) }));
    },
    listen: (listeners) => void listening.push(listeners),
    ended: new Promise(() => {}),
  };
  const client = new WriterClient(writer);
  client.listen({ committed() {}, due() {}, eventsAdded() {}, synced() {}, damaged() {}, failed: assert.fail });
  const sender = new ContentSender(client, PART_BYTES);
  const parts = () => store.db.prepare<[], number>("SELECT count(*) FROM content_parts").pluck().get();
  await assert.rejects(sender.accept(large(5000)), /disk I\/O error/);
  await sender.removeGivenUp();
  assert.equal(parts(), 4);
  failing = [];
  await sender.removeLeftBehind();
  assert.equal(parts(), 4, "the writer still expects its message");
  await sender.removeGivenUp();
  assert.equal(parts(), 0);
});

it("a repeated request to remove parts does not remove those of a later content", (t) => {
  const store = openStore(openDatabase(tempDir(t), "write"));
  t.after(() => store.db.close());
  const ask = (request: Request): unknown => {
    const [reply] = runBatch(store, [request]);
    assert.ok(reply?.ok);
    return reply.value;
  };
  const stage = (messageId: string): number =>
    ask(["stage", { messageId, tail: null, part: 1, bytes: Buffer.alloc(PART_BYTES) }]) as number;
  const first = stage("msg_first");
  ask(["discard", first]);
  const second = stage("msg_second");
  ask(["discard", first]);
  assert.deepEqual(store.db.prepare("SELECT tail FROM staged").pluck().all(), [second]);
  assert.equal(store.db.prepare("SELECT count(*) FROM content_parts").pluck().get(), 1);
});

it("a few parts at most are on their way to the writer, in the order in which messages asked", async () => {
  const sent: Request[][] = [];
  const listening: WriterListeners[] = [];
  const writer: Writer = {
    post(message) {
      if (message.type === "batch") sent.push(message.requests);
    },
    listen: (listeners) => void listening.push(listeners),
    ended: new Promise(() => {}),
  };
  const client = new WriterClient(writer);
  client.listen({ committed() {}, due() {}, eventsAdded() {}, synced() {}, damaged() {}, failed: assert.fail });
  const sender = new ContentSender(client, 70_000);
  const messages = Array.from({ length: 20 }, () => large(280_000));
  const accepted = Promise.all(messages.map((message) => sender.accept(message)));
  const staged: string[] = [];
  await new Promise(setImmediate);
  for (let batches = 0; batches < sent.length; batches += 1) {
    const requests = sent[batches] ?? assert.fail();
    const parts = requests.flatMap((request) => (request[0] === "stage" ? [request[1]] : []));
    const contents = requests.flatMap((request) => (request[0] === "accept" ? [request[1][2]] : []));
    const bytes = [...parts.map((part) => part.bytes), ...contents].reduce((sum, { length }) => sum + length, 0);
    assert.ok(bytes <= 4 * 70_000, `${bytes} bytes in one batch`);
    for (const { bytes } of parts) assert.equal(bytes.byteLength, bytes.buffer.byteLength);
    staged.push(...parts.map(({ messageId }) => messageId));
    const values = requests.map((request) => (request[0] === "stage" ? (request[1].tail ?? 1) : null));
    listening[0]?.message({ type: "replies", replies: { values, failures: new Map() } });
    await new Promise(setImmediate);
  }
  assert.deepEqual(
    await accepted,
    messages.map(() => null),
  );
  assert.deepEqual(
    staged.slice(0, 20),
    messages.map(({ id }) => id),
    "each message's first part before any second one",
  );
  assert.equal(staged.length, 20 * 3);
});
