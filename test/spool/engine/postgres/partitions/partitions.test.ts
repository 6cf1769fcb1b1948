/** The making of partitions by several nodes, ahead and in time, and beside long reads. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isLockTimeout } from "../../../../../src/spool/engine/postgres/connection/database-error.ts";
import {
  PARTITIONED_TABLES,
  Partitions,
  partitionName,
} from "../../../../../src/spool/engine/postgres/partitions/partitions.ts";
import { SpoolUnavailable } from "../../../../../src/spool/port/errors.ts";
import { missingPostgresOrTime } from "../../../../support/postgres/installation.ts";
import { twoNodes } from "../../../../support/postgres/two-nodes.ts";

const DAY_MS = 86_400_000;

describe("partitions", { skip: missingPostgresOrTime() }, () => {
  it("are made once, although two nodes make them at the same time", async (t) => {
    const { nodes, client, meet } = await twoNodes(t);
    const make = nodes.map((node) => () => new Partitions(node).make(10));
    await meet("LOCK TABLE partitions IN ACCESS EXCLUSIVE MODE", make);
    for (const table of PARTITIONED_TABLES) {
      const find = "SELECT FROM pg_inherits WHERE inhparent = $1::regclass AND inhrelid = $2::regclass";
      assert.equal((await client.query(find, [table, partitionName(table, 10)])).rowCount, 1);
    }
    const { rows } = await client.query("SELECT day, dropped FROM partitions WHERE day BETWEEN 1 AND 99");
    assert.deepEqual(rows, [{ day: 10, dropped: false }]);
  });

  it("are made for the present day and two more", async (t) => {
    const { nodes, client } = await twoNodes(t);
    const partitions = new Partitions(nodes[0]);
    await partitions.makeAhead(10 * DAY_MS - 1);
    await partitions.makeAhead(10 * DAY_MS);
    const { rows } = await client.query("SELECT day FROM partitions WHERE day BETWEEN 1 AND 99 ORDER BY day");
    assert.deepEqual(
      rows.map(({ day }) => day),
      [9, 10, 11, 12],
    );
  });

  it("are not made for a day that was dropped: its rows go to the default partition", async (t) => {
    const { nodes, client } = await twoNodes(t);
    await client.query("INSERT INTO partitions (day, dropped) VALUES (10, true)");
    await new Partitions(nodes[0]).make(10);
    assert.deepEqual((await client.query("SELECT to_regclass('messages_10') AS name")).rows, [{ name: null }]);
  });

  it("are refused while a long read keeps them from being attached, and made afterwards", async (t) => {
    const { nodes, client } = await twoNodes(t);
    const partitions = new Partitions(nodes[0]);
    await client.query("BEGIN; SELECT FROM events");
    for (const make of [() => partitions.make(10, 20), () => partitions.makeAhead(10 * DAY_MS)]) {
      await assert.rejects(make(), (error) => error instanceof SpoolUnavailable && isLockTimeout(error));
    }
    await client.query("COMMIT");
    await partitions.make(10);
    assert.equal((await client.query("SELECT FROM partitions WHERE day = 10")).rowCount, 1);
  });
});
