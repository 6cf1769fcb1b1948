/**
 * A backup: the whole spool as it stood at one moment, in one file, made beside a running service; and putting one back. The
 * file is a spool by itself that would start with delivery paused and without marks, even if somebody merely copied it into
 * place. It carries the master key unless that is left out.
 */
import {
  chmodSync,
  closeSync,
  copyFileSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { Database } from "better-sqlite3";
import { type DeliveryPause, PAUSE_NOTE, pauseOf } from "../paused-delivery.ts";
import { prepareActivity } from "./activity.ts";
import { DamageLog } from "./damage.ts";
import { lockDataDir } from "./database.ts";
import Sqlite from "./driver.ts";
import { Lanes } from "./lanes.ts";
import { Leases } from "./leases.ts";
import { Newcomers } from "./newcomers.ts";
import { Quarantine } from "./quarantine.ts";
import { prepareQueue } from "./queue.ts";
import { Rebuilding } from "./rebuilding.ts";
import { migrate } from "./schema.ts";

const KEY_NOTE = "backup-master-key";
const OWNER_ONLY = 0o600;

export interface BackupOptions {
  dataDir: string;
  /** Must not exist yet. */
  file: string;
  nowMs: number;
  /** The text of certs/master.key; null to leave it out. */
  masterKey: string | null;
}

export interface Backup {
  madeAtMs: number;
  masterKey: string | null;
}

/** Makes a backup, owner-only and on disk when this returns; its size in bytes. Throws where it cannot, leaving no file. */
export function makeBackup({ dataDir, file, nowMs, masterKey }: BackupOptions): number {
  const draft = `${file}.partial`;
  // SQLite writes into an empty file; made by it, the file would be everybody's to read.
  writeFileSync(draft, "", { mode: OWNER_ONLY, flag: "wx" });
  try {
    const spool = new Sqlite(join(dataDir, "postrider.db"), { readonly: true });
    spool.prepare("VACUUM INTO ?").run(draft);
    spool.close();
    editFile(draft, (db) => prepareForRestore(db, { nowMs, masterKey }));
    // Unlike a rename this never takes the place of another backup.
    linkSync(draft, file);
    syncFile(join(file, ".."));
    return statSync(file).size;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** What a file says of itself; null when it is no backup. Throws when it cannot be read. */
export function readBackup(file: string): Backup | null {
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

/** Puts a backup into a data directory without a spool, without the master key. Throws one line when a service holds it. */
export function restoreBackup(file: string, dataDir: string): void {
  const unlock = lockDataDir(dataDir);
  const draft = join(dataDir, "postrider.db.partial");
  try {
    rmSync(draft, { force: true });
    copyFileSync(file, draft);
    chmodSync(draft, OWNER_ONLY);
    editFile(draft, (db) => {
      migrate(db);
      db.prepare("DELETE FROM notes WHERE name = ?").run(KEY_NOTE);
    });
    renameSync(draft, join(dataDir, "postrider.db"));
    syncFile(dataDir);
  } finally {
    rmSync(draft, { force: true });
    unlock();
  }
}

/** What was being handed over is in doubt, delivery waits for a person, and nobody stays signed in. */
function prepareForRestore(db: Database, { nowMs, masterKey }: { nowMs: number; masterKey: string | null }): void {
  const setNote = db.prepare("INSERT OR REPLACE INTO notes (name, text) VALUES (?, ?)");
  const memory = { lanes: new Lanes(), leases: new Leases(), newcomers: new Newcomers(), damage: new DamageLog() };
  const quarantine = new Quarantine(db, memory);
  const rebuilding = new Rebuilding(db, memory.damage);
  const parts = { ...memory, quarantine, rebuilding, activity: prepareActivity(db, memory.damage) };
  prepareQueue(db, parts).recover({ nowMs, result: "unknown" });
  const newestSeq = db.prepare<[], number>("SELECT coalesce(max(seq), 0) FROM messages").pluck().get() ?? 0;
  setNote.run(PAUSE_NOTE, JSON.stringify({ backupAtMs: nowMs, newestSeq } satisfies DeliveryPause));
  if (masterKey !== null) setNote.run(KEY_NOTE, masterKey);
  db.exec("DELETE FROM sessions");
}

/** Changes a database file that nobody else has open, and leaves it as that one file, on disk. */
function editFile(file: string, edit: (db: Database) => void): void {
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

function syncFile(path: string): void {
  const handle = openSync(path, "r");
  fsyncSync(handle);
  closeSync(handle);
}
