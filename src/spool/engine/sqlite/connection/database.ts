/**
 * Opens the spool's file, holds its locks, and tells temporary errors from damage.
 */
import { chmodSync, chownSync, existsSync, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Database } from "better-sqlite3";
import Sqlite from "./driver.ts";

/** How long a statement waits for another process (the command line) to end its transaction. */
const BUSY_TIMEOUT_MS = 10_000;

/** Pages in the write-ahead log before a checkpoint: 16 MiB, so pages that change often are copied to the file once. */
export const CHECKPOINT_PAGES = 4096;

/** Opens DATA_DIR's spool for writing or read-only. For writing, creates the directory and the file with owner-only rights. */
export function openDatabase(dataDir: string, mode: "write" | "read"): Database {
  const file = join(dataDir, "postrider.db");
  if (mode === "read") {
    const db = new Sqlite(file, { readonly: true, timeout: BUSY_TIMEOUT_MS });
    db.pragma("query_only = ON");
    return db;
  }
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const db = new Sqlite(file, { timeout: BUSY_TIMEOUT_MS });
  chmodSync(file, 0o600);
  // Effective in a new file only: free pages can be returned to the disk step by step (retention.ts).
  db.pragma("auto_vacuum = INCREMENTAL");
  setDurable(db);
  return db;
}

/** Makes every commit durable before it returns, and bounds the write-ahead log. */
export function setDurable(db: Database): void {
  db.pragma("journal_mode = WAL");
  // better-sqlite3 opens WAL databases with NORMAL, which may lose the last commits in a power failure.
  db.pragma("synchronous = FULL");
  db.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
  db.pragma("foreign_keys = ON");
}

/**
 * Locks DATA_DIR for one service: two services on one spool would deliver twice. Returns a function that unlocks it; throws
 * one line if another service holds the lock.
 */
export function lockDataDir(dataDir: string): () => void {
  const otherwise = `another Postrider service is running on ${dataDir}`;
  return lock(dataDir, SERVICE_LOCK, { alone: true, timeoutMs: LOOK_MAX_MS, otherwise });
}

const SERVICE_LOCK = "service.lock";
/** `isLocked` holds the lock for less than a millisecond. */
const LOOK_MAX_MS = 250;

/** Whether a service, or a command that excludes one, holds the lock of DATA_DIR. */
export function isLocked(dataDir: string): boolean {
  if (!existsSync(join(dataDir, SERVICE_LOCK))) return false;
  try {
    lock(dataDir, SERVICE_LOCK, { alone: false, timeoutMs: 0, otherwise: "" })();
    return false;
  } catch {
    return true;
  }
}

/**
 * Locks the master key: shared while sealed values are written or copied beside the service, or `alone` to exchange the key.
 * A shared lock waits for an exchange, which takes a moment; an exchange waits for nothing. Returns a function that unlocks
 * it; throws one line if the lock is not available.
 */
export function lockSealing(dataDir: string, { alone }: { alone: boolean }): () => void {
  const otherwise = alone ? "another command uses the master key: try again" : "the master key is being exchanged";
  return lock(dataDir, "sealing.lock", { alone, timeoutMs: alone ? 0 : BUSY_TIMEOUT_MS, otherwise });
}

/** Allows one backup of a spool at a time. Returns a function that unlocks it; throws one line while another is made. */
export function lockBackup(dataDir: string): () => void {
  return lock(dataDir, "backup.lock", {
    alone: true,
    timeoutMs: 0,
    otherwise: "another backup is under way: try again",
  });
}

interface LockOptions {
  alone: boolean;
  timeoutMs: number;
  /** The error if the lock is not available. */
  otherwise: string;
}

/** Uses SQLite's lock on a separate file, which the kernel releases with the process. */
function lock(dataDir: string, name: string, { alone, timeoutMs, otherwise }: LockOptions): () => void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const file = join(dataDir, name);
  const db = new Sqlite(file, { timeout: timeoutMs });
  chmodSync(file, 0o600);
  chownToOwnerOf(dataDir, file);
  try {
    db.exec(alone ? "BEGIN EXCLUSIVE" : "BEGIN; SELECT count(*) FROM sqlite_schema");
  } catch (error) {
    db.close();
    if (isUnavailable(error)) throw new Error(otherwise);
    throw error;
  }
  return () => db.close();
}

/** A command run by root must not leave a lock file that the service's user cannot open. */
function chownToOwnerOf(dataDir: string, file: string): void {
  const { uid, gid } = statSync(dataDir);
  if (process.getuid?.() !== 0 || statSync(file).uid === uid) return;
  try {
    chownSync(file, uid, gid);
  } catch {
    // A root without that right, as in a user namespace: then no other user runs the service here.
  }
}

const UNAVAILABLE = /^SQLITE_(BUSY|FULL|IOERR|READONLY|CANTOPEN|NOMEM|PROTOCOL|LOCKED|CORRUPT|NOTADB)/;

/** Whether an error means that the store cannot work now, rather than that a statement of ours is wrong. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof Sqlite.SqliteError && UNAVAILABLE.test(error.code);
}

const DAMAGED = /^SQLITE_(CORRUPT|NOTADB|IOERR_(READ|SHORT_READ|DATA|CORRUPTFS)$)/;

/** Whether an error means that a part of the file cannot be read. Waiting does not repair it. */
export function isFileDamage(error: unknown): boolean {
  return error instanceof Sqlite.SqliteError && DAMAGED.test(error.code);
}

/** Returns what `run` returns, or undefined if the store cannot work now. */
export function unlessUnavailable<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch (error) {
    if (isUnavailable(error)) return undefined;
    throw error;
  }
}
