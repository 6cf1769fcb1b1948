/**
 * Rebuilds damaged parts of the file that can be recreated. An index holds nothing that its table does not; most notes, and
 * MTA-STS policies that cannot be read, may be lost. A damaged part is deleted from the schema, not dropped: to drop it,
 * SQLite would read its pages. The pages stay in the file, unused, until VACUUM INTO or a backup copies it.
 */
import type { Database } from "better-sqlite3";
import { isUnavailable } from "../connection/database.ts";
import { type DamageLog, isDamage } from "./damage.ts";

interface SchemaRow {
  name: string;
  tableName: string;
  /** Null for the implicit index of a UNIQUE column. */
  sql: string | null;
}

/** When to retry after a full disk, or while another process holds the file. */
const RETRY_AFTER_MS = 60_000;

/** The condition of a partial index. */
const CONDITION = /\bWHERE\b[\s\S]*$/;

export class Rebuilding {
  #db: Database;
  #damage: DamageLog;
  #triedIndexes = false;
  readonly #triedTables = new Set<string>();
  /** When recreating an index or a table last failed for a reason other than damage, by performance.now(). */
  #postponedAtMs: number | null = null;

  constructor(db: Database, damage: DamageLog) {
    this.#db = db;
    this.#damage = damage;
  }

  /** Whether `indexes` was called. Damage found since then is not in an index, or the index cannot be rebuilt. */
  get hasTriedIndexes(): boolean {
    return this.#triedIndexes;
  }

  /**
   * Reads every index and rebuilds the damaged ones, outside of any transaction. It does so once in the life of a process,
   * because it reads all of them. Returns whether it rebuilt one.
   */
  indexes(): boolean {
    if (this.#triedIndexes) return false;
    return this.#rebuildIndexes();
  }

  /** Whether the disk or another process prevented a rebuild, which is retried later. */
  get isPostponed(): boolean {
    return this.#postponedAtMs !== null;
  }

  /** Whether it is time for `indexesAgain`, which retries a postponed rebuild. */
  get isDueAgain(): boolean {
    return this.#postponedAtMs !== null && performance.now() - this.#postponedAtMs >= RETRY_AFTER_MS;
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
    const rebuilt = damaged.filter((index) =>
      index.sql === null ? this.#recreateImplicit(index) : this.#recreate("name", [index]),
    );
    return rebuilt.length > 0;
  }

  /** Recreates a table with the rows that `fill` writes, outside of any transaction, once in the life of a process. */
  table(name: "key_values" | "sts_policies", fill: () => void): boolean {
    if (this.#triedTables.has(name)) return false;
    const parts = this.#db
      .prepare<[string], SchemaRow>(
        "SELECT name, tbl_name AS tableName, sql FROM sqlite_schema WHERE tbl_name = ? ORDER BY type = 'index'",
      )
      .all(name);
    const isMade = this.#recreate("tbl_name", parts, fill);
    if (isMade || !this.isPostponed) this.#triedTables.add(name);
    return isMade;
  }

  #isReadable({ name, tableName, sql }: SchemaRow): boolean {
    const [condition = ""] = CONDITION.exec(sql ?? "") ?? [];
    try {
      // For count(*), SQLite would read the shortest index instead.
      this.#db.prepare(`SELECT total(1) FROM ${tableName} INDEXED BY ${name} ${condition}`).get();
      return true;
    } catch (error) {
      if (!isDamage(error)) throw error;
      this.#damage.note(`the index ${name}`, error);
      return false;
    }
  }

  #recreate(column: "name" | "tbl_name", parts: SchemaRow[], fill: () => void = () => {}): boolean {
    const db = this.#db;
    return this.#changeSchema(parts, () => {
      db.pragma("writable_schema = ON");
      for (const { name } of parts) db.prepare(`DELETE FROM sqlite_schema WHERE ${column} = ?`).run(name);
      db.pragma("writable_schema = RESET");
      for (const { sql } of parts) db.exec(sql ?? "");
      fill();
    });
  }

  /** An implicit index cannot be created. It gets the pages of a new index on the same columns. */
  #recreateImplicit(index: SchemaRow): boolean {
    const db = this.#db;
    return this.#changeSchema([index], () => {
      const columns = db.pragma(`index_info(${index.name})`) as { name: string }[];
      const list = columns.map(({ name }) => name).join(", ");
      db.exec(`CREATE UNIQUE INDEX rebuilt_index ON ${index.tableName} (${list})`);
      db.pragma("writable_schema = ON");
      db.prepare(
        `UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'rebuilt_index')
           WHERE name = ?`,
      ).run(index.name);
      db.exec("DELETE FROM sqlite_schema WHERE name = 'rebuilt_index'");
      db.pragma("writable_schema = RESET");
    });
  }

  #changeSchema(parts: SchemaRow[], change: () => void): boolean {
    const db = this.#db;
    try {
      db.exec("BEGIN IMMEDIATE");
      // Otherwise the schema table cannot be changed.
      db.unsafeMode(true);
      change();
      // Other connections do not notice an edited schema.
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
