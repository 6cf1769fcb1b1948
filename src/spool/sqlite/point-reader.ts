/**
 * The facade's point reads: when they may run, and which of them may share a value. The statements are those of reads.ts.
 */
import type { Database } from "better-sqlite3";
import { SpoolUnavailable } from "../port/errors.ts";
import type { DamageReports } from "./damage.ts";
import { isUnavailable } from "./database.ts";
import { type PointReads, preparePointReads } from "./reads.ts";

/** Values in all caches between two commits. */
const CACHED_MAX = 1000;

export class PointReader {
  readonly #db: Database;
  readonly #reads: PointReads;
  #isRefusing = false;
  readonly #caches: Map<string, unknown>[] = [];
  #cachedVersion = -1;
  #isVersionChecked = false;

  constructor(db: Database, damage: DamageReports) {
    this.#db = db;
    this.#reads = preparePointReads(db, damage);
  }

  /** Rejects with SpoolUnavailable if the file cannot be read now, or the spool is closed. */
  async read<T>(read: (reads: PointReads) => T): Promise<T> {
    if (this.#isRefusing) throw new SpoolUnavailable("the spool is closed");
    try {
      return read(this.#reads);
    } catch (error) {
      if (isUnavailable(error)) throw new SpoolUnavailable((error as Error).message);
      throw error;
    }
  }

  /** A cache for readCached, cleared with the others. */
  newCache<T extends object | null>(): Map<string, T> {
    const cache = new Map<string, T>();
    this.#caches.push(cache);
    return cache;
  }

  /**
   * As `read`, but once between two commits for all calls with the same key. Every send reads its API key and its domain,
   * and under load many of them share one commit.
   */
  readCached<T extends object | null>(cache: Map<string, T>, key: string, read: (reads: PointReads) => T): Promise<T> {
    return this.read((reads) => {
      this.#dropOutdated(reads);
      const cached = cache.get(key);
      if (cached !== undefined) return cached;
      const value = read(reads);
      cache.set(key, value);
      return value;
    });
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
  #dropOutdated(reads: PointReads): void {
    if (this.#isVersionChecked) return;
    const version = reads.dataVersion();
    const isFull = this.#caches.reduce((sum, { size }) => sum + size, 0) > CACHED_MAX;
    if (version !== this.#cachedVersion || isFull) for (const cache of this.#caches) cache.clear();
    this.#cachedVersion = version;
    this.#isVersionChecked = true;
    setImmediate(() => {
      this.#isVersionChecked = false;
    });
  }
}
