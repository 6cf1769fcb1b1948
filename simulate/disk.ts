/**
 * The disk under the spool: SQLite itself in memory, with what a real disk does to it. A commit is durable once it was
 * synced; if the connection does not ask for that, it is durable some time later, and a death before loses it. Statements
 * and commits can be refused, the disk can be full, and a commit refused at its fsync may turn up after a death all the same.
 */
import type { Database } from "better-sqlite3";
import { setDurable } from "../src/spool/sqlite/database.ts";
import Sqlite from "../src/spool/sqlite/driver.ts";
import type { Chance } from "./chance.ts";
import { Died, type Life } from "./life.ts";
import type { VirtualTime } from "./virtual-time.ts";
import type { Weather } from "./weather.ts";

/** PRAGMA synchronous from which SQLite syncs the log at every commit. */
const FULL = 2;

/** How long the system may keep what nobody asked it to sync. */
const WRITE_BACK_MS = 30_000;

const PAGES_FREE_MAX = 8;

const refusal = (code: string): Error => new Sqlite.SqliteError("the simulated disk refuses", code);

export interface DiskParts {
  time: VirtualTime;
  chance: Chance;
  weather: Weather;
  /** A database file as it lies on disk. */
  file: Buffer;
}

export class Disk {
  readonly #parts: DiskParts;
  /** What survives a death at this moment. */
  #durable: Buffer;
  /** A commit whose fsync failed: it survives, or it does not. */
  #ghost: Buffer | null = null;
  #db: Database | null = null;
  #opened: Database[] = [];

  constructor(parts: DiskParts) {
    this.#parts = parts;
    this.#durable = parts.file;
  }

  /** Opens the file for a life of the service; what is not durable when that ends is lost. */
  open(life: Life): Database {
    const { chance, weather } = this.#parts;
    if (this.#ghost !== null && chance.hit(0.5)) {
      this.#durable = this.#ghost;
      weather.tally.add("failed_commit_survived");
    }
    this.#ghost = null;
    const db = new Sqlite(this.#durable);
    this.#opened.push(db);
    setDurable(db);
    const isSynced = (db.pragma("synchronous", { simple: true }) as number) >= FULL;
    this.#intercept(db, life);
    this.#db = db;
    if (!isSynced) this.#writeBackNowAndThen(db, life);
    life.onDeath(() => this.#lose(db, isSynced));
    return db;
  }

  /** The connection of the life that runs, or ran last. */
  get current(): Database | null {
    return this.#opened.at(-1) ?? null;
  }

  /** Room for as many pages as are used, and a few more, until `relieve`. */
  fill(): void {
    this.#limitPages(
      (this.#db?.pragma("page_count", { simple: true }) as number) + this.#parts.chance.whole(0, PAGES_FREE_MAX),
    );
  }

  relieve(): void {
    this.#limitPages(1_000_000);
  }

  /** The life ended in order: everything is synced. */
  sync(): void {
    if (this.#db !== null) this.#durable = this.#db.serialize();
  }

  /** Gives all memory back. */
  close(): void {
    for (const db of this.#opened) db.close();
  }

  #limitPages(pages: number): void {
    if (this.#db?.inTransaction === false) this.#db.pragma(`max_page_count = ${pages}`);
  }

  #lose(db: Database, isSynced: boolean): void {
    if (isSynced && db.open) {
      if (db.inTransaction) Sqlite.prototype.exec.call(db, "ROLLBACK");
      this.#durable = db.serialize();
    }
    this.#db = null;
  }

  #writeBackNowAndThen(db: Database, life: Life): void {
    life.after(this.#parts.chance.next() * WRITE_BACK_MS, () => {
      this.#durable = db.serialize();
      this.#writeBackNowAndThen(db, life);
    });
  }

  /** Every statement that writes passes here. */
  #intercept(db: Database, life: Life): void {
    const exec = db.exec.bind(db);
    const prepare = db.prepare.bind(db);
    db.exec = (sql) => {
      if (!life.alive) throw new Died();
      if (sql === "COMMIT") this.#commit(db, life, () => exec(sql));
      else exec(sql);
      return db;
    };
    db.prepare = ((sql: string) => {
      const statement = prepare(sql);
      const run = statement.run.bind(statement);
      statement.run = ((...args: unknown[]) => {
        if (!life.alive) throw new Died();
        if (this.#parts.weather.strikes("disk_refuses"))
          throw refusal(this.#parts.chance.pick(["SQLITE_FULL", "SQLITE_IOERR_WRITE"]));
        if (db.inTransaction) return run(...args);
        // Outside a transaction a statement is one by itself.
        let result: unknown;
        this.#commit(db, life, () => {
          result = run(...args);
        });
        return result;
      }) as typeof statement.run;
      return statement;
    }) as typeof db.prepare;
  }

  #commit(db: Database, life: Life, commit: () => void): void {
    const { weather, chance } = this.#parts;
    if (weather.strikes("disk_refuses"))
      throw refusal(chance.pick(["SQLITE_FULL", "SQLITE_IOERR_WRITE", "SQLITE_BUSY"]));
    if (db.inTransaction && weather.strikes("fsync_fails")) {
      this.#ghost = db.serialize();
      throw refusal("SQLITE_IOERR_FSYNC");
    }
    const committed = life.effect("commit", () => {
      commit();
      // Its frames have taken the place of the failed one's.
      this.#ghost = null;
    });
    if (!committed || !life.alive) throw new Died();
  }
}
