/** The rows of nodes: slots, leases by the database's clock, and what is left of nodes that have ended. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { announceAddresses } from "../../../../../src/spool/engine/postgres/cluster/node-addresses.ts";
import {
  endExpiredNodes,
  endedNodes,
  endNode,
  forgetNode,
  insertNode,
  listNodes,
  renewNode,
} from "../../../../../src/spool/engine/postgres/cluster/nodes-table.ts";
import { Database } from "../../../../../src/spool/engine/postgres/connection/database.ts";
import { parseDatabaseUrl } from "../../../../../src/spool/engine/postgres/connection/database-url.ts";
import { statement } from "../../../../../src/spool/engine/postgres/connection/statement.ts";
import { freshDatabase } from "../../../../support/postgres/fresh-database.ts";
import { missingPostgresOrTime } from "../../../../support/postgres/installation.ts";

async function open(t: TestContext): Promise<Database> {
  const database = new Database(parseDatabaseUrl((await freshDatabase(t)).url).config);
  t.after(() => database.close());
  return database;
}

const NEW_NODE = {
  identity: { name: "node", address: "10.0.0.1", version: "1.2.3" },
  schemaVersion: 1,
  isDraining: false,
};

function add(database: Database, number: number, name = `node-${number}`): Promise<number | null> {
  const identity = { ...NEW_NODE.identity, name, address: `10.0.0.${number}` };
  return insertNode(database, { ...NEW_NODE, number, identity });
}

const expire = statement("UPDATE nodes SET lease_until = clock_timestamp() - interval '1 s' WHERE number = $1");
const holdDuty = statement("INSERT INTO duties VALUES ('retention', $1, 1, clock_timestamp())");
const endDuty = statement("DELETE FROM duties");

const ACTIVITY = { leases: 0, deliveredLastMinute: 0, isDrained: false };
const renew = (database: Database, number: number, activity = ACTIVITY) => renewNode(database, number, activity);

describe("the table of nodes", { skip: missingPostgresOrTime(), timeout: 60_000 }, () => {
  it("gives each node the lowest free slot, and none when all are in use", async (t) => {
    const database = await open(t);
    for (let slot = 0; slot < 64; slot += 1) assert.equal(await add(database, 100 + slot), slot);
    assert.equal(await add(database, 200), null);
    await endNode(database, 107);
    await endNode(database, 105);
    assert.equal(await add(database, 201), 5);
    assert.equal(await add(database, 202), 7);
    assert.equal(await add(database, 203), null);
  });

  it("lists nodes with what they report, and their states", async (t) => {
    const database = await open(t);
    const beganMs = Date.now();
    for (const [number, name] of [
      [3, "c"],
      [1, "a"],
      [2, "b"],
    ] as const) {
      await add(database, number, name);
      await renew(database, number, { leases: number, deliveredLastMinute: 10 * number, isDrained: true });
    }
    await announceAddresses(database, "c", ["198.51.100.3", "2001:db8::3"]);
    await endNode(database, 1);
    await database.run(expire, [2]);
    const listed = await listNodes(database);
    for (const { startedAtMs, heartbeatAtMs } of listed) {
      assert.ok(startedAtMs >= beganMs - 1 && heartbeatAtMs >= beganMs - 1);
      assert.ok(startedAtMs <= Date.now() + 1 && heartbeatAtMs <= Date.now() + 1);
    }
    const common = { version: "1.2.3", schemaVersion: 1, isDraining: false, isDrained: false, sendingIps: [] };
    const [a, b, c] = [1, 2, 3].map((number) => ({
      ...common,
      number,
      address: `10.0.0.${number}`,
      leases: number,
      deliveredLastMinute: 10 * number,
    }));
    assert.deepEqual(
      listed.map(({ startedAtMs, heartbeatAtMs, ...node }) => node),
      [
        { ...a, name: "a", state: "ended" },
        { ...b, name: "b", state: "expired" },
        { ...c, name: "c", state: "live", sendingIps: ["198.51.100.3", "2001:db8::3"] },
      ],
    );
  });

  it("lists a node as drained once it has reported so and holds no duty", async (t) => {
    const database = await open(t);
    await insertNode(database, { ...NEW_NODE, number: 1, isDraining: true });
    const isDrained = async () => (await listNodes(database))[0]?.isDrained;
    assert.equal(await isDrained(), false);
    await database.run(holdDuty, [1]);
    await renew(database, 1, { ...ACTIVITY, isDrained: true });
    assert.equal(await isDrained(), false);
    await database.run(endDuty);
    assert.equal(await isDrained(), true);
    await renew(database, 1);
    assert.equal(await isDrained(), false);
  });

  it("renews an expired lease unless the node has ended", async (t) => {
    const database = await open(t);
    await add(database, 1);
    await add(database, 2);
    await database.run(expire, [1]);
    const seen = await renew(database, 2);
    assert.deepEqual([seen.isDraining, seen.hasExpired, seen.hasEnded], [false, true, false]);
    assert.ok(Math.abs(seen.nowMs - Date.now()) < 5000);
    assert.equal((await renew(database, 1)).isDraining, false);
    assert.equal((await renew(database, 2)).hasExpired, false);
    await endNode(database, 1);
    assert.equal((await renew(database, 1)).isDraining, null);
    assert.equal((await renew(database, 2)).hasEnded, true);
  });

  it("ends the others whose leases expired before a moment", async (t) => {
    const database = await open(t);
    for (const number of [1, 2, 3]) await add(database, number);
    await database.run(expire, [1]);
    await database.run(expire, [2]);
    const { nowMs } = await renew(database, 3);
    assert.deepEqual(await endExpiredNodes(database, { number: 1, beforeMs: nowMs - 10_000 }), []);
    assert.deepEqual(await endExpiredNodes(database, { number: 1, beforeMs: nowMs }), [{ number: 2, name: "node-2" }]);
    assert.deepEqual(await endExpiredNodes(database, { number: 1, beforeMs: nowMs }), []);
  });

  it("gives an ended node to one recovery at a time, until it is forgotten", async (t) => {
    const database = await open(t);
    for (const number of [1, 2, 3]) await add(database, number);
    await endNode(database, 1);
    await endNode(database, 2);
    await database.transaction(async (session) => {
      assert.deepEqual(await endedNodes(session), [1, 2]);
      assert.deepEqual(await endedNodes(database), []);
      await forgetNode(session, 1);
      await forgetNode(session, 3);
    });
    assert.deepEqual(await endedNodes(database), [2]);
    assert.deepEqual(
      (await listNodes(database)).map(({ number }) => number),
      [2, 3],
    );
  });
});
