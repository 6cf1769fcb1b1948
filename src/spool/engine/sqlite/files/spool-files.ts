/**
 * Names the spool's files in DATA_DIR, and changes, syncs and removes them. SQLite applies any -wal or -journal file beside a
 * database, so a spool is always all of these files, or none.
 */
import { closeSync, existsSync, fsyncSync, openSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Database } from "better-sqlite3";
import Sqlite from "../connection/driver.ts";

export const SPOOL_FILE = "postrider.db";
export const LOG_FILE = `${SPOOL_FILE}-wal`;

/** Suffixes of the files that SQLite keeps beside a database; an old one would be applied to a new database of that name. */
export const BESIDE = ["-wal", "-shm", "-journal"] as const;

/** The names of the spool's files that exist in `dataDir`. */
export function spoolFilesIn(dataDir: string): string[] {
  return ["", ...BESIDE].map((suffix) => SPOOL_FILE + suffix).filter((name) => existsSync(join(dataDir, name)));
}

/** Whether the file `name` in `dataDir` exists and is not empty. */
export const isFilled = (dataDir: string, name: string): boolean =>
  (statSync(join(dataDir, name), { throwIfNoEntry: false })?.size ?? 0) > 0;

/** The file of a restore under way; a killed restore leaves it behind. */
export const draftIn = (dataDir: string): string => join(dataDir, `${SPOOL_FILE}.partial`);

/** Removes the draft of a restore. The caller holds the data directory. */
export function removeDraft(dataDir: string): void {
  removeWithBeside(draftIn(dataDir));
}

/** Removes a database file that no process has open, and the files that SQLite left beside it. */
export function removeWithBeside(file: string): void {
  for (const suffix of ["", ...BESIDE]) rmSync(file + suffix, { force: true });
}

/** Changes a database file that no other process has open, and leaves it as one synced file. Throws if it is damaged. */
export function editFile(file: string, edit: (db: Database) => void): void {
  const db = new Sqlite(file);
  try {
    db.pragma("journal_mode = DELETE");
    // Deleted data must not stay readable in the file.
    db.pragma("secure_delete = ON");
    db.transaction(() => edit(db)).immediate();
    if (db.pragma("quick_check", { simple: true }) !== "ok") throw new Error("database disk image is malformed");
  } finally {
    db.close();
  }
  syncFile(file);
}

/** Syncs a file, or the names in a directory, to the disk. */
export function syncFile(path: string): void {
  const handle = openSync(path, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
