/**
 * Which files in DATA_DIR are the spool, and how a file of it comes onto the disk whole. SQLite applies any -wal or -journal
 * that it finds beside a database, so a spool is always all of these files, or none.
 */
import { closeSync, existsSync, fsyncSync, openSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Database } from "better-sqlite3";
import Sqlite from "./driver.ts";

export const SPOOL_FILE = "postrider.db";
export const LOG_FILE = `${SPOOL_FILE}-wal`;

/** What SQLite keeps beside a database file; an old one would be applied to a new file of that name. */
export const BESIDE = ["-wal", "-shm", "-journal"] as const;

/** The names of the spool's files that are in `dataDir`. */
export function spoolFilesIn(dataDir: string): string[] {
  return ["", ...BESIDE].map((suffix) => SPOOL_FILE + suffix).filter((name) => existsSync(join(dataDir, name)));
}

/** Whether the file `name` in `dataDir` holds anything. */
export const isFilled = (dataDir: string, name: string): boolean =>
  (statSync(join(dataDir, name), { throwIfNoEntry: false })?.size ?? 0) > 0;

/** A restore that is under way; one that was killed leaves it behind. */
export const draftIn = (dataDir: string): string => join(dataDir, `${SPOOL_FILE}.partial`);

/** Removes the draft of a restore, for whoever holds the data directory. */
export function removeDraft(dataDir: string): void {
  removeWithBeside(draftIn(dataDir));
}

/** Removes a database file that nobody has open, and what SQLite left beside it. */
export function removeWithBeside(file: string): void {
  for (const suffix of ["", ...BESIDE]) rmSync(file + suffix, { force: true });
}

/** Changes a database file that nobody else has open, and leaves it as that one file, on disk. Throws when it is damaged. */
export function editFile(file: string, edit: (db: Database) => void): void {
  const db = new Sqlite(file);
  try {
    db.pragma("journal_mode = DELETE");
    // What is deleted must not stay readable in the file.
    db.pragma("secure_delete = ON");
    db.transaction(() => edit(db)).immediate();
    if (db.pragma("quick_check", { simple: true }) !== "ok") throw new Error("database disk image is malformed");
  } finally {
    db.close();
  }
  syncFile(file);
}

/** Brings a file, or the names in a directory, onto the disk. */
export function syncFile(path: string): void {
  const handle = openSync(path, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
