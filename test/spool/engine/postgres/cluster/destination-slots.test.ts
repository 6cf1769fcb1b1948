/** The shared states of destinations in PostgreSQL: several nodes that exchange them, race for slots, join and end. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { exchangeSlots, type SlotReply, type SlotRequest } from "../../../../../src/delivery/throttle/slot-exchange.ts";
import { NodeSlots } from "../../../../../src/spool/engine/postgres/cluster/destination-slots.ts";
import { endNode, insertNode } from "../../../../../src/spool/engine/postgres/cluster/nodes-table.ts";
import { Database } from "../../../../../src/spool/engine/postgres/connection/database.ts";
import { parseDatabaseUrl } from "../../../../../src/spool/engine/postgres/connection/database-url.ts";
import { statement } from "../../../../../src/spool/engine/postgres/connection/statement.ts";
import { SpoolUnavailable } from "../../../../../src/spool/port/errors.ts";
import { freshDatabase } from "../../../../support/postgres/fresh-database.ts";
import { missingPostgresOrTime } from "../../../../support/postgres/installation.ts";

const RULES = { start: 5, limit: 2 };
const NOTHING: Omit<SlotRequest, "keep" | "wanted"> = { isWaiting: true, request: null, results: [], known: null };

const states = statement<{ name: string; state: string }>("SELECT name, state FROM destinations ORDER BY name");
const age = statement(
  "UPDATE destinations SET exchanged_at = clock_timestamp() - interval '61 minutes' WHERE name = $1",
);
const sharing = statement<{ sharing: number | null }>("SELECT sharing FROM nodes WHERE number = $1");

interface TestNode {
  number: number;
  hasOthers: boolean;
  slots: NodeSlots;
  /** Exchanges each of these destinations with a request for so many slots. */
  exchange(names: readonly string[], wanted: number, keep?: number): Promise<Map<string, SlotReply>>;
  slotsOf(name: string, wanted: number, keep?: number): Promise<number>;
}

async function open(t: TestContext) {
  const database = new Database(parseDatabaseUrl((await freshDatabase(t)).url).config);
  t.after(() => database.close());
  let numbers = 0;
  return {
    database,
    /** Registers a node, as after its first heartbeat. */
    async node(): Promise<TestNode> {
      numbers += 1;
      const owner = { number: numbers, hasOthers: false, leaseIsCurrent: () => true };
      const slots = new NodeSlots(database, owner);
      await database.transaction(async (session) => {
        await slots.beforeRegistration(session);
        const identity = { name: `node${owner.number}`, address: "", version: "1" };
        await insertNode(session, { number: owner.number, identity, schemaVersion: 1, isDraining: false });
      });
      slots.registered();
      const exchange = async (names: readonly string[], wanted: number, keep = 0): Promise<Map<string, SlotReply>> => {
        const replies = new Map<string, SlotReply>();
        await slots.exchange(names, (shared) => {
          const { state, reply } = exchangeSlots(shared, { ...NOTHING, wanted, keep }, RULES);
          replies.set(shared.name, reply);
          return state;
        });
        return replies;
      };
      const slotsOf = async (name: string, wanted: number, keep = 0): Promise<number> =>
        (await exchange([name], wanted, keep)).get(name)?.slots ?? assert.fail("no reply");
      return Object.assign(owner, { slots, exchange, slotsOf });
    },
  };
}

/** Heartbeats of all nodes, after which each knows of the others. */
async function heartbeats(...nodes: TestNode[]): Promise<void> {
  for (const node of nodes) {
    node.hasOthers = nodes.length > 1;
    await node.slots.afterHeartbeat();
  }
}

describe("slots of destinations in PostgreSQL", { skip: missingPostgresOrTime(), timeout: 60_000 }, () => {
  it("are never more than the limit, however many nodes ask at the same time", async (t) => {
    const { node } = await open(t);
    const nodes = [await node(), await node(), await node(), await node()];
    await heartbeats(...nodes);
    const names = ["d", "b", "c", "a"];
    let held = nodes.map(() => new Map(names.map((name) => [name, 0])));
    for (let round = 0; round < 25; round += 1) {
      const kept = held;
      const replies = await Promise.all(
        nodes.map(async ({ exchange }, i) => {
          // Every other node gives up what it has.
          const keep = (i + round) % 2 === 0 ? (kept[i]?.get("a") ?? 0) : 0;
          return exchange((i + round) % 3 === 0 ? names.toReversed() : names, 1 + (round % 3), keep);
        }),
      );
      held = replies.map((each) => new Map([...each].map(([name, { slots }]) => [name, slots])));
      for (const name of names) {
        const total = held.reduce((sum, each) => sum + (each.get(name) ?? 0), 0);
        assert.ok(total <= RULES.limit, `${total} slots of ${name} in round ${round}`);
      }
    }
  });

  it("are free as soon as their node has ended", async (t) => {
    const { database, node } = await open(t);
    const [a, b] = [await node(), await node()];
    await heartbeats(a, b);
    assert.equal(await a.slotsOf("mx", 2), 2);
    assert.equal(await b.slotsOf("mx", 2), 0);
    await endNode(database, a.number);
    assert.equal(await b.slotsOf("mx", 2), 2);
    await assert.rejects(a.slotsOf("mx", 1), SpoolUnavailable);
  });

  it("are not given to a node that joins before the first one has registered what it uses", async (t) => {
    const { database, node } = await open(t);
    const a = await node();
    assert.equal(a.slots.areShared, false);
    const b = await node();
    assert.equal(b.slots.areShared, true);
    assert.equal(await b.slotsOf("mx", 2), 0, "the first node may use any number");
    const changes: boolean[] = [];
    a.slots.onSharing(() => void changes.push(a.slots.areShared));
    a.hasOthers = true;
    await a.slots.afterHeartbeat();
    assert.deepEqual(changes, [true]);
    assert.equal(await b.slotsOf("mx", 2), 0, "it has noticed the other one, and not yet registered anything");
    assert.equal(await a.slotsOf("mx", 1, 1), 1);
    assert.equal(await b.slotsOf("mx", 2), 1);
    assert.deepEqual((await database.run(sharing, [a.number])).rows, [{ sharing: 1 }]);
  });

  it("are shared at once beside a node that delivers nothing", async (t) => {
    const { node } = await open(t);
    const [a, b] = [await node(), await node()];
    a.hasOthers = true;
    await a.slots.afterHeartbeat();
    assert.equal(await b.slotsOf("mx", 2), 2);
  });

  it("are not shared any more by a node that is alone again, and what it had registered is over when another joins", async (t) => {
    const { database, node } = await open(t);
    const [a, b] = [await node(), await node()];
    await heartbeats(a, b);
    assert.equal(await a.slotsOf("mx", 2), 2);
    const changes: boolean[] = [];
    a.slots.onSharing(() => void changes.push(a.slots.areShared));
    a.hasOthers = false;
    await a.slots.afterHeartbeat();
    assert.deepEqual(changes, [], "the other one has not ended");
    await endNode(database, b.number);
    await a.slots.afterHeartbeat();
    assert.deepEqual(changes, [false]);
    const c = await node();
    assert.equal(await c.slotsOf("mx", 2), 0);
    a.hasOthers = true;
    await a.slots.afterHeartbeat();
    await a.exchange([], 0);
    assert.deepEqual(changes, [false, true]);
    assert.equal(await c.slotsOf("mx", 2), 2);
  });

  it("are over for a node that registers anew: it begins with nothing", async (t) => {
    const { database, node } = await open(t);
    const [a, b] = [await node(), await node()];
    await heartbeats(a, b);
    assert.equal(await a.slotsOf("mx", 2), 2);
    const before = a.slots.self;
    await endNode(database, a.number);
    a.number = 77;
    await database.transaction(async (session) => {
      await a.slots.beforeRegistration(session);
      const identity = { name: "node1", address: "", version: "1" };
      await insertNode(session, { number: 77, identity, schemaVersion: 1, isDraining: false });
    });
    a.slots.registered();
    assert.notEqual(a.slots.self, before);
    assert.equal(a.slots.areShared, true);
    assert.equal(await b.slotsOf("mx", 2), 2);
  });

  it("leave no state of a destination of which nothing is known, and none that was not used for an hour", async (t) => {
    const { database, node } = await open(t);
    const [a, b] = [await node(), await node()];
    await heartbeats(a, b);
    await a.exchange(["mx.a", "mx.b"], 1);
    await a.exchange(["mx.a"], 0);
    assert.deepEqual(
      (await database.run(states)).rows.map(({ name }) => name),
      ["mx.b"],
    );
    await a.slots.sweep();
    assert.equal((await database.run(states)).count, 1);
    await database.run(age, ["mx.b"]);
    await a.slots.sweep();
    assert.equal((await database.run(states)).count, 0);
  });
});
