/** What remains when a day's contents, or all of it, are deleted, and what the locks keep from changing meanwhile. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import type { Database } from "../../../../../src/spool/engine/postgres/connection/database.ts";
import { isLockTimeout } from "../../../../../src/spool/engine/postgres/connection/database-error.ts";
import { postgresRunner } from "../../../../../src/spool/engine/postgres/connection/postgres-runner.ts";
import { writeEvents } from "../../../../../src/spool/engine/postgres/mail/event-writer.ts";
import { firstNumberAt } from "../../../../../src/spool/engine/postgres/mail/message-number.ts";
import { dropContents, dropDay } from "../../../../../src/spool/engine/postgres/partitions/day-drop.ts";
import { DayScan } from "../../../../../src/spool/engine/postgres/partitions/day-scan.ts";
import { PARTITIONED_TABLES } from "../../../../../src/spool/engine/postgres/partitions/partitions.ts";
import { addToQuarantine } from "../../../../../src/spool/engine/postgres/quarantine/quarantine.ts";
import { retriesOf } from "../../../../../src/spool/store/decide/retries.ts";
import { missingPostgresOrTime } from "../../../../support/postgres/installation.ts";
import { StoredMail, type StoredRecipient } from "../../../../support/postgres/stored-mail.ts";
import { twoNodes } from "../../../../support/postgres/two-nodes.ts";

const DAY_MS = 86_400_000;
const DAY = 20_000;
const START_MS = DAY * DAY_MS;
const LIMIT_MS = START_MS + 10 * DAY_MS;
const WAIT_MS = 10_000;

const open = async (t: TestContext) => {
  const { nodes, client, meet } = await twoNodes(t);
  const mail = new StoredMail(nodes[0]);
  const add = (recipients: StoredRecipient[], accountId = "acc_default") =>
    mail.add({
      createdAtMs: START_MS,
      accountId,
      recipients,
      tags: ["a", `b\0`],
      content: [Buffer.from("first"), Buffer.from("second")],
    });
  const scanned = async (database: Database = nodes[0]) => {
    const scan = new DayScan(DAY, LIMIT_MS);
    assert.equal(await scan.step(database), "complete");
    return scan;
  };
  /** The numbers in each table. */
  const left = async () => {
    const counts: Record<string, number[]> = {};
    for (const table of PARTITIONED_TABLES) {
      const { rows } = await client.query(`SELECT DISTINCT seq FROM ${table} ORDER BY seq`);
      counts[table] = rows.map(({ seq }) => Number(seq));
    }
    return counts;
  };
  const partitionsLeft = async () => {
    const { rows } = await client.query("SELECT relname FROM pg_class WHERE relname ~ '_20000(_kept)?$'");
    return rows.length;
  };
  return { nodes, client, meet, mail, add, scanned, left, partitionsLeft };
};

describe("the contents of a day", { skip: missingPostgresOrTime() }, () => {
  it("are deleted except those of messages to keep, of which nothing changes", async (t) => {
    const { nodes, client, add, scanned, left } = await open(t);
    const [gone, kept] = [await add([{ state: "delivered" }]), await add([{ state: "unknown" }])];
    const find = "SELECT * FROM contents WHERE seq = $1 ORDER BY part";
    const before = (await client.query(find, [kept.seq])).rows;
    const result = await dropContents(nodes[0], await scanned(), WAIT_MS);
    assert.deepEqual(result, { type: "deleted", messages: 1 });
    assert.deepEqual((await client.query(find, [kept.seq])).rows, before);
    const both = [gone.seq, kept.seq];
    assert.deepEqual(await left(), {
      messages: both,
      contents: [kept.seq],
      recipients: both,
      message_tags: both,
      events: both,
    });
    assert.deepEqual((await client.query("SELECT tableoid::regclass::text AS name FROM contents")).rows, [
      { name: "contents_20000" },
      { name: "contents_20000" },
    ]);
  });

  it("are deleted once", async (t) => {
    const { nodes, add, scanned } = await open(t);
    await add([{ state: "delivered" }]);
    const scans = [await scanned(), await scanned(nodes[1])];
    assert.equal((await dropContents(nodes[0], scans[0] as DayScan, WAIT_MS)).type, "deleted");
    assert.equal((await dropContents(nodes[1], scans[1] as DayScan, WAIT_MS)).type, "done");
  });

  it("stay while too much of them must be kept", async (t) => {
    const { nodes, client, add, scanned, left } = await open(t);
    const { seq } = await add([{ state: "unknown" }]);
    await client.query("UPDATE messages SET size_bytes = 100 * 1024 * 1024");
    assert.deepEqual(await dropContents(nodes[0], await scanned(), WAIT_MS), { type: "too_many" });
    assert.deepEqual((await left()).contents, [seq]);
  });
});

describe("a day", { skip: missingPostgresOrTime() }, () => {
  it("is dropped, and what must be kept of it moves to the default partitions", async (t) => {
    const { nodes, client, add, scanned, left, partitionsLeft } = await open(t);
    await add([{ state: "delivered" }]);
    const kept = [await add([{ state: "pending" }]), await add([{ state: "delivered", atMs: LIMIT_MS }], "acc_other")];
    const domainSeq = firstNumberAt(START_MS + 1);
    const event = {
      seq: domainSeq,
      accountId: "acc_default",
      type: "domain.lost",
      recipient: null,
      history: null,
    } as const;
    await nodes[0].transaction((session) =>
      writeEvents(session, [{ ...event, atMs: LIMIT_MS, domain: "shop.example" }]),
    );
    assert.deepEqual(await dropDay(nodes[0], await scanned(), WAIT_MS), { type: "deleted", messages: 1 });
    const seqs = kept.map(({ seq }) => seq);
    assert.deepEqual(await left(), {
      messages: seqs,
      contents: seqs,
      recipients: seqs,
      message_tags: seqs,
      events: [...seqs, domainSeq],
    });
    assert.equal((await client.query("SELECT FROM contents")).rowCount, 4);
    assert.equal((await client.query("SELECT FROM message_tags_default")).rowCount, 4);
    assert.equal(await partitionsLeft(), 0);
    const { rows } = await client.query("SELECT contents_dropped, dropped FROM partitions WHERE day = 20000");
    assert.deepEqual(rows, [{ contents_dropped: true, dropped: true }]);
  });

  it("has its deleted events noted for each account, and not those that are kept", async (t) => {
    const { nodes, client, add, scanned, mail } = await open(t);
    await add([{ state: "delivered" }]);
    const { seq } = await add([{ state: "failed" }]);
    await add([{ state: "pending" }]);
    await add([{ state: "unknown" }], "acc_kept");
    await client.query("INSERT INTO events_pruned VALUES ('acc_high', 1000)");
    await add([{ state: "delivered" }], "acc_high");
    const newest = "SELECT max(number)::int AS number FROM events WHERE seq = $1";
    const [deleted] = (await client.query(newest, [seq])).rows;
    await dropDay(nodes[0], await scanned(), WAIT_MS);
    const { rows } = await client.query("SELECT account_id, number::int FROM events_pruned ORDER BY account_id");
    assert.deepEqual(rows, [
      { account_id: "acc_default", number: deleted.number },
      { account_id: "acc_high", number: 1000 },
    ]);
    assert.deepEqual(await mail.events(seq), []);
  });

  it("takes its quarantined messages along, unless they are kept", async (t) => {
    const { nodes, client, add, scanned } = await open(t);
    const [gone, kept] = [await add([{ state: "failed" }]), await add([{ state: "pending" }])];
    const other = { seq: 1, part: "content", error: new Error("damaged") } as const;
    await addToQuarantine(nodes[0], [other, { ...other, seq: gone.seq }, { ...other, seq: kept.seq }], START_MS);
    await dropDay(nodes[0], await scanned(), WAIT_MS);
    const { rows } = await client.query("SELECT seq::float8 FROM quarantined ORDER BY seq");
    assert.deepEqual(rows, [{ seq: 1 }, { seq: kept.seq }]);
  });

  it("stays while a long read keeps it from being locked, and without any effect", async (t) => {
    const { nodes, client, add, scanned, left, partitionsLeft } = await open(t);
    const { seq } = await add([{ state: "delivered" }]);
    await client.query("BEGIN; SELECT FROM recipients");
    await assert.rejects(dropDay(nodes[0], await scanned(), 20), isLockTimeout);
    await client.query("COMMIT");
    assert.deepEqual((await left()).messages, [seq]);
    assert.equal((await client.query("SELECT FROM events_pruned")).rowCount, 0);
    assert.equal((await dropDay(nodes[0], await scanned(), WAIT_MS)).type, "deleted");
    assert.equal(await partitionsLeft(), 0);
    assert.deepEqual((await left()).messages, []);
  });

  it("is dropped before another node retries a failed recipient, or keeps it", async (t) => {
    const { nodes, client, meet, add, scanned, left } = await open(t);
    await add([{ state: "failed" }]);
    const scan = await scanned();
    const retries = retriesOf(postgresRunner(nodes[1]), () => {});
    const limits = { nowMs: LIMIT_MS, expiresAtMs: LIMIT_MS + DAY_MS, limit: 10, after: null, dryRun: false };
    await meet<unknown>("LOCK TABLE ONLY messages_20000 IN ACCESS EXCLUSIVE MODE", [
      () => retries.retryFailed({ accountId: "acc_default", ...limits }),
      () => dropDay(nodes[0], scan, WAIT_MS),
    ]);
    const { rows } = await client.query("SELECT seq FROM work");
    const retried = rows.map(({ seq }) => Number(seq));
    const { messages, contents, recipients } = await left();
    assert.deepEqual([messages, contents, recipients], [retried, retried, retried]);
  });

  it("takes messages of a later acceptance into the default partitions", async (t) => {
    const { nodes, add, scanned, left } = await open(t);
    await add([{ state: "delivered" }]);
    await dropDay(nodes[0], await scanned(), WAIT_MS);
    const { seq } = await add([{ state: "new" }]);
    assert.deepEqual((await left()).messages, [seq]);
  });
});
