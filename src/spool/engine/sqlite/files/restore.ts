/**
 * Puts a backup back as the spool of a data directory without one: all of it, or nothing. See backup.ts for the content of a
 * backup, restore-hold.ts for the spool afterwards.
 */
import { chmodSync, closeSync, copyFileSync, existsSync, openSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { renameNoReplace } from "../../../../lib/rename-no-replace.ts";
import { PAUSE_ENTRY, parsePause } from "../../../port/delivery-pause.ts";
import type { Backup } from "../../../port/maintenance.ts";
import { migrate } from "../../../schema/sqlite.ts";
import { lockDataDir } from "../connection/database.ts";
import Sqlite from "../connection/driver.ts";
import { skipNumbers } from "../mail/event-writer.ts";
import { MASTER_KEY_ENTRY, OWNER_ONLY } from "./backup.ts";
import { removeIdentity, setNewIdentity } from "./log-identity.ts";
import { BESIDE, draftIn, editFile, removeDraft, SPOOL_FILE, spoolFilesIn, syncFile } from "./spool-files.ts";

/**
 * Reads what a backup says about itself; null if the file is not a backup. Leaves no other file beside it. Throws if it cannot
 * be read, or if SQLite files lie beside it.
 */
export function readBackup(file: string): Backup | null {
  if (!statSync(file).isFile()) throw new Error("it is not a file");
  const beside = BESIDE.map((suffix) => file + suffix).find((name) => existsSync(name));
  if (beside !== undefined) throw new Error(`${beside} lies beside it: a backup is one file, as it was made`);
  if (isInWalMode(file)) {
    throw new Error(
      `it is a spool itself, or a copy of one, not a backup: to use it, copy it to ${SPOOL_FILE} in an empty DATA_DIR`,
    );
  }
  const db = new Sqlite(file, { readonly: true, fileMustExist: true });
  try {
    const entry = db.prepare<[string], string>("SELECT text FROM key_values WHERE name = ?").pluck();
    const pause = entry.get(PAUSE_ENTRY);
    if (pause === undefined) return null;
    return { madeAtMs: parsePause(pause).backupAtMs, masterKey: entry.get(MASTER_KEY_ENTRY) ?? null };
  } catch (error) {
    if (/^no such table/.test((error as Error).message)) return null;
    throw error;
  } finally {
    db.close();
  }
}

/** Throws one line if any file of a spool is in `dataDir`: SQLite would apply it to a database put there. */
export function refuseLeftovers(dataDir: string): void {
  const names = spoolFilesIn(dataDir);
  if (names.length === 0) return;
  const what = names.includes(SPOOL_FILE) ? "there is a spool in" : "there is a part of a spool in";
  throw new Error(`${what} ${dataDir} already: move ${names.join(", ")} away together first: each may hold messages`);
}

export interface RestoreOptions {
  file: string;
  dataDir: string;
  /** Called after the backup has been verified, before it becomes the spool. If it throws, there is no spool. */
  beforePlacing: () => void;
}

/**
 * Puts a backup, except its master key, into a data directory without a spool. Throws one line if there is a spool, if a
 * service holds the directory, or if the backup is damaged; then, and if killed, it leaves no spool.
 */
export function restoreBackup({ file, dataDir, beforePlacing }: RestoreOptions): void {
  const unlock = lockDataDir(dataDir);
  const draft = draftIn(dataDir);
  try {
    refuseLeftovers(dataDir);
    removeDraft(dataDir);
    copyFileSync(file, draft);
    chmodSync(draft, OWNER_ONLY);
    editFile(draft, (db) => {
      migrate(db);
      db.prepare("DELETE FROM key_values WHERE name = ?").run(MASTER_KEY_ENTRY);
      skipNumbers(db, Date.now());
      setNewIdentity(db);
    });
    beforePlacing();
    // It may belong to a spool that was moved away.
    removeIdentity(dataDir);
    // A command may have made a spool meanwhile.
    renameNoReplace(draft, join(dataDir, SPOOL_FILE));
    syncFile(dataDir);
  } finally {
    removeDraft(dataDir);
    unlock();
  }
}

/** Whether a SQLite file uses a write-ahead log: opening it would make files beside it. No backup does. */
function isInWalMode(file: string): boolean {
  const header = Buffer.alloc(20);
  const handle = openSync(file, "r");
  try {
    const sizeBytes = readSync(handle, header, 0, header.length, 0);
    return sizeBytes === header.length && header.toString("latin1", 0, 16) === "SQLite format 3\0" && header[18] === 2;
  } finally {
    closeSync(handle);
  }
}
