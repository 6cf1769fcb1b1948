/** The nodes of a database as operators see and drain them. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import type { NodeReport, Nodes } from "../../../../../src/spool/port/nodes.ts";
import type { Store } from "../../../../../src/spool/port/store.ts";
import { claimMessage, markMessage } from "../../../../support/attempts.ts";
import { newMessage, recipientsAt, settlement } from "../../../../support/messages.ts";
import { freshDatabase } from "../../../../support/postgres/fresh-database.ts";
import { missingPostgresOrTime } from "../../../../support/postgres/installation.ts";
import { openNode } from "../../../../support/postgres/open-node.ts";
import { claimAll, NOW_MS } from "../../../port/conformance/suite.ts";

const nodesOf = ({ nodes }: Store): Nodes => nodes ?? assert.fail("a database has nodes");

async function reportOf(store: Store, name: string): Promise<NodeReport> {
  return (await nodesOf(store).list()).find((node) => node.name === name) ?? assert.fail(`${name} is not listed`);
}

/** Resolves with the first report that fulfils `condition`. */
async function untilReport(store: Store, name: string, condition: (report: NodeReport) => boolean) {
  for (;;) {
    const report = await reportOf(store, name);
    if (condition(report)) return report;
  }
}

async function twoStores(t: TestContext) {
  const { url, connect } = await freshDatabase(t);
  const [first, second] = [await openNode(t, url), await openNode(t, url)];
  return { url, connect, first, second };
}

describe("nodes of a database", { skip: missingPostgresOrTime(), timeout: 120_000 }, () => {
  it("are listed with their leases and what they delivered, for the command line too", async (t) => {
    const { url, first, second } = await twoStores(t);
    const { store: client } = await openNode(t, url, "client");
    assert.equal(nodesOf(client).own, null);
    const own = nodesOf(first.store).own ?? assert.fail();
    await own.announceSendingIps(["198.51.100.7"]);
    const message = newMessage({ recipients: recipientsAt("a.example", 3) });
    await first.store.accept(message);
    assert.equal(own.leases(), 3);
    const held = await untilReport(client, first.name, ({ leases }) => leases === 3);
    assert.deepEqual(
      { ...held, startedAtMs: 0, heartbeatAtMs: 0 },
      {
        name: first.name,
        address: "192.0.2.1",
        version: "0",
        startedAtMs: 0,
        heartbeatAtMs: 0,
        state: "live",
        isDraining: false,
        leases: 3,
        deliveredLastMinute: 0,
        sendingIps: ["198.51.100.7"],
      },
    );
    const [job] = (await first.store.claim(claimAll(NOW_MS))).jobs;
    assert.ok(job);
    const settlements = [settlement(0, "delivered"), settlement(1, "failed"), settlement(2, "delivered")];
    await first.store.settle(message.id, NOW_MS, settlements, job.lease);
    assert.equal(own.leases(), 0);
    const settled = await untilReport(client, first.name, ({ leases }) => leases === 0);
    assert.equal(settled.deliveredLastMinute, 2);
    assert.equal((await reportOf(client, second.name)).deliveredLastMinute, 0);
    await second.store.close();
    // A registration whose reply came too late, on a busy machine, lasts until its lease expires.
    for (let names = ["", ""]; names.length > 1; ) names = (await nodesOf(client).list()).map(({ name }) => name);
    assert.deepEqual(
      (await nodesOf(client).list()).map(({ name }) => name),
      [first.name],
    );
  });

  it("drain: what is held goes to others, what is in an attempt is completed, new mail is left to others", async (t) => {
    const { first, second } = await twoStores(t);
    const attempted = newMessage();
    const held = newMessage();
    await first.store.accept(attempted);
    const lease = await markMessage(first.store, attempted.id, [0]);
    await first.store.accept(held);
    const own = nodesOf(first.store).own ?? assert.fail();

    assert.deepEqual(await nodesOf(second.store).drain(first.name), { type: "draining", names: [first.name] });
    const draining = await untilReport(second.store, first.name, ({ leases }) => leases === 1 && own.isDraining);
    assert.equal(draining.state, "draining");
    assert.equal(own.isDraining, true);
    assert.equal(await own.isHostDraining(), true);

    const later = newMessage();
    assert.equal((await first.store.accept(later)).type, "accepted");
    assert.deepEqual((await first.store.claim(claimAll(NOW_MS))).jobs, []);
    const claimed = new Set<string>();
    while (claimed.size < 2) {
      for (const { messageId } of (await second.store.claim(claimAll(NOW_MS))).jobs) claimed.add(messageId);
    }
    assert.deepEqual(claimed, new Set([held.id, later.id]));
    assert.equal((await reportOf(second.store, first.name)).state, "draining");

    assert.equal(await first.store.settle(attempted.id, NOW_MS, [settlement(0, "delivered")], lease), "settled");
    const drained = await untilReport(second.store, first.name, ({ state }) => state === "drained");
    assert.equal(drained.leases, 0);

    assert.deepEqual(await nodesOf(second.store).resume(first.name), { type: "resumed", names: [first.name] });
    await untilReport(second.store, first.name, ({ state }) => state === "live" && !own.isDraining);
    const last = newMessage();
    await first.store.accept(last);
    assert.equal((await claimMessage(first.store, last.id)).length, 1);
  });

  it("are not drained before the release of what they held is stored", async (t) => {
    const { first, second, connect } = await twoStores(t);
    await first.store.accept(newMessage());
    const blocker = await connect();
    await blocker.query("BEGIN; LOCK TABLE work IN SHARE MODE");
    await nodesOf(second.store).drain(first.name);
    const isDraining = await untilReport(
      second.store,
      first.name,
      ({ leases, state }) => leases === 0 && state !== "live",
    );
    const later = ({ heartbeatAtMs }: NodeReport) => heartbeatAtMs > isDraining.heartbeatAtMs;
    assert.equal((await untilReport(second.store, first.name, later)).state, "draining");
    await blocker.query("COMMIT");
    await untilReport(second.store, first.name, ({ state }) => state === "drained");
  });

  it("complete their draining although the connection is lost in a release", async (t) => {
    const { first, second, connect } = await twoStores(t);
    await first.store.accept(newMessage());
    const blocker = await connect();
    await blocker.query("BEGIN; LOCK TABLE work IN SHARE MODE");
    await nodesOf(second.store).drain(first.name);
    const kill = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE 'UPDATE work%'`;
    const killer = await connect();
    while ((await killer.query(kill)).rowCount === 0);
    await blocker.query("COMMIT");
    await untilReport(second.store, first.name, ({ state }) => state === "drained");
    const left = await blocker.query("SELECT FROM work WHERE owner IS NOT NULL");
    assert.equal(left.rowCount, 0);
  });
});
