/** Rows as one parameter: both databases read back what it was made of. */
import assert from "node:assert/strict";
import { it } from "node:test";
import Sqlite from "../../../../src/spool/engine/sqlite/connection/driver.ts";
import { jsonRows } from "../../../../src/spool/store/rows/json-rows.ts";
import { freshDatabase } from "../../../support/postgres/fresh-database.ts";
import { missingPostgres } from "../../../support/postgres/installation.ts";

const ROWS = [
  { text: "\"a'\\u0000", count: 2 ** 53 - 1, is: true },
  { text: "\0\ud800", count: -1, is: false },
];
const QUERY = `SELECT CAST(key AS integer) AS position, value ->> 'text' AS text, CAST(value ->> 'count' AS bigint) AS count,
  CAST(value ->> 'is' AS boolean) AS "is" FROM json_each($1) ORDER BY 1`;
const READ = [
  [0, "\"a'\\u0000", 2 ** 53 - 1, true],
  [1, "\uFFFD\uFFFD", -1, false],
];

it("SQLite reads the rows", () => {
  const rows = new Sqlite(":memory:")
    .prepare(QUERY)
    .raw()
    .all({ 1: jsonRows(ROWS) }) as unknown[][];
  const read = rows.map(([position, text, count, is]) => [position, text, count, is === 1]);
  assert.deepEqual(read, READ);
});

it("PostgreSQL reads the rows", { skip: missingPostgres() }, async (t) => {
  const client = await (await freshDatabase(t)).connect();
  const { rows } = await client.query({ text: QUERY, values: [jsonRows(ROWS)], rowMode: "array" });
  assert.deepEqual(
    rows.map(([position, text, count, is]) => [position, text, Number(count), is]),
    READ,
  );
});
