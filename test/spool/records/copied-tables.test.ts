/** The tables of a copy against both schemas: no table and no column of SQLite is forgotten. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import Sqlite from "../../../src/spool/engine/sqlite/connection/driver.ts";
import {
  COPIED_TABLES,
  type CopiedTable,
  ENDPOINT_RETRIES,
  FEEDBACK,
  fitsColumn,
  fitsColumns,
  KEY_VALUES,
  NODE_VALUES,
  QUARANTINED,
} from "../../../src/spool/records/copied-tables.ts";
import { migrate } from "../../../src/spool/schema/sqlite.ts";
import { freshDatabase } from "../../support/postgres/fresh-database.ts";
import { missingPostgres } from "../../support/postgres/installation.ts";

const TABLES = [...COPIED_TABLES, ENDPOINT_RETRIES, FEEDBACK, QUARANTINED, KEY_VALUES];

/** Read by sqlite/copy-messages.ts, with the columns that it reads or that the copy does not need. */
const OF_MESSAGES: Record<string, string> = {
  messages:
    "seq id account_id key_id domain_id created_at_ms expires_at_ms sender subject message_id size_bytes deadline_ms tags metadata test eight_bit request_id idempotency_key",
  contents: "seq content crc32 body_hash tail later_parts",
  content_parts: "number content crc32",
  recipients: "seq position account_id email domain field",
  work: "seq position account_id domain due_ms attempts mark",
  unknown_recipients: "seq position account_id domain attempts at_ms result reason category smtp",
  events: "number seq account_id id at_ms type position result reason category attempts smtp domain history",
  message_tags: "account_id tag seq",
};

const NOT_COPIED = ["password_resets", "sessions", "staged"];

/** Columns of SQLite that PostgreSQL does not have. */
const LEFT_OUT: Record<string, string[]> = { incoming: ["number"], requests: ["place"] };

const POSTGRES_TYPES: Record<string, string> = {
  "timestamp with time zone": "timestamptz",
  boolean: "bool",
  integer: "int",
};

describe("the tables of a copy", () => {
  const db = new Sqlite(":memory:");
  migrate(db);
  const columnsOf = (table: string) =>
    db
      .prepare<[string], { name: string; isRequired: number }>(
        'SELECT name, "notnull" OR pk > 0 AS isRequired FROM pragma_table_info(?)',
      )
      .all(table);

  it("are all that SQLite has, with all columns", () => {
    const known = [...TABLES.map(({ source }) => source), ...Object.keys(OF_MESSAGES), ...NOT_COPIED];
    const all = db.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all();
    assert.deepEqual(all.toSorted(), known.toSorted());
    for (const { source, columns } of TABLES) {
      const stored = columnsOf(source).filter(({ name }) => !LEFT_OUT[source]?.includes(name));
      const nullable = ({ name, isRequired }: { name: string; isRequired: number }) => [name, isRequired === 0];
      assert.deepEqual(
        Object.entries(columns)
          .map(([name, type]) => [name, type.endsWith("?")])
          .toSorted(),
        stored.map(nullable).toSorted(),
        source,
      );
    }
    for (const [table, columns] of Object.entries(OF_MESSAGES)) {
      assert.equal(
        columnsOf(table)
          .map(({ name }) => name)
          .join(" "),
        columns,
      );
    }
  });

  it("have the columns and types that PostgreSQL has", { skip: missingPostgres() }, async (t) => {
    const { connect } = await freshDatabase(t);
    const client = await connect();
    const sql = `SELECT column_name AS name, data_type AS type, is_nullable = 'YES' AS "isNullable"
                   FROM information_schema.columns WHERE table_schema = 'public' AND table_name = $1`;
    for (const { name: table, source, columns } of [...TABLES, NODE_VALUES] as CopiedTable[]) {
      const { rows } = await client.query(sql, [table]);
      const isNumbered = (name: string): boolean => name === "number" && LEFT_OUT[source]?.includes(name) === true;
      assert.deepEqual(
        Object.entries(columns).toSorted(),
        rows
          .filter(({ name }) => !isNumbered(name))
          .map(({ name, type, isNullable }) => [name, `${POSTGRES_TYPES[type] ?? type}${isNullable ? "?" : ""}`])
          .toSorted(),
        table,
      );
    }
  });
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
    [fitsColumns(["a", 1], { a: "text", b: "int" }), fitsColumns(["a"], { a: "text", b: "int" })],
    [true, false],
  );
});
