/** The pause of delivery after a restore of the database or a failover that lost transactions. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it, type TestContext } from "node:test";
import type { Client } from "pg";
import { systemClock } from "../../../../../src/lib/clock.ts";
import { conclude } from "../../../../../src/spool/engine/postgres/cluster/failover-review.ts";
import { type Timeline, timelineOf } from "../../../../../src/spool/engine/postgres/cluster/timeline.ts";
import { TimelineGuard } from "../../../../../src/spool/engine/postgres/cluster/timeline-guard.ts";
import { Database } from "../../../../../src/spool/engine/postgres/connection/database.ts";
import type { Session } from "../../../../../src/spool/engine/postgres/connection/statement.ts";
import { readDeliveryPause } from "../../../../../src/spool/port/delivery-pause.ts";
import { SpoolUnavailable } from "../../../../../src/spool/port/errors.ts";
import type { Store } from "../../../../../src/spool/port/store.ts";
import { settleMessage } from "../../../../support/attempts.ts";
import { newMessage, settlement } from "../../../../support/messages.ts";
import { freshDatabase, type TestDatabase } from "../../../../support/postgres/fresh-database.ts";
import { missingPostgresOrTime } from "../../../../support/postgres/installation.ts";
import { openNode } from "../../../../support/postgres/open-node.ts";
import { claimAll, NOW_MS } from "../../../port/conformance/suite.ts";

/** A database with a message that waits. */
async function withWaiting(t: TestContext) {
  const database = await freshDatabase(t);
  const { store } = await openNode(t, database.url);
  const message = newMessage();
  await store.accept(message);
  return { database, store, message };
}

/** As in a database that was restored to another server. */
async function restored({ connect }: TestDatabase): Promise<void> {
  const client = await connect();
  await client.query("UPDATE key_values SET text = '1 00000001' WHERE name = 'timeline'");
  await client.end();
}

const EVENTS = {
  accountId: newMessage().accountId,
  filter: { types: null, keys: null, domains: null },
  withDomains: false,
  limit: 100,
};

/** As in a database without the last transaction, which would give its number again. Returns that number. */
async function loseLastEvent(client: Client): Promise<number> {
  const newest = "DELETE FROM events WHERE number = (SELECT max(number) FROM events) RETURNING number";
  const [row] = (await client.query<{ number: string }>(newest)).rows;
  const number = Number(row?.number);
  await client.query("SELECT setval('event_numbers', $1, false)", [number]);
  return number;
}

async function claimedAt(store: Store): Promise<number> {
  return (await store.claim(claimAll())).jobs.length;
}

describe("a database", { skip: missingPostgresOrTime() }, () => {
  it("that was restored sends nothing until an operator decides, and accepts meanwhile", async (t) => {
    const { database, store, message } = await withWaiting(t);
    await store.close();
    await restored(database);
    const { store: node } = await openNode(t, database.url);
    await node.recover(NOW_MS, "unknown");
    const pause = (await readDeliveryPause(node)) ?? assert.fail("delivery is not paused");
    assert.ok(pause.newestSeq > 0 && pause.backupAtMs !== null);
    await node.accept(newMessage());
    assert.equal(await claimedAt(node), 0);
    assert.deepEqual(await node.resumeDelivery({ nowMs: NOW_MS, waiting: "hold" }), { unknown: 1, unreadable: 0 });
    assert.equal((await node.report(message.id))?.recipients[0]?.result, "unknown");
    assert.equal(await claimedAt(node), 1);
    await node.close();
    const { store: next } = await openNode(t, database.url);
    assert.equal(await readDeliveryPause(next), null, "it is paused once");
  });

  it("whose tables were restored from a dump to the same server is paused", async (t) => {
    const { database, store } = await withWaiting(t);
    await store.close();
    const client = await database.connect();
    await client.query(`ALTER TABLE key_values RENAME TO former; CREATE TABLE key_values (LIKE former INCLUDING ALL);
      INSERT INTO key_values SELECT * FROM former; DROP TABLE former`);
    const { store: node } = await openNode(t, database.url);
    assert.notEqual(await readDeliveryPause(node), null);
    assert.equal(await claimedAt(node), 0);
  });

  it("that an operator paused with the documented statement sends nothing at its start", async (t) => {
    const { database, store, message } = await withWaiting(t);
    await store.close();
    const page = readFileSync(new URL("../../../../../docs/CLUSTER.md", import.meta.url), "utf8");
    const [, sql = ""] = /pause delivery with `psql` before the start:\n\n```\n(.+?)```/s.exec(page) ?? [];
    await (await database.connect()).query(sql);
    const { store: node } = await openNode(t, database.url);
    await node.recover(NOW_MS, "unknown");
    assert.equal(await claimedAt(node), 0);
    assert.deepEqual(await node.resumeDelivery({ nowMs: NOW_MS, waiting: "hold" }), { unknown: 1, unreadable: 0 });
    assert.equal((await node.report(message.id))?.recipients[0]?.result, "unknown");
  });

  it("that is the same as before is not paused", async (t) => {
    const { database, store } = await withWaiting(t);
    await store.close();
    const { store: node } = await openNode(t, database.url);
    assert.equal(await readDeliveryPause(node), null);
  });
});

describe("a node that finds another history", { skip: missingPostgresOrTime() }, () => {
  /** A session of which the server seems to be another one, or to have another log, from the second check on. */
  async function moved(t: TestContext, store: Store, { url, connect }: TestDatabase, change: Partial<Timeline>) {
    const client = await connect();
    let shown: Partial<Timeline> = {};
    let onRead = (): void => {};
    const session: Session = {
      async run(query, values = []) {
        const { rows, rowCount } = await client.query(query.text, [...values]);
        const isTimeline = query.text.includes("pg_control_system");
        if (isTimeline) onRead();
        const read = { system: "1", timeline: "00000001", table: 1, insertLsn: 1000, forkLsn: null, forkMs: null };
        return { rows: (isTimeline ? [{ ...read, ...shown }] : rows) as never, count: rowCount ?? 0 };
      },
    };
    const paused: unknown[] = [];
    const database = new Database({ connectionString: url });
    t.after(() => database.close());
    const guard = new TimelineGuard({
      clock: systemClock,
      database,
      name: "node",
      nodeNumber: () => 999,
      ownWork: () => ({ finished: [], attempted: [], owners: [], leased: [], accepted: [], completeSinceMs: null }),
      onPaused: async (_, pause) => void paused.push(pause),
      onLost: () => {},
      onReviewed: () => {},
    });
    await client.query("DELETE FROM key_values WHERE name = 'timeline'");
    await guard.check(session);
    const message = newMessage();
    await store.accept(message);
    await settleMessage(store, message.id, NOW_MS, [settlement(0, "delivered")]);
    const events = await client.query("SELECT seq, id FROM events ORDER BY number DESC LIMIT 1");
    const { seq, id } = events.rows[0];
    guard.committed({ seq: Number(seq), id });
    guard.seen({ flushedLsn: 1000, isSynchronous: false, nowMs: NOW_MS });
    shown = change;
    const show = (next: Partial<Timeline>): void => {
      shown = next;
    };
    const whenRead = (then: () => void): void => {
      onRead = then;
    };
    return { client, database, guard, session, show, whenRead, paused };
  }

  for (const [what, change] of [
    ["on another server", { system: "2" }],
    ["in other tables", { table: 2 }],
    ["on a disk that was put back", { insertLsn: 999 }],
  ] as const) {
    it(`pauses delivery ${what}, although its own last transaction is there`, async (t) => {
      const { database, store } = await withWaiting(t);
      const { guard, session, paused } = await moved(t, store, database, change);
      await assert.rejects(guard.check(session), SpoolUnavailable);
      assert.equal(paused.length, 1);
      assert.notEqual(await readDeliveryPause(store), null);
    });

    it(`pauses delivery if its last transaction is lost ${what}, and rejects the connection once`, async (t) => {
      const { database, store } = await withWaiting(t);
      const { client, guard, session, paused } = await moved(t, store, database, change);
      const lost = await loseLastEvent(client);
      await assert.rejects(guard.check(session), SpoolUnavailable);
      assert.equal(paused.length, 1);
      assert.notEqual(await readDeliveryPause(store), null);
      await guard.check(session);
      const next = newMessage();
      await store.accept(next);
      const page = await store.events({ ...EVENTS, afterNumber: lost });
      assert.ok(page !== "expired", "its place is in the feed");
      assert.deepEqual(
        page.events.map(({ messageId }) => messageId),
        [next.id],
        "a reader that has read the lost event gets the next one",
      );
    });
  }

  it("says after a second promotion what the first one had lost, if its review has not ended", async (t) => {
    const { database, store } = await withWaiting(t);
    const node = await moved(t, store, database, { timeline: "00000002", forkLsn: 999, forkMs: NOW_MS });
    await node.guard.check(node.session);
    assert.ok(node.guard.isReviewing, "another node has not spoken");
    node.show({ timeline: "00000003", forkLsn: 2000, forkMs: NOW_MS });
    await node.guard.check(node.session);
    const last = await timelineOf(node.session);
    const concluded = await node.database.transaction((session) => conclude(session, last, true));
    assert.deepEqual([concluded?.end.isLossy, concluded?.end.fromMs], [true, NOW_MS]);
  });

  it("says nothing of a longer log where commits wait for a standby, because heartbeats do not", async (t) => {
    const { database, store } = await withWaiting(t);
    const change = { timeline: "00000002", forkLsn: 999, forkMs: NOW_MS };
    const node = await moved(t, store, database, change);
    node.guard.seen({ flushedLsn: 1000, isSynchronous: true, nowMs: NOW_MS });
    await node.guard.check(node.session);
    const last = await timelineOf(node.session);
    const concluded = await node.database.transaction((session) => conclude(session, last, true));
    assert.equal(concluded?.end.isLossy, false);
  });

  it("is not another one for a heartbeat that ends while the server is asked", async (t) => {
    const { database, store } = await withWaiting(t);
    const { guard, session, whenRead, paused } = await moved(t, store, database, {});
    whenRead(() => guard.seen({ flushedLsn: 1001, isSynchronous: false, nowMs: NOW_MS }));
    await guard.check(session);
    assert.deepEqual(paused, []);
    assert.equal(await readDeliveryPause(store), null);
  });
});
