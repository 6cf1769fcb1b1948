/**
 * Reads whole tables for a copy of the spool. Rows that cannot be read are left out and noted: of a damaged part of a table, the
 * rows before the first unreadable page and after the last one are read.
 */
import type { Database } from "better-sqlite3";
import { type CopiedTable, fitsColumns, type Row } from "../../../records/copied-tables.ts";
import { isDamage } from "../files/damage.ts";
import type { CopyDamage } from "./copy-damage.ts";

/** Returns the rows of a table, in the order of its key unless it is damaged. */
export function* tableRows(db: Database, table: CopiedTable, damage: CopyDamage): Generator<Row> {
  const { source, columns } = table;
  const place = `the table ${source}`;
  for (const row of readableRows(db, table, damage)) {
    if (fitsColumns(row, columns)) yield row;
    else damage.note(source, { place, error: "a row cannot be decoded" });
  }
}

function* readableRows(db: Database, table: CopiedTable, damage: CopyDamage): Generator<Row> {
  const { source, key } = table;
  let last: Row | null = null;
  try {
    for (const row of rowsInOrder(db, table, "ASC")) {
      last = row;
      yield row;
    }
    return;
  } catch (error) {
    if (!isDamage(error)) throw error;
    damage.note(source, { place: `the table ${source}`, error: (error as Error).message });
  }
  const keyOf = (row: Row): string => JSON.stringify(row.slice(-key.length));
  try {
    for (const row of rowsInOrder(db, table, "DESC")) {
      if (last !== null && keyOf(row) === keyOf(last)) return;
      yield row;
    }
  } catch (error) {
    if (!isDamage(error)) throw error;
  }
}

/** The columns, followed by those of the key. */
function rowsInOrder(db: Database, { source, columns, key, where }: CopiedTable, order: "ASC" | "DESC"): Iterable<Row> {
  const selected = [...Object.keys(columns), ...key].map((name) => `"${name}"`).join(", ");
  const condition = where === undefined ? "" : `WHERE ${where}`;
  const ordered = key.map((name) => `"${name}" ${order}`).join(", ");
  const sql = `SELECT ${selected} FROM ${source} NOT INDEXED ${condition} ORDER BY ${ordered}`;
  return db.prepare<[], Row>(sql).raw().iterate();
}
