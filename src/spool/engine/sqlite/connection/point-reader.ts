/**
 * The facade's point reads: when they may run, and which of them may share a value. The statements are those of reads.ts.
 */
import type { Database } from "better-sqlite3";
import { SpoolUnavailable } from "../../../port/errors.ts";
import type { Operation } from "../../operations.ts";
import type { Session } from "../../session.ts";
import { type DamageReports, isDamage, unlessDamaged } from "../files/damage.ts";
import { isUnavailable } from "./database.ts";
import { type PointReads, preparePointReads } from "./point-reads.ts";
import { SqliteSession } from "./sqlite-session.ts";

/** Values in all caches between two commits. */
const CACHED_MAX = 1000;

const CLOSED = "the spool is closed";

const asSpoolError = (error: unknown): unknown =>
  isUnavailable(error) ? new SpoolUnavailable((error as Error).message) : error;

export class PointReader {
  readonly #db: Database;
  readonly #reads: PointReads;
  readonly #session: Session;
  /** Settles once the last snapshot has ended: a connection has one at a time. */
  #snapshots: Promise<unknown> = Promise.resolve();
  #isRefusing = false;
  readonly #caches: Map<string, unknown>[] = [];
  #cachedVersion = -1;
  #isVersionChecked = false;

  constructor(db: Database, damage: DamageReports) {
    this.#db = db;
    this.#reads = preparePointReads(db, damage);
    this.#session = new SqliteSession(db, {
      avoid: (place, run, fallback) => unlessDamaged(run, fallback, { log: damage, place }),
      note: (place, error) => damage.note(place, error),
    });
  }

  /** Rejects with SpoolUnavailable if the file cannot be read now, or the spool is closed. */
  async read<T>(read: (reads: PointReads) => T): Promise<T> {
    if (this.#isRefusing) throw new SpoolUnavailable(CLOSED);
    try {
      return read(this.#reads);
    } catch (error) {
      throw asSpoolError(error);
    }
  }

  /** Runs a read of the store. Rejects as `read` does. */
  async run(operation: Operation, args: unknown[]): Promise<unknown> {
    if (this.#isRefusing) throw new SpoolUnavailable(CLOSED);
    try {
      return await (operation as Operation<unknown[]>)(this.#session, ...args);
    } catch (error) {
      throw asSpoolError(error);
    }
  }

  /**
   * Runs a read of the store in one snapshot, so that a settlement between two statements does not show half of itself. A snapshot must be
   * readable as a whole: after damage, the read runs once more without one, and leaves out what it can. Rejects as `read` does, but with
   * the damage itself where it needs what is damaged.
   */
  async snapshot<Args extends unknown[], Value>(operation: Operation<Args, Value>, ...args: Args): Promise<Value> {
    const ran = this.#snapshots.then(async () => {
      if (this.#isRefusing) throw new SpoolUnavailable(CLOSED);
      try {
        this.#db.exec("BEGIN");
        const value = await operation(this.#session, ...args);
        this.#db.exec("COMMIT");
        return value;
      } catch (error) {
        if (this.#db.inTransaction) this.#db.exec("ROLLBACK");
        if (!isDamage(error)) throw error;
        return operation(this.#session, ...args);
      }
    });
    this.#snapshots = ran.catch(() => {});
    return ran.catch((error) => {
      throw isDamage(error) ? error : asSpoolError(error);
    });
  }

  /**
   * Returns a read of the store that runs once between two commits for all calls with the same key. Every send reads its API key and
   * its domain, and under load many of them share one commit. Calls that share a value share its promise.
   */
  cached<Args extends unknown[], Value>(
    operation: Operation<Args, Value>,
    keyOf: (...args: Args) => string,
  ): (...args: Args) => Promise<Value> {
    const cache = new Map<string, Promise<Value>>();
    this.#caches.push(cache);
    return (...args) => {
      if (this.#isRefusing) return Promise.reject(new SpoolUnavailable(CLOSED));
      try {
        this.#dropOutdated();
      } catch (error) {
        return Promise.reject(asSpoolError(error));
      }
      const key = keyOf(...args);
      const cached = cache.get(key);
      if (cached !== undefined) return cached;
      const value = this.run(operation as unknown as Operation, args) as Promise<Value>;
      cache.set(key, value);
      value.catch(() => {
        if (cache.get(key) === value) cache.delete(key);
      });
      return value;
    };
  }

  /** To be called after each of our own commits. */
  committed(): void {
    this.#isVersionChecked = false;
  }

  /** Rejects all further reads. */
  refuse(): void {
    this.#isRefusing = true;
  }

  close(): void {
    this.#db.close();
  }

  /** Looks for commits once an iteration of the event loop: each look locks and unlocks the file's log. */
  #dropOutdated(): void {
    if (this.#isVersionChecked) return;
    const version = this.#reads.dataVersion();
    const isFull = this.#caches.reduce((sum, { size }) => sum + size, 0) > CACHED_MAX;
    if (version !== this.#cachedVersion || isFull) for (const cache of this.#caches) cache.clear();
    this.#cachedVersion = version;
    this.#isVersionChecked = true;
    setImmediate(() => {
      this.#isVersionChecked = false;
    });
  }
}
