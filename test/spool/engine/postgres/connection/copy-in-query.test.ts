/** COPY of encoded rows: values of every type arrive as they are, and an error leaves the connection usable. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { copyIn } from "../../../../../src/spool/engine/postgres/connection/copy-in-query.ts";
import { CopyRows } from "../../../../../src/spool/engine/postgres/copy/copy-rows.ts";
import { emptyDatabase } from "../../../../support/postgres/fresh-database.ts";
import { missingPostgresOrTime } from "../../../../support/postgres/installation.ts";

const COPY = "COPY copied FROM STDIN WITH (FORMAT binary)";
const AT_MS = Date.UTC(2026, 1, 3, 4, 5, 6, 789);

describe("COPY", { skip: missingPostgresOrTime() }, () => {
  it("stores values of every type, NULL, and text that no column can have", async (t) => {
    const client = await (await emptyDatabase(t)).connect();
    await client.query("CREATE TABLE copied (a text, b bytea, c int, d bigint, e bool, f timestamptz)");
    const rows = new CopyRows({ a: "text?", b: "bytea?", c: "int?", d: "bigint?", e: "bool?", f: "timestamptz?" });
    const long = "ü€😀".repeat(50_000);
    rows.add({ a: "ü€😀\u0000", b: Buffer.from([0, 255]), c: -5, d: -1025, e: 1, f: AT_MS });
    rows.add({ a: long, b: Buffer.alloc(200_000, 7), c: 2 ** 31 - 1, d: Number.MAX_SAFE_INTEGER, e: 0, f: AT_MS });
    rows.add({ a: "", b: Buffer.alloc(0), c: 0, d: 2 ** 32, e: 0, f: AT_MS });
    rows.add({ a: null, b: null, c: null });
    await copyIn(client, COPY, rows.take());
    const { rows: stored } = await client.query({ text: "SELECT * FROM copied", rowMode: "array" });
    const at = new Date(AT_MS);
    assert.deepEqual(stored, [
      ["ü€😀\uFFFD", Buffer.from([0, 255]), -5, "-1025", true, at],
      [long, Buffer.alloc(200_000, 7), 2 ** 31 - 1, String(Number.MAX_SAFE_INTEGER), false, at],
      ["", Buffer.alloc(0), 0, String(2 ** 32), false, at],
      [null, null, null, null, null, null],
    ]);
    // The next batch.
    assert.equal(rows.count, 0);
    rows.add({ a: "again" });
    await copyIn(client, COPY, rows.take());
    assert.equal((await client.query("SELECT FROM copied")).rowCount, 5);
  });

  it("rejects with the server's error, and with the loss of the connection", async (t) => {
    const { connect } = await emptyDatabase(t);
    const client = await connect();
    await client.query("CREATE TABLE copied (a text NOT NULL)");
    const rows = new CopyRows({ a: "text?" });
    rows.add({ a: null });
    await assert.rejects(copyIn(client, COPY, rows.take()), { code: "23502" });
    await assert.rejects(copyIn(client, "COPY missing FROM STDIN", Buffer.alloc(0)), { code: "42P01" });
    assert.equal((await client.query("SELECT FROM copied")).rowCount, 0);
    const blocker = await connect();
    await blocker.query("BEGIN; LOCK TABLE copied");
    rows.add({ a: "a" });
    const copied = assert.rejects(copyIn(client, COPY, rows.take()));
    const waiting = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    while ((await blocker.query(waiting)).rowCount === 0);
    await copied;
  });
});
