/** The tables of a copy against both schemas: no table and no column of SQLite is forgotten. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { copiedTables, fitsColumn, fitsColumns, NOT_COPIED } from "../../../src/spool/copy/copied-tables.ts";
import { sessionOn } from "../../../src/spool/engine/postgres/connection/database.ts";
import Sqlite from "../../../src/spool/engine/sqlite/connection/driver.ts";
import { migrate } from "../../../src/spool/schema/sqlite.ts";
import { freshDatabase } from "../../support/postgres/fresh-database.ts";
import { missingPostgres } from "../../support/postgres/installation.ts";

/** Parts of contents are rows of contents in the target; those that are staged belong to no message. */
const OF_SQLITE_ALONE = ["content_parts", "staged"];

/** Columns of SQLite that PostgreSQL does not have, or does not have as they are. */
const LEFT_OUT: Record<string, string[]> = {
  // A content of before checksums gets one.
  contents: ["tail", "crc32"],
  unknown_recipients: ["result", "reason", "category", "smtp"],
};

it("all that SQLite has is copied, with all columns", { skip: missingPostgres() }, async (t) => {
  const db = new Sqlite(":memory:");
  t.after(() => db.close());
  migrate(db);
  const { connect } = await freshDatabase(t);
  const tables = await copiedTables(sessionOn(await connect()), db);
  const all = db.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all();
  for (const name of all.filter((each) => ![...NOT_COPIED, ...OF_SQLITE_ALONE].includes(each))) {
    const stored = db
      .prepare<[string], { name: string; isRequired: number }>(
        'SELECT name, "notnull" OR pk > 0 AS isRequired FROM pragma_table_info(?)',
      )
      .all(name);
    const columns = tables.get(name)?.columns ?? assert.fail(name);
    for (const column of stored) {
      if (LEFT_OUT[name]?.includes(column.name)) continue;
      const type = columns[column.name] ?? assert.fail(`${name}.${column.name}`);
      assert.equal(!type.endsWith("?"), column.isRequired === 1, `${name}.${column.name}`);
      assert.match(type, /^(?:text|bytea|int|bigint|bool|timestamptz)\??$/);
    }
  }
});

it("a value of another type, or without one, does not fit a column", () => {
  assert.deepEqual(
    [fitsColumn("a", "text"), fitsColumn(1, "text"), fitsColumn(null, "text"), fitsColumn(null, "text?")],
    [true, false, false, true],
  );
  assert.deepEqual(
    [fitsColumn(2 ** 40, "bigint"), fitsColumn(2 ** 40, "int"), fitsColumn(0.5, "bigint")],
    [true, false, false],
  );
  assert.deepEqual([fitsColumn(1, "bool"), fitsColumn(2, "bool")], [true, false]);
  assert.deepEqual([fitsColumn(Buffer.alloc(1), "bytea"), fitsColumn("a", "bytea")], [true, false]);
  assert.deepEqual(
    [fitsColumns({ a: "text" }, { a: "text", owner: "bigint?" }), fitsColumns({ a: 1 }, { a: "text" })],
    [true, false],
  );
});
