/** Two nodes, of which one works and one is idle, and a failover that loses what the one did last. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import {
  conclude,
  lastLoss,
  REVIEW_ENTRY,
  type ReviewEnd,
  testify,
} from "../../../../../src/spool/engine/postgres/cluster/failover-review.ts";
import { postgresMaintenance } from "../../../../../src/spool/engine/postgres/cluster/maintenance.ts";
import { Database } from "../../../../../src/spool/engine/postgres/connection/database.ts";
import { readDeliveryPause } from "../../../../../src/spool/port/delivery-pause.ts";
import { SpoolUnavailable } from "../../../../../src/spool/port/errors.ts";
import type { Store } from "../../../../../src/spool/port/store.ts";
import { settleMessage } from "../../../../support/attempts.ts";
import { newMessage, settlement } from "../../../../support/messages.ts";
import { freshDatabase } from "../../../../support/postgres/fresh-database.ts";
import { missingPostgresOrTime } from "../../../../support/postgres/installation.ts";
import { openNode } from "../../../../support/postgres/open-node.ts";
import { startProxy } from "../../../../support/postgres/proxy.ts";
import { startPostgres } from "../../../../support/postgres/server.ts";
import { Standby } from "../../../../support/postgres/standby.ts";
import { claimAll, NOW_MS } from "../../../port/conformance/suite.ts";

const LOOK_EVERY_MS = 50;
/** The standby knows the next 32 numbers of a sequence as given. */
const LOST_MESSAGES = 40;
const ALL = { types: null, keys: null, domains: null };

/** What a busy node did last is not at the standby. */
async function beforeFailover(t: TestContext, { isSynchronous = false } = {}) {
  const primary = await startPostgres({ settings: { max_connections: 60 } });
  t.after(() => primary.close());
  const links = { busy: await startProxy(t, primary.url), idle: await startProxy(t, primary.url) };
  const standby = await Standby.start(primary);
  t.after(() => standby.close());
  if (isSynchronous) await standby.confirmCommits();
  const [busy, idle] = [await openNode(t, links.busy.url), await openNode(t, links.idle.url)];
  return {
    standby,
    links,
    busy: busy.store,
    busyName: busy.name,
    idle: idle.store,
    /** Resolves once the idle node has seen how far the primary's log is now. */
    async idleHasSeen() {
      const beat = "SELECT heartbeat_at > $2::timestamptz AS done FROM nodes WHERE name = $1";
      for (let beats = 0; beats < 2; beats += 1) {
        const [now] = await primary.query<{ at: string }>("SELECT clock_timestamp()::text AS at");
        while ((await primary.query<{ done: boolean }>(beat, [idle.name, now?.at]))[0]?.done !== true)
          await delay(LOOK_EVERY_MS);
      }
    },
    async failOver() {
      await primary.kill();
      await standby.promote();
      for (const link of Object.values(links)) link.redirect(standby.server.port);
    },
  };
}

/** Repeats a call that an outage rejects. */
async function patiently<T>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof SpoolUnavailable)) throw error;
      await delay(LOOK_EVERY_MS);
    }
  }
}

async function reviewed(store: Store): Promise<ReviewEnd> {
  for (;;) {
    const text = await patiently(() => store.readValue(REVIEW_ENTRY));
    const { end = null } = JSON.parse(text ?? "{}") as { end?: ReviewEnd | null };
    if (end !== null) return end;
    await delay(LOOK_EVERY_MS);
  }
}

/** As the service does for what other nodes have left. */
async function recovered(store: Store, result: "unknown" | "pending" = "unknown"): Promise<void> {
  while ((await patiently(() => store.recover(NOW_MS, result))) === 0) await delay(LOOK_EVERY_MS);
}

/** By the nodes that run, by one that starts, and in what the doctor reads. */
async function lossIsReported(
  t: TestContext,
  url: string,
  nodes: Store[],
  { atMs, lostMessages, lostRecipients }: ReviewEnd,
): Promise<void> {
  const started = await openNode(t, url);
  for (const { nodes: operations } of [...nodes, started.store])
    while (operations?.own?.lossAtMs() !== atMs) await delay(LOOK_EVERY_MS);
  await started.store.close();
  const found = await postgresMaintenance(url).check();
  assert.ok(found.type === "database");
  const { atMs: foundAtMs, messages, recipients } = found.loss ?? assert.fail("the doctor finds no loss");
  assert.deepEqual([foundAtMs, messages, recipients], [atMs, lostMessages, lostRecipients]);
}

async function resultOf(store: Store, messageId: string): Promise<string | undefined> {
  return (await patiently(() => store.report(messageId)))?.recipients[0]?.result;
}

async function claimedBy(store: Store): Promise<string[]> {
  const { jobs } = await patiently(() => store.claim(claimAll()));
  return jobs.map(({ messageId }) => messageId);
}

describe("a failover that loses the last transactions", { skip: missingPostgresOrTime(), timeout: 180_000 }, () => {
  it("of one node makes its results unknown, and reports lost messages, also where the other node is idle", async (t) => {
    const { busy, idle, standby, failOver } = await beforeFailover(t);
    const [message, untouched] = [newMessage(), newMessage()];
    await busy.accept(message);
    const { jobs } = await busy.claim(claimAll());
    const [{ lease } = assert.fail("nothing is claimed")] = jobs;
    await busy.accept(untouched);
    await standby.catchUp();
    await standby.stopReceiving();
    assert.equal(
      await busy.mark({
        messageId: message.id,
        positions: [0],
        lease,
        atMs: NOW_MS,
        mx: "mx.example",
        ip: "192.0.2.1",
      }),
      "marked",
    );
    await busy.settle(message.id, NOW_MS, [settlement(0, "delivered")], lease);
    const lost = Array.from({ length: LOST_MESSAGES }, () => newMessage());
    for (const each of lost) assert.equal((await busy.accept(each)).type, "accepted");
    const query = { accountId: message.accountId, afterNumber: null, filter: ALL, withDomains: false, limit: 100 };
    const before = await busy.events(query);
    assert.ok(before !== "expired" && before.events.length === 3 + LOST_MESSAGES);

    await failOver();
    const end = await reviewed(idle);
    assert.deepEqual(
      [end.isLossy, end.isPaused, end.missing, end.lostMessages, end.lostRecipients],
      [true, false, [], LOST_MESSAGES, 1],
    );
    assert.ok((end.fromMs ?? 0) > 0 && (end.toMs ?? 0) >= (end.fromMs ?? 0), "the time is named");
    await lossIsReported(t, standby.server.url, [busy, idle], end);
    await recovered(idle);
    assert.equal(await resultOf(idle, message.id), "unknown");
    for (const { id } of lost) assert.equal(await idle.report(id), null);
    assert.equal(await readDeliveryPause(idle), null);
    // What nobody had touched is sent by either.
    const claimed: string[] = [];
    while (claimed.length === 0) claimed.push(...(await claimedBy(idle)), ...(await claimedBy(busy)));
    assert.deepEqual(claimed, [untouched.id]);
    // A reader that has read the lost events gets the new ones.
    const next = await patiently(() => idle.events({ ...query, afterNumber: before.throughNumber }));
    assert.ok(next !== "expired", "its place is in the feed");
    assert.ok(next.events.some(({ type, messageId }) => type === "recipient.unknown" && messageId === message.id));
  });

  it("leaves an attempt its lease, whose result is then stored, although the mark was lost", async (t) => {
    const { busy, idle, standby, failOver } = await beforeFailover(t);
    const message = newMessage();
    await busy.accept(message);
    await standby.catchUp();
    await standby.stopReceiving();
    const [{ lease } = assert.fail("nothing is claimed")] = (await busy.claim(claimAll())).jobs;
    await busy.mark({ messageId: message.id, positions: [0], lease, atMs: NOW_MS, mx: "mx.example", ip: "192.0.2.1" });
    await failOver();
    await reviewed(idle);
    assert.deepEqual(await claimedBy(idle), []);
    const settled = await patiently(() => busy.settle(message.id, NOW_MS, [settlement(0, "delivered")], lease));
    assert.equal(settled, "settled");
    assert.equal(await resultOf(idle, message.id), "delivered");
  });

  it("makes a recipient unknown whose mark is there, and whose deferral is lost", async (t) => {
    const { busy, idle, standby, failOver } = await beforeFailover(t);
    const [message, held] = [newMessage(), newMessage()];
    await busy.accept(message);
    await busy.accept(held);
    const { jobs } = await busy.claim(claimAll());
    const leaseOf = (id: string) => jobs.find(({ messageId }) => messageId === id)?.lease ?? assert.fail();
    const mark = { positions: [0], atMs: NOW_MS, mx: "mx.example", ip: "192.0.2.1" };
    for (const { id } of [message, held]) await busy.mark({ messageId: id, lease: leaseOf(id), ...mark });
    await standby.catchUp();
    await standby.stopReceiving();
    await busy.settle(message.id, NOW_MS, [settlement(0, "pending", NOW_MS + 1000)], leaseOf(message.id));
    await failOver();
    assert.equal((await reviewed(idle)).lostRecipients, 1);
    await recovered(idle);
    assert.equal(await resultOf(idle, message.id), "unknown");
    await patiently(() => busy.settle(held.id, NOW_MS, [settlement(0, "delivered")], leaseOf(held.id)));
    assert.equal(await resultOf(idle, held.id), "delivered", "an attempt that goes on has its lease");
  });

  it("makes the leases of a node unknown that ended with the primary, after 10 s", async (t) => {
    const { busy, busyName, idle, standby, failOver, links } = await beforeFailover(t);
    const [message, waiting] = [newMessage(), newMessage()];
    await busy.accept(message);
    await standby.catchUp();
    links.busy.cut();
    await failOver();
    await patiently(() => idle.accept(waiting));
    assert.deepEqual(await claimedBy(idle), [], "nothing is claimed before");
    const end = await reviewed(idle);
    assert.deepEqual([end.isPaused, end.missing, end.lostRecipients], [false, [busyName], 1]);
    await recovered(idle);
    assert.equal(await resultOf(idle, message.id), "unknown");
    assert.deepEqual(await claimedBy(idle), [waiting.id]);
  });

  it("of a node that ended with the primary is found by what another one has seen, which did nothing", async (t) => {
    const { busy, busyName, idle, idleHasSeen, standby, failOver, links } = await beforeFailover(t);
    const message = newMessage();
    await busy.accept(message);
    await standby.catchUp();
    await standby.stopReceiving();
    await settleMessage(busy, message.id, NOW_MS, [settlement(0, "delivered")]);
    await busy.accept(newMessage());
    await idleHasSeen();
    links.busy.cut();
    await failOver();
    const end = await reviewed(idle);
    assert.deepEqual([end.isLossy, end.isPaused, end.missing, end.lostRecipients], [true, false, [busyName], 1]);
    assert.equal(idle.nodes?.own?.lossAtMs(), end.atMs);
    await recovered(idle);
    assert.equal(await resultOf(idle, message.id), "unknown");
  });
});

describe("a failover that loses nothing", { skip: missingPostgresOrTime(), timeout: 180_000 }, () => {
  it("changes no recipient, and pauses nothing", async (t) => {
    const { busy, idle, standby, failOver } = await beforeFailover(t);
    const [delivered, marked] = [newMessage(), newMessage()];
    await busy.accept(delivered);
    await busy.accept(marked);
    const { jobs } = await busy.claim(claimAll());
    const leaseOf = (id: string) => jobs.find(({ messageId }) => messageId === id)?.lease ?? assert.fail();
    for (const { id } of [delivered, marked]) {
      const mark = { positions: [0], lease: leaseOf(id), atMs: NOW_MS, mx: "mx.example", ip: "192.0.2.1" };
      await busy.mark({ messageId: id, ...mark });
    }
    await busy.settle(delivered.id, NOW_MS, [settlement(0, "delivered")], leaseOf(delivered.id));
    await standby.catchUp();
    await failOver();
    const end = await reviewed(idle);
    assert.deepEqual([end.isPaused, end.missing, end.lostMessages, end.lostRecipients], [false, [], 0, 0]);
    await patiently(() => busy.settle(marked.id, NOW_MS, [settlement(0, "delivered")], leaseOf(marked.id)));
    for (const { id } of [delivered, marked]) assert.equal(await resultOf(idle, id), "delivered");
    assert.deepEqual(await claimedBy(idle), []);
    assert.equal(await readDeliveryPause(idle), null);
  });

  it("because commits waited for the standby ends the leases of a node that is gone as after any crash", async (t) => {
    const { busy, busyName, idle, idleHasSeen, failOver, links } = await beforeFailover(t, { isSynchronous: true });
    const message = newMessage();
    await busy.accept(message);
    await idleHasSeen();
    links.busy.cut();
    await failOver();
    const end = await reviewed(idle);
    assert.deepEqual([end.isLossy, end.isPaused, end.missing, end.lostRecipients], [false, false, [busyName], 0]);
    const claimed: string[] = [];
    while (claimed.length === 0) {
      assert.equal(await patiently(() => idle.recover(NOW_MS, "unknown")), 0, "its mark would be there");
      claimed.push(...(await claimedBy(idle)));
    }
    assert.deepEqual(claimed, [message.id]);
  });
});

describe("the record of a loss", { skip: missingPostgresOrTime() }, () => {
  it("stays when the next failover loses nothing", async (t) => {
    const database = new Database({ connectionString: (await freshDatabase(t)).url });
    t.after(() => database.close());
    const timeline = (text: string) => ({
      system: "1",
      timeline: text,
      table: 1,
      insertLsn: 9,
      forkLsn: 9,
      forkMs: NOW_MS,
    });
    const testimony = {
      name: "n1",
      isAhead: false,
      seenMs: NOW_MS + 1,
      forkMs: NOW_MS,
      isSynchronous: false,
      hasLast: false,
      completeSinceMs: null,
      lostMessages: 2,
      lostRecipients: 3,
    };
    assert.equal(await lastLoss(database), null);
    const review = (text: string, spoken: typeof testimony) =>
      database.transaction(async (session) => {
        await testify(session, timeline(text), { number: 1, testimony: spoken });
        return (await conclude(session, timeline(text), true))?.end;
      });
    const loss = await review("00000002", testimony);
    assert.deepEqual(await lastLoss(database), loss);
    const nothing = { ...testimony, hasLast: true, lostMessages: 0, lostRecipients: 0 };
    for (const next of ["00000003", "00000004"]) {
      const end = await review(next, nothing);
      assert.equal(end?.isLossy, false);
      assert.deepEqual(await lastLoss(database), loss);
    }
  });
});
