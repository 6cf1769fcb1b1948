/** Entries on a damaged page, and those of single nodes. The rest is in the conformance suite. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { keyValueStore } from "../../../../../src/spool/engine/postgres/cluster/node-values.ts";
import type { Database } from "../../../../../src/spool/engine/postgres/connection/database.ts";
import { PAUSE_ENTRY, UNREADABLE_PAUSE } from "../../../../../src/spool/port/delivery-pause.ts";
import { missingPostgresOrTime } from "../../../../support/postgres/installation.ts";
import { twoNodes } from "../../../../support/postgres/two-nodes.ts";

const failing = (error: object) =>
  keyValueStore({ run: () => Promise.reject(error) } as Partial<Database> as Database, "a");

it("an entry on a damaged page reads as absent, except for the pause, which then holds", async () => {
  const { readValue, readNodeValue } = failing({ severity: "ERROR", code: "XX001" });
  assert.equal(await readValue("windows"), null);
  assert.equal(await readNodeValue("windows"), null);
  assert.equal(await readValue(PAUSE_ENTRY), UNREADABLE_PAUSE);
});

it("any other error is the caller's", async () => {
  const error = new Error("down");
  await assert.rejects(failing(error).readValue(PAUSE_ENTRY), error);
  await assert.rejects(failing(error).readNodeValue("windows"), error);
});

it("nodes have entries of their own, until they have written none for a month", {
  skip: missingPostgresOrTime(),
}, async (t) => {
  const { nodes, client } = await twoNodes(t);
  const [a, b] = [keyValueStore(nodes[0], "a"), keyValueStore(nodes[1], "b")];
  await a.writeValue("windows", "shared");
  await a.writeNodeValue("windows", "of a");
  await b.writeNodeValue("windows", "of b");
  const entries = async () => [
    await b.readValue("windows"),
    await a.readNodeValue("windows"),
    await b.readNodeValue("windows"),
  ];
  assert.deepEqual(await entries(), ["shared", "of a", "of b"]);
  await client.query("UPDATE node_values SET written_at = now() - interval '31 days'");
  await b.writeNodeValue("windows", "of b");
  assert.deepEqual(await entries(), ["shared", null, "of b"]);
});

it("only the entries of live nodes are listed, each once", { skip: missingPostgresOrTime() }, async (t) => {
  const { nodes, client } = await twoNodes(t);
  const [a, b] = [keyValueStore(nodes[0], "a"), keyValueStore(nodes[1], "b")];
  await a.writeNodeValue("traffic", "of a");
  await b.writeNodeValue("traffic", "of b");
  await b.writeNodeValue("windows", "of b");
  const register = (number: number, name: string, leaseUntil: string) =>
    client.query(
      `INSERT INTO nodes (number, slot, name, address, version, schema_version, lease_until)
         VALUES ($1::bigint, ($1::bigint)::int, $2, '', '', 1, now() + $3::interval)`,
      [number, name, leaseUntil],
    );
  await register(1, "a", "1 minute");
  await register(2, "b", "-1 second");
  // A restarted node is listed twice for a moment.
  await register(3, "a", "1 minute");
  assert.deepEqual(await a.readLiveNodeValues("traffic"), ["of a"]);
  await register(4, "b", "1 minute");
  assert.deepEqual(await a.readLiveNodeValues("traffic"), ["of a", "of b"]);
});
