/**
 * How the spool's file is opened, and which of its errors mean "not now" rather than "broken".
 */
import { chmodSync, chownSync, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Database } from "better-sqlite3";
import Sqlite from "./driver.ts";

/** How long a statement waits for another process (the command line) to finish its transaction. */
const BUSY_TIMEOUT_MS = 10_000;

/** Pages in the write-ahead log before a checkpoint: 16 MiB, so that pages written often reach the file once. */
export const CHECKPOINT_PAGES = 4096;

/** Opens DATA_DIR's spool for writing, or for reading only. Creates the directory with owner-only rights. */
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
  // Takes effect in a new file only: free pages can be given back to the disk, step by step (retention.ts).
  db.pragma("auto_vacuum = INCREMENTAL");
  setDurable(db);
  return db;
}

/** What makes a commit durable once it is answered, and bounds the write-ahead log. */
export function setDurable(db: Database): void {
  db.pragma("journal_mode = WAL");
  // better-sqlite3 opens WAL databases with NORMAL, which may lose the last commits at a power cut.
  db.pragma("synchronous = FULL");
  db.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
  db.pragma("foreign_keys = ON");
}

/**
 * Holds DATA_DIR for one service: two that deliver from one spool would deliver twice. Returns how to release it; throws one
 * line when another service holds it.
 */
export function lockDataDir(dataDir: string): () => void {
  const held = { alone: true, timeoutMs: 0, otherwise: `another Postrider service is running on ${dataDir}` };
  return lock(dataDir, "service.lock", held);
}

/**
 * Keeps the master key as it is while something that it seals is written or copied beside the service, by as many as like; or
 * `alone`, to exchange it, which takes a moment: it is waited for, and waits for nobody. Returns how to release it; throws one
 * line when it cannot be had.
 */
export function lockSealing(dataDir: string, { alone }: { alone: boolean }): () => void {
  const otherwise = alone ? "another command uses the master key: try again" : "the master key is being exchanged";
  return lock(dataDir, "sealing.lock", { alone, timeoutMs: alone ? 0 : BUSY_TIMEOUT_MS, otherwise });
}

/** Lets one backup of a spool be made at a time. Returns how to release it; throws one line while another is made. */
export function lockBackup(dataDir: string): () => void {
  return lock(dataDir, "backup.lock", {
    alone: true,
    timeoutMs: 0,
    otherwise: "another backup is under way: try again",
  });
}

interface Held {
  alone: boolean;
  timeoutMs: number;
  otherwise: string;
}

/** The lock is SQLite's own on a file of its own, so the kernel drops it with the process. */
function lock(dataDir: string, name: string, { alone, timeoutMs, otherwise }: Held): () => void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const file = join(dataDir, name);
  const db = new Sqlite(file, { timeout: timeoutMs });
  chmodSync(file, 0o600);
  giveToOwnerOf(dataDir, file);
  try {
    db.exec(alone ? "BEGIN EXCLUSIVE" : "BEGIN; SELECT count(*) FROM sqlite_schema");
  } catch (error) {
    db.close();
    if (isUnavailable(error)) throw new Error(otherwise);
    throw error;
  }
  return () => db.close();
}

/** A command of root's must not leave a lock behind that the service's user cannot open. */
function giveToOwnerOf(dataDir: string, file: string): void {
  const { uid, gid } = statSync(dataDir);
  if (process.getuid?.() !== 0 || statSync(file).uid === uid) return;
  try {
    chownSync(file, uid, gid);
  } catch {
    // A root that may not: then nobody else runs the service here.
  }
}

const UNAVAILABLE = /^SQLITE_(BUSY|FULL|IOERR|READONLY|CANTOPEN|NOMEM|PROTOCOL|LOCKED|CORRUPT|NOTADB)/;

/** Whether an error says that the store cannot work now, rather than that our own statement was wrong. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof Sqlite.SqliteError && UNAVAILABLE.test(error.code);
}

const DAMAGED = /^SQLITE_(CORRUPT|NOTADB|IOERR_(READ|SHORT_READ|DATA|CORRUPTFS)$)/;

/** Whether an error says that a part of the file cannot be read. Waiting does not repair it. */
export function isFileDamage(error: unknown): boolean {
  return error instanceof Sqlite.SqliteError && DAMAGED.test(error.code);
}

/** What `run` returns; undefined when the store cannot work now. */
export function unlessUnavailable<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch (error) {
    if (isUnavailable(error)) return undefined;
    throw error;
  }
}
