/** Duties: one node at a time holds each, nodes share them, and another takes those of a node that is gone. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { NodeDuties } from "../../../../../src/spool/engine/postgres/cluster/duties.ts";
import { endNode, insertNode } from "../../../../../src/spool/engine/postgres/cluster/nodes-table.ts";
import { Database } from "../../../../../src/spool/engine/postgres/connection/database.ts";
import { parseDatabaseUrl } from "../../../../../src/spool/engine/postgres/connection/database-url.ts";
import { statement } from "../../../../../src/spool/engine/postgres/connection/statement.ts";
import { type FakeClock, fakeClock } from "../../../../support/fake-clock.ts";
import { freshDatabase } from "../../../../support/postgres/fresh-database.ts";
import { missingPostgresOrTime } from "../../../../support/postgres/installation.ts";

const NAMES = ["checks", "retention"] as const;
const BOTH = "checks retention";

type Name = (typeof NAMES)[number];

interface Holder {
  number: number;
  clock: FakeClock;
  duties: NodeDuties<Name>;
  /** The duties held, after each call of the listener. */
  changes: string[];
  renew(options?: { isDraining: boolean }): Promise<void>;
  held(): string;
}

async function open(t: TestContext): Promise<Database> {
  const database = new Database(parseDatabaseUrl((await freshDatabase(t)).url).config);
  t.after(() => database.close());
  return database;
}

/** By default each duty is a group of its own, so that one node may have both. */
async function holder(
  database: Database,
  number: number,
  { groups = NAMES.map((name): Name[] => [name]), version = "1" }: { groups?: Name[][]; version?: string } = {},
): Promise<Holder> {
  const identity = { name: `node-${number}`, address: "", version };
  await insertNode(database, { number, identity, schemaVersion: 1, isDraining: false });
  const clock = fakeClock();
  const duties = new NodeDuties(clock, groups);
  const held = (): string => NAMES.filter((name) => duties.holds(name)).join(" ");
  const changes: string[] = [];
  duties.onChange(() => void changes.push(held()));
  const renew = ({ isDraining } = { isDraining: false }) => duties.renew(database, { number, isDraining });
  return { number, clock, duties, changes, held, renew };
}

const oneGroup = { groups: [[...NAMES]] };
const expire = statement("UPDATE duties SET until = clock_timestamp() - interval '1 s'");
const expireNode = statement("UPDATE nodes SET lease_until = clock_timestamp() - interval '1 s' WHERE number = $1");
const list = statement<{ name: string; owner: number | null; epoch: number; secondsLeft: number }>(
  `SELECT name, owner, epoch, round(extract(epoch FROM until - clock_timestamp()))::int AS "secondsLeft" FROM duties
    ORDER BY name`,
);

async function owners(database: Database): Promise<(number | null)[]> {
  return (await database.run(list)).rows.map(({ owner }) => owner);
}

describe("duties", { skip: missingPostgresOrTime(), timeout: 60_000 }, () => {
  it("are not taken again by a node that has stopped, whose heartbeats go on for a moment", async (t) => {
    const database = await open(t);
    const [a, b] = [await holder(database, 1), await holder(database, 2)];
    await a.renew();
    a.duties.stop();
    await a.renew();
    assert.deepEqual([a.held(), await owners(database)], ["", [null, null]]);
    await b.renew();
    assert.equal(b.held(), BOTH);
  });

  it("are held by the first node, and by no other while it renews them", async (t) => {
    const database = await open(t);
    const [a, b] = [await holder(database, 1), await holder(database, 2)];
    await a.renew();
    await b.renew();
    await a.renew();
    assert.deepEqual([a.held(), b.held()], [BOTH, ""]);
    assert.deepEqual([a.changes, b.changes], [[BOTH], []]);
    const row = { owner: 1, epoch: 1, secondsLeft: 6 };
    assert.deepEqual((await database.run(list)).rows, [
      { name: "checks", ...row },
      { name: "retention", ...row },
    ]);
  });

  it("have one holder each when nodes ask at the same time", async (t) => {
    const database = await open(t);
    const holders: Awaited<ReturnType<typeof holder>>[] = [];
    for (const number of [1, 2, 3, 4]) holders.push(await holder(database, number));
    for (let round = 0; round < 20; round += 1) {
      await database.run(expire);
      await Promise.all(holders.map(({ renew }) => renew()));
      const { rows } = await database.run(list);
      for (const { name, owner } of rows) {
        const at = holders.filter(({ duties }) => duties.holds(name as Name));
        assert.deepEqual(
          at.map(({ number }) => number),
          [owner],
        );
      }
    }
  });

  it("end 5 s after a renewal was sent, before others may take them", async (t) => {
    const database = await open(t);
    const [a, b] = [await holder(database, 1), await holder(database, 2)];
    await a.renew();
    const tenure = a.duties.tenure("checks");
    await a.clock.advance(4999);
    assert.equal(a.held(), BOTH);
    await a.clock.advance(1);
    assert.equal(a.held(), "");
    assert.deepEqual(a.changes, [BOTH, ""]);
    assert.equal(tenure?.isLatest(), true);
    await a.clock.advance(1000);
    assert.equal(tenure?.isLatest(), false);
    await b.renew();
    assert.equal(b.held(), "");
    await database.run(expire);
    await b.renew();
    assert.equal(b.held(), BOTH);
    assert.deepEqual((await database.run(list)).rows[0]?.epoch, 2);
  });

  it("end when the host was suspended, while the monotonic clock stood still", async (t) => {
    const a = await holder(await open(t), 1);
    await a.renew();
    const tenure = a.duties.tenure("checks");
    a.clock.step(6000);
    assert.equal(a.held(), "");
    assert.equal(tenure?.isLatest(), false);
  });

  it("are lost and gained where another node has held them meanwhile", async (t) => {
    const database = await open(t);
    const [a, b] = [await holder(database, 1), await holder(database, 2)];
    await a.renew();
    const tenure = a.duties.tenure("checks");
    await a.renew();
    assert.equal(a.duties.tenure("checks"), tenure);
    for (const { renew } of [b, a]) {
      await database.run(expire);
      await renew();
    }
    assert.deepEqual(a.changes, [BOTH, "", BOTH]);
    assert.notEqual(a.duties.tenure("checks"), tenure);
    await b.renew();
    assert.deepEqual(b.changes, [BOTH, ""]);
  });

  it("are free as soon as their node has ended", async (t) => {
    const database = await open(t);
    const [a, b] = [await holder(database, 1), await holder(database, 2)];
    await a.renew();
    await endNode(database, 1);
    await b.renew();
    assert.equal(b.held(), BOTH);
  });

  it("are left by a draining node at once, and given up with its next heartbeat", async (t) => {
    const database = await open(t);
    const [a, b] = [await holder(database, 1), await holder(database, 2)];
    await a.renew();
    const tenure = a.duties.tenure("checks");
    await a.renew({ isDraining: true });
    assert.deepEqual(a.changes, [BOTH, ""]);
    // Until then, steps under way may store their results.
    assert.equal(tenure?.isLatest(), true);
    assert.deepEqual(await owners(database), [1, 1]);
    await a.renew({ isDraining: true });
    assert.equal(tenure?.isLatest(), false);
    await b.renew();
    await a.renew({ isDraining: true });
    assert.deepEqual([a.held(), b.held()], ["", BOTH]);
  });

  it("are given up by a node that resigns, for good", async (t) => {
    const database = await open(t);
    const [a, b] = [await holder(database, 1), await holder(database, 2)];
    await a.renew();
    const tenure = a.duties.tenure("checks");
    await a.duties.resign(database, 1);
    assert.equal(tenure?.isLatest(), false);
    await a.renew();
    assert.deepEqual(a.changes, [BOTH, ""]);
    assert.deepEqual(await owners(database), [null, null]);
    await b.renew();
    assert.equal(b.held(), BOTH);
  });

  it("are lost at once by a node that was fenced", async (t) => {
    const database = await open(t);
    const a = await holder(database, 1);
    await a.renew();
    const tenure = a.duties.tenure("checks");
    a.duties.lose();
    a.duties.lose();
    assert.deepEqual(a.changes, [BOTH, ""]);
    assert.equal(tenure?.isLatest(), false);
    assert.deepEqual(a.clock.dueMs, []);
  });
});

describe("duties of a group", { skip: missingPostgresOrTime(), timeout: 60_000 }, () => {
  it("are shared with a node that joins", async (t) => {
    const database = await open(t);
    const a = await holder(database, 1, oneGroup);
    await a.renew();
    assert.equal(a.held(), BOTH);
    const b = await holder(database, 2, oneGroup);
    await b.renew();
    assert.equal(b.held(), "");
    const tenures = [a.duties.tenure("checks"), a.duties.tenure("retention")];
    await a.renew();
    assert.equal(a.held(), "checks");
    // Its steps under way may end.
    assert.equal(tenures[1]?.isLatest(), true);
    await b.renew();
    assert.equal(b.held(), "");
    await a.renew();
    await b.renew();
    await a.renew();
    assert.deepEqual([a.held(), b.held()], ["checks", "retention"]);
    assert.deepEqual([a.changes, b.changes], [[BOTH, "checks"], ["retention"]]);
    assert.equal(a.duties.tenure("checks"), tenures[0]);
    assert.equal(tenures[1]?.isLatest(), false);
  });

  it("all go to the node that is left", async (t) => {
    const database = await open(t);
    const [a, b] = [await holder(database, 1, oneGroup), await holder(database, 2, oneGroup)];
    await a.renew();
    await b.renew();
    assert.deepEqual([a.held(), b.held()], ["checks", "retention"]);
    await database.run(expire);
    await database.run(expireNode, [1]);
    await b.renew();
    assert.equal(b.held(), BOTH);
  });

  it("are not left to a node of another version, which may not know them", async (t) => {
    const database = await open(t);
    const a = await holder(database, 1, oneGroup);
    const b = await holder(database, 2, { ...oneGroup, version: "2" });
    await b.renew();
    await a.renew();
    assert.deepEqual([a.held(), b.held()], ["", BOTH]);
  });
});
