/**
 * The disk under the spool: SQLite itself in memory, with what a real disk does to it. A commit is durable once it was
 * synced; if the connection does not ask for that, it is durable some time later, and a death before loses it. Statements
 * and commits can be refused, the disk can be full, and a commit refused at its fsync may turn up after a death all the same.
 */
import type { Database } from "better-sqlite3";
import { setDurable } from "../src/spool/sqlite/database.ts";
import Sqlite from "../src/spool/sqlite/driver.ts";
import type { FaultInjector } from "./fault-injector.ts";
import { type Incarnation, ProcessDied } from "./incarnation.ts";
import type { Prng } from "./prng.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** PRAGMA synchronous from which SQLite syncs the log at every commit. */
const FULL = 2;

/** How long the system may keep what nobody asked it to sync. */
const WRITE_BACK_MS = 30_000;

const PAGES_FREE_MAX = 8;

const diskError = (code: string): Error => new Sqlite.SqliteError("the simulated disk refuses", code);

export interface DiskOptions {
  time: VirtualTime;
  prng: Prng;
  faults: FaultInjector;
  /** A database file as it lies on disk. */
  file: Buffer;
}

export class Disk {
  readonly #parts: DiskOptions;
  /** What survives a death at this moment. */
  #durable: Buffer;
  /** A commit whose fsync failed: it survives, or it does not. */
  #failedCommit: Buffer | null = null;
  #db: Database | null = null;
  #opened: Database[] = [];

  constructor(parts: DiskOptions) {
    this.#parts = parts;
    this.#durable = parts.file;
  }

  /** Opens the file for a life of the service; what is not durable when that ends is lost. */
  open(incarnation: Incarnation): Database {
    const { prng, faults } = this.#parts;
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

  /** The connection of the life that runs, or ran last. */
  get current(): Database | null {
    return this.#opened.at(-1) ?? null;
  }

  /** Room for as many pages as are used, and a few more, until `relieve`. */
  fill(): void {
    this.#limitPages(
      (this.#db?.pragma("page_count", { simple: true }) as number) + this.#parts.prng.integer(0, PAGES_FREE_MAX),
    );
  }

  freeSpace(): void {
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

  #crash(db: Database, isSynced: boolean): void {
    if (isSynced && db.open) {
      if (db.inTransaction) Sqlite.prototype.exec.call(db, "ROLLBACK");
      this.#durable = db.serialize();
    }
    this.#db = null;
  }

  #scheduleWriteBack(db: Database, incarnation: Incarnation): void {
    incarnation.after(this.#parts.prng.next() * WRITE_BACK_MS, () => {
      this.#durable = db.serialize();
      this.#scheduleWriteBack(db, incarnation);
    });
  }

  /** Every statement that writes passes here. */
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
        if (this.#parts.faults.occurs("disk_refuses"))
          throw diskError(this.#parts.prng.pick(["SQLITE_FULL", "SQLITE_IOERR_WRITE"]));
        if (db.inTransaction) return run(...args);
        // Outside a transaction a statement is one by itself.
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
    const { faults, prng } = this.#parts;
    if (faults.occurs("disk_refuses")) throw diskError(prng.pick(["SQLITE_FULL", "SQLITE_IOERR_WRITE", "SQLITE_BUSY"]));
    if (db.inTransaction && faults.occurs("fsync_fails")) {
      this.#failedCommit = db.serialize();
      throw diskError("SQLITE_IOERR_FSYNC");
    }
    const committed = incarnation.effect("commit", () => {
      commit();
      // Its frames have taken the place of the failed one's.
      this.#failedCommit = null;
    });
    if (!committed || !incarnation.isAlive) throw new ProcessDied();
  }
}
