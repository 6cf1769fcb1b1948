/**
 * Parts of the file that can be made anew: an index holds nothing that its table does not, and the notes may be lost. What
 * is damaged is taken out of the schema, not dropped: SQLite would read its pages for that. The pages stay in the file,
 * unused, until it is copied by VACUUM INTO or a backup.
 */
import type { Database } from "better-sqlite3";
import { type DamageLog, isDamage } from "./damage.ts";
import { isUnavailable } from "./database.ts";

interface SchemaRow {
  name: string;
  tableName: string;
  sql: string;
}

/** After a disk that was full, or a file that another process held. */
const AGAIN_MS = 60_000;

/** Of a partial index. */
const CONDITION = /\bWHERE\b[\s\S]*$/;

export class Rebuilding {
  #db: Database;
  #damage: DamageLog;
  #triedIndexes = false;
  #triedNotes = false;
  /** When making an index failed for another reason than damage, by performance.now(). */
  #postponedAtMs: number | null = null;

  constructor(db: Database, damage: DamageLog) {
    this.#db = db;
    this.#damage = damage;
  }

  /** Whether `indexes` has been called: what is damaged since then is not an index, or cannot be made anew. */
  get hasTriedIndexes(): boolean {
    return this.#triedIndexes;
  }

  /**
   * Reads every index and makes the damaged ones anew, outside of any transaction; once in the life of a process, for it
   * reads all of them. Returns whether there was one.
   */
  indexes(): boolean {
    if (this.#triedIndexes) return false;
    return this.#rebuildIndexes();
  }

  /** Whether it is time for `indexesAgain`, which goes on with what the disk has refused. */
  get isDueAgain(): boolean {
    return this.#postponedAtMs !== null && performance.now() - this.#postponedAtMs >= AGAIN_MS;
  }

  indexesAgain(): boolean {
    return this.isDueAgain && this.#rebuildIndexes();
  }

  #rebuildIndexes(): boolean {
    this.#triedIndexes = true;
    this.#postponedAtMs = null;
    const all = this.#db
      .prepare<[], SchemaRow>(
        "SELECT name, tbl_name AS tableName, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL",
      )
      .all();
    const anew = all.filter((index) => !this.#isReadable(index) && this.#makeAnew("name", [index]));
    return anew.length > 0;
  }

  /** Makes the table of notes anew, empty, outside of any transaction, once in the life of a process. */
  notes(): boolean {
    if (this.#triedNotes) return false;
    this.#triedNotes = true;
    const tables = this.#db
      .prepare<[], SchemaRow>("SELECT name, tbl_name AS tableName, sql FROM sqlite_schema WHERE name = 'notes'")
      .all();
    return this.#makeAnew("tbl_name", tables);
  }

  #isReadable({ name, tableName, sql }: SchemaRow): boolean {
    const [condition = ""] = CONDITION.exec(sql) ?? [];
    try {
      // For count(*) alone SQLite would read whichever index is shortest.
      this.#db.prepare(`SELECT total(1) FROM ${tableName} INDEXED BY ${name} ${condition}`).get();
      return true;
    } catch (error) {
      if (!isDamage(error)) throw error;
      this.#damage.note(`the index ${name}`, error);
      return false;
    }
  }

  #makeAnew(column: "name" | "tbl_name", parts: SchemaRow[]): boolean {
    const db = this.#db;
    db.exec("BEGIN IMMEDIATE");
    try {
      // The schema's own table is closed to changes otherwise.
      db.unsafeMode(true);
      db.pragma("writable_schema = ON");
      for (const { name } of parts) db.prepare(`DELETE FROM sqlite_schema WHERE ${column} = ?`).run(name);
      db.pragma("writable_schema = RESET");
      for (const { sql } of parts) db.exec(sql);
      db.exec("COMMIT");
      return true;
    } catch (error) {
      if (db.inTransaction) db.exec("ROLLBACK");
      db.pragma("writable_schema = RESET");
      if (!isUnavailable(error)) throw error;
      if (!isDamage(error)) this.#postponedAtMs = performance.now();
      for (const { name, tableName } of parts) this.#damage.note(`${tableName}, of which ${name} is made`, error);
      return false;
    } finally {
      db.unsafeMode(false);
    }
  }
}
