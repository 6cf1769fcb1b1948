/**
 * The disk below the spool: SQLite in memory with the failures of a real disk. A commit is durable once it is synced;
 * without a sync it becomes durable later, and a crash before then loses it. Statements and commits can fail, the
 * disk can be full, and a commit that failed at its fsync may survive a crash.
 */
import type { Database } from "better-sqlite3";
import { setDurable } from "../src/spool/engine/sqlite/connection/database.ts";
import Sqlite from "../src/spool/engine/sqlite/connection/driver.ts";
import type { FaultInjector } from "./fault-injector.ts";
import { type Incarnation, ProcessDied } from "./incarnation.ts";
import type { Prng } from "./prng.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** The value of PRAGMA synchronous from which SQLite syncs the log at every commit. */
const FULL = 2;

/** The longest time that the kernel keeps unsynced writes in memory. */
const WRITE_BACK_MS = 30_000;

const PAGES_FREE_MAX = 8;

const diskError = (code: string): Error => new Sqlite.SqliteError("simulated disk error", code);

export interface DiskOptions {
  time: VirtualTime;
  prng: Prng;
  faults: FaultInjector;
  /** The content of a database file. */
  file: Buffer;
}

export class Disk {
  readonly #options: DiskOptions;
  /** The state that survives a crash now. */
  #durable: Buffer;
  /** A commit whose fsync failed: it may or may not survive a crash. */
  #failedCommit: Buffer | null = null;
  #db: Database | null = null;
  #opened: Database[] = [];

  constructor(parts: DiskOptions) {
    this.#options = parts;
    this.#durable = parts.file;
  }

  /** Opens the file for a process incarnation. Changes that are not durable when it ends are lost. */
  open(incarnation: Incarnation): Database {
    const { prng, faults } = this.#options;
    if (this.#failedCommit !== null && prng.chance(0.5)) {
      this.#durable = this.#failedCommit;
      faults.tally.add("failed_commit_survived");
    }
    this.#failedCommit = null;
    const db = new Sqlite(this.#durable);
    this.#opened.push(db);
    setDurable(db);
    const isSynced = (db.pragma("synchronous", { simple: true }) as number) >= FULL;
    this.#intercept(db, incarnation);
    this.#db = db;
    if (!isSynced) this.#scheduleWriteBack(db, incarnation);
    incarnation.onDeath(() => this.#crash(db, isSynced));
    return db;
  }

  /** The connection of the current or most recent incarnation. */
  get current(): Database | null {
    return this.#opened.at(-1) ?? null;
  }

  /** Limits the file to its current pages and a few more, until `freeSpace`. */
  fill(): void {
    this.#limitPages(
      (this.#db?.pragma("page_count", { simple: true }) as number) + this.#options.prng.integer(0, PAGES_FREE_MAX),
    );
  }

  freeSpace(): void {
    this.#limitPages(1_000_000);
  }

  /** Syncs everything: the incarnation shut down cleanly. */
  sync(): void {
    if (this.#db !== null) this.#durable = this.#db.serialize();
  }

  /** Frees all memory. */
  close(): void {
    for (const db of this.#opened) db.close();
  }

  #limitPages(pages: number): void {
    if (this.#db?.inTransaction === false) this.#db.pragma(`max_page_count = ${pages}`);
  }

  #crash(db: Database, isSynced: boolean): void {
    if (isSynced && db.open) {
      if (db.inTransaction) Sqlite.prototype.exec.call(db, "ROLLBACK");
      this.#durable = db.serialize();
    }
    this.#db = null;
  }

  #scheduleWriteBack(db: Database, incarnation: Incarnation): void {
    incarnation.after(this.#options.prng.next() * WRITE_BACK_MS, () => {
      this.#durable = db.serialize();
      this.#scheduleWriteBack(db, incarnation);
    });
  }

  /** Passes every statement that writes through the fault injector. */
  #intercept(db: Database, incarnation: Incarnation): void {
    const exec = db.exec.bind(db);
    const prepare = db.prepare.bind(db);
    db.exec = (sql) => {
      if (!incarnation.isAlive) throw new ProcessDied();
      if (sql === "COMMIT") this.#commit(db, incarnation, () => exec(sql));
      else exec(sql);
      return db;
    };
    db.prepare = ((sql: string) => {
      const statement = prepare(sql);
      const run = statement.run.bind(statement);
      statement.run = ((...args: unknown[]) => {
        if (!incarnation.isAlive) throw new ProcessDied();
        if (this.#options.faults.occurs("disk_refuses"))
          throw diskError(this.#options.prng.pick(["SQLITE_FULL", "SQLITE_IOERR_WRITE"]));
        if (db.inTransaction) return run(...args);
        // Outside a transaction, each statement commits by itself.
        let result: unknown;
        this.#commit(db, incarnation, () => {
          result = run(...args);
        });
        return result;
      }) as typeof statement.run;
      return statement;
    }) as typeof db.prepare;
  }

  #commit(db: Database, incarnation: Incarnation, commit: () => void): void {
    const { faults, prng } = this.#options;
    if (faults.occurs("disk_refuses")) throw diskError(prng.pick(["SQLITE_FULL", "SQLITE_IOERR_WRITE", "SQLITE_BUSY"]));
    if (db.inTransaction && faults.occurs("fsync_fails")) {
      this.#failedCommit = db.serialize();
      throw diskError("SQLITE_IOERR_FSYNC");
    }
    const committed = incarnation.effect("commit", () => {
      commit();
      // Its frames replace those of the failed commit.
      this.#failedCommit = null;
    });
    if (!committed || !incarnation.isAlive) throw new ProcessDied();
  }
}
