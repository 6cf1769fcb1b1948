/**
 * The tables of a copy from SQLite to PostgreSQL: those that both databases have, with the columns that the target has. Sessions and links
 * for a new password are not copied.
 */
import type { Database } from "better-sqlite3";
import { type Session, statement } from "../engine/postgres/connection/statement.ts";
import type { Columns, ColumnType, Row } from "../records/column-types.ts";
import { TABLES } from "../schema/postgres.ts";

export const NOT_COPIED: readonly string[] = ["sessions", "password_resets"];

/** Tables with rows of messages, which are copied message by message. */
export const MAIL_TABLES = ["messages", "recipients", "work", "unknown_recipients", "events"] as const;

export type MailTable = (typeof MAIL_TABLES)[number];

/** Those, and the tables that are filled from other columns of the source. */
export const OF_MESSAGES: readonly string[] = [...MAIL_TABLES, "message_tags", "contents"];

/** Their rows refer to messages by `seq`, or in a text: each database numbers messages in its own way. */
export const TRANSLATED = ["endpoint_retries", "quarantined", "feedback", "key_values"] as const;

/**
 * Conditions on the rows that are copied: others may be left of endpoints that were removed, or of reports that are damaged. With `+`, SQLite
 * reads the table in any case, and no damaged index.
 */
const WHERE: Record<string, string> = {
  endpoint_attempts: "+endpoint_id IN (SELECT id FROM endpoints NOT INDEXED)",
  endpoint_retries: "+endpoint_id IN (SELECT id FROM endpoints NOT INDEXED)",
  dmarc_report_sources: "+report IN (SELECT id FROM dmarc_reports NOT INDEXED)",
  tls_report_failures: "+report IN (SELECT id FROM tls_reports NOT INDEXED)",
};

export interface CopiedTable {
  name: string;
  /** The columns in the target. */
  columns: Columns;
  /** The primary key in SQLite. */
  key: readonly string[];
  /** A condition on the rows of the source. */
  where: string;
}

const TYPES: Record<string, string> = { "timestamp with time zone": "timestamptz", boolean: "bool", integer: "int" };

const findColumns = statement<{ name: string; type: string; isNullable: boolean }>(
  `SELECT column_name AS name, data_type AS type, is_nullable = 'YES' AS "isNullable" FROM information_schema.columns
     WHERE table_schema = current_schema() AND table_name = $1 ORDER BY ordinal_position`,
);

/** The tables by their names, in an order in which every row follows those that it refers to. */
export async function copiedTables(session: Session, db: Database): Promise<Map<string, CopiedTable>> {
  const tables = new Map<string, CopiedTable>();
  for (const name of TABLES.filter((table) => !NOT_COPIED.includes(table))) {
    const { rows } = await session.run(findColumns, [name]);
    const columns = Object.fromEntries(
      rows.map((row) => [row.name, `${TYPES[row.type] ?? row.type}${row.isNullable ? "?" : ""}` as ColumnType]),
    );
    const key = db
      .prepare<[string], string>("SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk")
      .pluck()
      .all(name);
    tables.set(name, { name, columns, key, where: WHERE[name] ?? "TRUE" });
  }
  return tables;
}

const INT_MAX = 2 ** 31 - 1;

/** Whether the columns can store the row, which may lack some. A damaged row may have other values. */
export const fitsColumns = (row: Row, columns: Columns): boolean =>
  Object.entries(columns).every(([name, type]) => row[name] === undefined || fitsColumn(row[name], type));

/** Whether the column can store the value. */
export function fitsColumn(value: unknown, type: ColumnType): boolean {
  if (value === null) return type.endsWith("?");
  switch (type.replace("?", "")) {
    case "text":
      return typeof value === "string";
    case "bytea":
      return Buffer.isBuffer(value);
    case "bool":
      return value === 0 || value === 1;
    case "int":
      return Number.isInteger(value) && Math.abs(value as number) <= INT_MAX;
    default:
      return Number.isSafeInteger(value);
  }
}
