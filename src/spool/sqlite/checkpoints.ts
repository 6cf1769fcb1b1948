/**
 * Checkpoints beside the commits. One copies the pages of the write-ahead log into the spool's file and syncs it, 15 to 35 ms
 * for 16 MiB, and a commit that makes it lets everybody wait so long. So a thread of its own copies what there is, while commits
 * go on, and the writer only the few pages that came meanwhile, 3 to 10 ms; then the log begins anew.
 */
import type { Worker } from "node:worker_threads";
import type { Database } from "better-sqlite3";
import { startThread } from "../../lib/thread.ts";
import { CHECKPOINT_PAGES, unlessUnavailable } from "./database.ts";

/** Should the thread fail or not keep up, a commit makes the checkpoint itself, here. */
const GUARD_PAGES = 4 * CHECKPOINT_PAGES;

export interface Checkpoints {
  afterBatch(): void;
  /** Before the spool is closed; leaves the log empty if it can. */
  end(): Promise<unknown>;
}

/** Those that commits make themselves, as SQLite does anyway. */
export const IN_COMMITS: Checkpoints = { afterBatch() {}, end: async () => {} };

export function checkpointBeside(db: Database, dataDir: string): Checkpoints {
  db.pragma(`wal_autocheckpoint = ${GUARD_PAGES}`);
  const pages = db.prepare<[], { log: number }>("PRAGMA wal_checkpoint(NOOP)");
  const checkpoint = db.prepare("PRAGMA wal_checkpoint(PASSIVE)");
  /** Pages in the log when a checkpoint was last asked for: it may have had to leave what a reader still sees. */
  let asked = 0;
  let thread: Worker | null = null;
  let isUnderWay = false;

  const start = (): Worker => {
    const started = startThread(new URL("./checkpoints-thread.ts", import.meta.url), { dataDir });
    started.on("message", () => {
      isUnderWay = false;
      // A disk that fails is the commits' to tell; the next checkpoint tries again.
      unlessUnavailable(() => checkpoint.get());
    });
    started.on("error", () => {
      isUnderWay = false;
      thread = null;
    });
    return started;
  };

  return {
    afterBatch() {
      if (isUnderWay) return;
      const { log } = unlessUnavailable(() => pages.get()) ?? { log: 0 };
      if (log < asked) asked = 0;
      if (log - asked < CHECKPOINT_PAGES) return;
      asked = log;
      try {
        thread ??= start();
      } catch {
        // The container may have no more threads; the next 16 MiB try again.
        return;
      }
      isUnderWay = true;
      thread.postMessage(null);
    },
    async end() {
      thread?.removeAllListeners("message");
      await thread?.terminate();
      // From here on a copy of the file alone is whole, whoever is still attached. Readers and a disk that fails are not
      // waited for: what cannot be copied stays in the log.
      db.pragma("busy_timeout = 0");
      unlessUnavailable(() => db.pragma("wal_checkpoint(TRUNCATE)"));
    },
  };
}
