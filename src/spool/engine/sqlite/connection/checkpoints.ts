/**
 * Checkpoints beside the commits. A checkpoint copies the pages of the write-ahead log into the spool's file and syncs it,
 * 15 to 35 ms for 16 MiB, and every commit waits for one that is made in a commit. So a separate thread copies the log
 * while commits go on. The writer copies only the few pages that came meanwhile, 3 to 10 ms; then the log is restarted.
 */
import type { Worker } from "node:worker_threads";
import type { Database } from "better-sqlite3";
import { startThread } from "../../../../lib/thread.ts";
import { CHECKPOINT_PAGES, unlessUnavailable } from "./database.ts";

/** If the thread fails or falls behind, a commit makes the checkpoint itself at this size of the log. */
const GUARD_PAGES = 4 * CHECKPOINT_PAGES;

/** How often the size of the log is looked up: each look costs as much as a tenth of a small batch. */
const LOOK_EVERY_MS = 20;

export interface Checkpoints {
  afterBatch(): void;
  /** To be called before the spool is closed; leaves the log empty if possible. */
  end(): Promise<void>;
}

/** Checkpoints made by commits, as SQLite does by default. */
export const IN_COMMITS: Checkpoints = { afterBatch() {}, end: async () => {} };

/** Checkpoints made by a thread, started with the first one. */
export class ThreadCheckpoints implements Checkpoints {
  readonly #db: Database;
  readonly #dataDir: string;
  readonly #pages;
  readonly #checkpoint;
  /** Pages in the log at the last request: a checkpoint leaves pages that a reader still needs. */
  #requestedPages = 0;
  #nextLookMs = 0;
  #thread: Worker | null = null;
  #isUnderWay = false;

  constructor(db: Database, dataDir: string) {
    this.#db = db;
    this.#dataDir = dataDir;
    db.pragma(`wal_autocheckpoint = ${GUARD_PAGES}`);
    this.#pages = db.prepare<[], { log: number }>("PRAGMA wal_checkpoint(NOOP)");
    this.#checkpoint = db.prepare("PRAGMA wal_checkpoint(PASSIVE)");
  }

  afterBatch(): void {
    const nowMs = performance.now();
    if (this.#isUnderWay || nowMs < this.#nextLookMs) return;
    this.#nextLookMs = nowMs + LOOK_EVERY_MS;
    const { log } = unlessUnavailable(() => this.#pages.get()) ?? { log: 0 };
    if (log < this.#requestedPages) this.#requestedPages = 0;
    if (log - this.#requestedPages < CHECKPOINT_PAGES) return;
    this.#requestedPages = log;
    try {
      this.#thread ??= this.#start();
    } catch {
      // The container may have no more threads. The next 16 MiB try again.
      return;
    }
    this.#isUnderWay = true;
    this.#thread.postMessage(null);
  }

  async end(): Promise<void> {
    this.#thread?.removeAllListeners("message");
    await this.#thread?.terminate();
    // From here on a copy of only the file is complete, even if another process stays attached. Readers and a failing disk
    // are not waited for: pages that cannot be copied stay in the log.
    this.#db.pragma("busy_timeout = 0");
    unlessUnavailable(() => this.#db.pragma("wal_checkpoint(TRUNCATE)"));
  }

  #start(): Worker {
    const thread = startThread(new URL("./checkpoints-thread.ts", import.meta.url), { dataDir: this.#dataDir });
    thread.on("message", () => {
      this.#isUnderWay = false;
      // A failing disk is reported by the commits; the next checkpoint tries again.
      unlessUnavailable(() => this.#checkpoint.get());
    });
    thread.on("error", () => {
      this.#isUnderWay = false;
      this.#thread = null;
    });
    return thread;
  }
}
