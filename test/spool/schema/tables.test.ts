/** Both databases get the shared tables with the same columns. */
import assert from "node:assert/strict";
import { it } from "node:test";
import Sqlite from "../../../src/spool/engine/sqlite/connection/driver.ts";
import { migrate } from "../../../src/spool/schema/sqlite.ts";
import { FOURTH_TABLES, SECOND_TABLES, SHARED_TABLES, THIRD_TABLES } from "../../../src/spool/schema/tables.ts";
import { freshDatabase } from "../../support/postgres/fresh-database.ts";
import { missingPostgres } from "../../support/postgres/installation.ts";

const NAMES = [...`${SHARED_TABLES}${SECOND_TABLES}${THIRD_TABLES}${FOURTH_TABLES}`.matchAll(/CREATE TABLE (\w+)/g)]
  .map(([, name = ""]) => name)
  .sort();
const INTEGERS = ["bigint", "integer", "boolean"];
const TYPES: Record<string, string> = { text: "TEXT", bytea: "BLOB" };
const typeOf = (type: string): string => (INTEGERS.includes(type) ? "INTEGER" : (TYPES[type] ?? type));

interface Column {
  table: string;
  name: string;
  type: string;
  isNullable: boolean;
}

function sqliteColumns(): Column[] {
  const db = new Sqlite(":memory:");
  migrate(db);
  return NAMES.flatMap((table) => {
    const columns = db.pragma(`table_info(${table})`) as { name: string; type: string; notnull: number; pk: number }[];
    return columns.map(({ name, type, notnull, pk }) => ({ table, name, type, isNullable: notnull === 0 && pk === 0 }));
  });
}

it("the shared tables have the same columns on both databases", { skip: missingPostgres() }, async (t) => {
  const { connect } = await freshDatabase(t);
  const client = await connect();
  const { rows } = await client.query<Column>(
    `SELECT table_name AS "table", column_name AS name, data_type AS type, is_nullable = 'YES' AS "isNullable"
       FROM information_schema.columns WHERE table_schema = 'public' AND table_name = ANY ($1)
      ORDER BY table_name COLLATE "C", ordinal_position`,
    [NAMES],
  );
  assert.ok(NAMES.length > 30);
  assert.deepEqual(
    rows.map((column) => ({ ...column, type: typeOf(column.type) })),
    sqliteColumns(),
  );
});
