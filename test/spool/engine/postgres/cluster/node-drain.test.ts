/** Which nodes a name drains and resumes, and that the last one goes on claiming. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import {
  drainNodes,
  hasClaimingSibling,
  resumeNodes,
} from "../../../../../src/spool/engine/postgres/cluster/node-drain.ts";
import { endNode, insertNode, listNodes } from "../../../../../src/spool/engine/postgres/cluster/nodes-table.ts";
import { Database } from "../../../../../src/spool/engine/postgres/connection/database.ts";
import { statement } from "../../../../../src/spool/engine/postgres/connection/statement.ts";
import { freshDatabase } from "../../../../support/postgres/fresh-database.ts";
import { missingPostgresOrTime } from "../../../../support/postgres/installation.ts";
import { twoNodes } from "../../../../support/postgres/two-nodes.ts";

async function open(t: TestContext, names: string[]): Promise<Database> {
  const database = new Database({ connectionString: (await freshDatabase(t)).url });
  t.after(() => database.close());
  await register(database, names);
  return database;
}

async function register(database: Database, names: string[]): Promise<void> {
  for (const [i, name] of names.entries()) {
    const identity = { name, address: "", version: "1" };
    await insertNode(database, { number: i + 1, identity, schemaVersion: 1, isDraining: false });
  }
}

const expire = statement("UPDATE nodes SET lease_until = clock_timestamp() - interval '1 s' WHERE number = $1");

async function draining(database: Database): Promise<string[]> {
  return (await listNodes(database)).filter(({ isDraining }) => isDraining).map(({ name }) => name);
}

describe("draining by name", { skip: missingPostgresOrTime(), timeout: 60_000 }, () => {
  it("drains one node, or all processes of a host", async (t) => {
    const database = await open(t, ["web", "web#1", "web#2", "web1", "web1#1", "other"]);
    assert.deepEqual(await drainNodes(database, "web#2"), { type: "draining", names: ["web#2"] });
    assert.deepEqual(await draining(database), ["web#2"]);
    assert.deepEqual(await drainNodes(database, "web"), { type: "draining", names: ["web", "web#1", "web#2"] });
    assert.deepEqual(await draining(database), ["web", "web#1", "web#2"]);
    assert.deepEqual(await resumeNodes(database, "web#1"), { type: "resumed", names: ["web#1"] });
    assert.deepEqual(await resumeNodes(database, "web"), { type: "resumed", names: ["web", "web#2"] });
    assert.deepEqual(await draining(database), []);
    assert.deepEqual(await resumeNodes(database, "web"), { type: "not_draining" });
  });

  it("names all nodes when there is none of the name", async (t) => {
    const database = await open(t, ["b", "a", "gone"]);
    await endNode(database, 3);
    for (const change of [drainNodes, resumeNodes]) {
      for (const name of ["c", "gone", "", "%", "a#1"])
        assert.deepEqual(await change(database, name), { type: "unknown_node", names: ["a", "b"] });
    }
  });

  it("is refused when no other live node would claim", async (t) => {
    const database = await open(t, ["a", "b", "c"]);
    await database.run(expire, [3]);
    assert.deepEqual(await drainNodes(database, "a"), { type: "draining", names: ["a"] });
    assert.deepEqual(await drainNodes(database, "b"), { type: "last_node" });
    assert.deepEqual(await draining(database), ["a"]);
    // Repeating it is no change.
    assert.deepEqual(await drainNodes(database, "a"), { type: "draining", names: ["a"] });
    await resumeNodes(database, "a");
    assert.deepEqual(await drainNodes(database, "b"), { type: "draining", names: ["b"] });
  });

  it("is refused for one of the last two when both are drained at the same time", async (t) => {
    const { nodes, meet } = await twoNodes(t);
    const [one, two] = nodes;
    await register(one, ["a", "b"]);
    const results = await meet("LOCK TABLE nodes IN ACCESS EXCLUSIVE MODE", [
      () => drainNodes(one, "a"),
      () => drainNodes(two, "b"),
    ]);
    assert.deepEqual(results.map(({ type }) => type).sort(), ["draining", "last_node"]);
    assert.equal((await draining(one)).length, 1);
  });

  it("knows whether another process of the host claims", async (t) => {
    const database = await open(t, ["web#1", "web#2", "other#1"]);
    assert.equal(await hasClaimingSibling(database, "web#1"), true);
    assert.equal(await hasClaimingSibling(database, "other#1"), false);
    await drainNodes(database, "web#2");
    assert.equal(await hasClaimingSibling(database, "web#1"), false);
    assert.equal(await hasClaimingSibling(database, "web#2"), true);
    await resumeNodes(database, "web#2");
    await database.run(expire, [2]);
    assert.equal(await hasClaimingSibling(database, "web#1"), false);
  });
});
