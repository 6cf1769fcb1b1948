/**
 * Reads whole tables for a copy of the spool. Rows that cannot be read are left out and noted: of a damaged part of a table, the
 * rows before the first unreadable page and after the last one are read.
 */
import type { Database } from "better-sqlite3";
import { isDamage } from "../engine/sqlite/files/damage.ts";
import type { Row } from "../records/column-types.ts";
import { type CopiedTable, fitsColumns } from "./copied-tables.ts";
import type { CopyDamage } from "./copy-damage.ts";

/** Returns the rows of a table, in the order of its key unless it is damaged. */
export function* tableRows(db: Database, table: CopiedTable, damage: CopyDamage): Generator<Row> {
  for (const row of readableRows(db, table, damage)) {
    if (fitsColumns(row, table.columns)) yield row;
    else damage.note(table.name, { place: `the table ${table.name}`, error: "a row cannot be decoded" });
  }
}

function* readableRows(db: Database, table: CopiedTable, damage: CopyDamage): Generator<Row> {
  let last: Row | null = null;
  try {
    for (const row of rowsInOrder(db, table, "ASC")) {
      last = row;
      yield row;
    }
    return;
  } catch (error) {
    if (!isDamage(error)) throw error;
    damage.note(table.name, { place: `the table ${table.name}`, error: (error as Error).message });
  }
  const keyOf = (row: Row): string => JSON.stringify(table.key.map((name) => row[name]));
  try {
    for (const row of rowsInOrder(db, table, "DESC")) {
      if (last !== null && keyOf(row) === keyOf(last)) return;
      yield row;
    }
  } catch (error) {
    if (!isDamage(error)) throw error;
  }
}

function rowsInOrder(db: Database, { name, key, where }: CopiedTable, order: "ASC" | "DESC"): Iterable<Row> {
  const ordered = key.map((column) => `"${column}" ${order}`).join(", ");
  return db.prepare<[], Row>(`SELECT * FROM ${name} NOT INDEXED WHERE ${where} ORDER BY ${ordered}`).iterate();
}
