/**
 * Putting a backup back as the spool of a data directory that holds none: the whole of it, or nothing. See backup.ts for what
 * a backup is, restored.ts for the spool after it.
 */
import { chmodSync, closeSync, copyFileSync, existsSync, openSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { renameNoReplace } from "../../lib/rename-no-replace.ts";
import { PAUSE_NOTE, pauseOf } from "../port/delivery-pause.ts";
import type { Backup } from "../port/maintenance.ts";
import { KEY_NOTE, OWNER_ONLY } from "./backup.ts";
import { lockDataDir } from "./database.ts";
import Sqlite from "./driver.ts";
import { forgetIdentity, setNewIdentity } from "./identity.ts";
import { migrate } from "./schema.ts";
import { BESIDE, draftIn, editFile, removeDraft, SPOOL_FILE, spoolFilesIn, syncFile } from "./spool-files.ts";

/**
 * What a file says of itself; null when it is no backup. Leaves no other file beside it. Throws when it cannot be read, or is a
 * part of what lies beside it.
 */
export function readBackup(file: string): Backup | null {
  if (!statSync(file).isFile()) throw new Error("it is not a file");
  const beside = BESIDE.map((suffix) => file + suffix).find((name) => existsSync(name));
  if (beside !== undefined) throw new Error(`${beside} lies beside it: a backup is one file, as it was made`);
  if (hasLog(file)) {
    throw new Error(
      `it is a spool itself, or a copy of one, not a backup: to use it, copy it to ${SPOOL_FILE} in an empty DATA_DIR`,
    );
  }
  const db = new Sqlite(file, { readonly: true, fileMustExist: true });
  try {
    const note = db.prepare<[string], string>("SELECT text FROM notes WHERE name = ?").pluck();
    const pause = note.get(PAUSE_NOTE);
    if (pause === undefined) return null;
    return { madeAtMs: pauseOf(pause).backupAtMs, masterKey: note.get(KEY_NOTE) ?? null };
  } catch (error) {
    if (/^no such table/.test((error as Error).message)) return null;
    throw error;
  } finally {
    db.close();
  }
}

/** Throws one line when a spool, or anything of one, is in `dataDir`: SQLite would take it for a part of a file put there. */
export function refuseLeftovers(dataDir: string): void {
  const names = spoolFilesIn(dataDir);
  if (names.length === 0) return;
  const what = names.includes(SPOOL_FILE) ? "there is a spool in" : "there is a part of a spool in";
  throw new Error(`${what} ${dataDir} already: move ${names.join(", ")} away together first: each may hold messages`);
}

export interface RestoreOptions {
  file: string;
  dataDir: string;
  /** Called when the backup has been found whole, before it becomes the spool; where it throws, there is none. */
  beforePlacing: () => void;
}

/**
 * Puts a backup into a data directory without a spool, without the master key. Throws one line when there is one, when a
 * service holds the directory, or when the backup is damaged; then, and when killed, it leaves no spool.
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
      db.prepare("DELETE FROM notes WHERE name = ?").run(KEY_NOTE);
      setNewIdentity(db);
    });
    beforePlacing();
    // The list of a spool that was moved away.
    forgetIdentity(dataDir);
    // A command may have made a spool meanwhile.
    renameNoReplace(draft, join(dataDir, SPOOL_FILE));
    syncFile(dataDir);
  } finally {
    removeDraft(dataDir);
    unlock();
  }
}

/** Whether a SQLite file is one with a write-ahead log, which to open would make files beside it; no backup is. */
function hasLog(file: string): boolean {
  const header = Buffer.alloc(20);
  const handle = openSync(file, "r");
  try {
    const sizeBytes = readSync(handle, header, 0, header.length, 0);
    return sizeBytes === header.length && header.toString("latin1", 0, 16) === "SQLite format 3\0" && header[18] === 2;
  } finally {
    closeSync(handle);
  }
}
