/**
 * Parts of the file that can be made anew: an index holds nothing that its table does not; most notes, and MTA-STS policies
 * that cannot be read, may be lost. What is damaged is taken out of the schema, not dropped: SQLite would read its pages for
 * that. The pages stay in the file, unused, until it is copied by VACUUM INTO or a backup.
 */
import type { Database } from "better-sqlite3";
import { type DamageLog, isDamage } from "./damage.ts";
import { isUnavailable } from "./database.ts";

interface SchemaRow {
  name: string;
  tableName: string;
  /** Null for the index that a UNIQUE column has by itself. */
  sql: string | null;
}

/** After a disk that was full, or a file that another process held. */
const AGAIN_MS = 60_000;

/** Of a partial index. */
const CONDITION = /\bWHERE\b[\s\S]*$/;

export class Rebuilding {
  #db: Database;
  #damage: DamageLog;
  #triedIndexes = false;
  readonly #triedTables = new Set<string>();
  /** When making an index or a table failed for another reason than damage, by performance.now(). */
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

  /** Whether the disk, or another process, has refused it: it is tried again later. */
  get isPostponed(): boolean {
    return this.#postponedAtMs !== null;
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
    try {
      return this.#rebuildDamaged();
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      this.#postponedAtMs = performance.now();
      return false;
    }
  }

  #rebuildDamaged(): boolean {
    const all = this.#db
      .prepare<[], SchemaRow>("SELECT name, tbl_name AS tableName, sql FROM sqlite_schema WHERE type = 'index'")
      .all();
    const damaged = all.filter((index) => !this.#isReadable(index));
    const anew = damaged.filter((index) =>
      index.sql === null ? this.#makeOwnAnew(index) : this.#makeAnew("name", [index]),
    );
    return anew.length > 0;
  }

  /** Makes a table anew with what `fill` writes, outside of any transaction, once in the life of a process. */
  table(name: "notes" | "sts_policies", fill: () => void): boolean {
    if (this.#triedTables.has(name)) return false;
    const parts = this.#db
      .prepare<[string], SchemaRow>(
        "SELECT name, tbl_name AS tableName, sql FROM sqlite_schema WHERE tbl_name = ? ORDER BY type = 'index'",
      )
      .all(name);
    const isMade = this.#makeAnew("tbl_name", parts, fill);
    if (isMade || !this.isPostponed) this.#triedTables.add(name);
    return isMade;
  }

  #isReadable({ name, tableName, sql }: SchemaRow): boolean {
    const [condition = ""] = CONDITION.exec(sql ?? "") ?? [];
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

  #makeAnew(column: "name" | "tbl_name", parts: SchemaRow[], fill: () => void = () => {}): boolean {
    const db = this.#db;
    return this.#changeSchema(parts, () => {
      db.pragma("writable_schema = ON");
      for (const { name } of parts) db.prepare(`DELETE FROM sqlite_schema WHERE ${column} = ?`).run(name);
      db.pragma("writable_schema = RESET");
      for (const { sql } of parts) db.exec(sql ?? "");
      fill();
    });
  }

  /** The index of a UNIQUE column cannot be created: it is given the pages of another on the same columns. */
  #makeOwnAnew(index: SchemaRow): boolean {
    const db = this.#db;
    return this.#changeSchema([index], () => {
      const columns = db.pragma(`index_info(${index.name})`) as { name: string }[];
      const list = columns.map(({ name }) => name).join(", ");
      db.exec(`CREATE UNIQUE INDEX made_anew ON ${index.tableName} (${list})`);
      db.pragma("writable_schema = ON");
      db.prepare(
        `UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'made_anew')
           WHERE name = ?`,
      ).run(index.name);
      db.exec("DELETE FROM sqlite_schema WHERE name = 'made_anew'");
      db.pragma("writable_schema = RESET");
    });
  }

  #changeSchema(parts: SchemaRow[], change: () => void): boolean {
    const db = this.#db;
    try {
      db.exec("BEGIN IMMEDIATE");
      // The schema's own table is closed to changes otherwise.
      db.unsafeMode(true);
      change();
      // Other connections do not notice an edited schema by themselves.
      db.pragma(`schema_version = ${(db.pragma("schema_version", { simple: true }) as number) + 1}`);
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
