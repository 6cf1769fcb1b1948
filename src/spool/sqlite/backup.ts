/**
 * A backup: the whole spool as it stood at one moment, in one file, made beside a running service. The file is
 * a spool by itself that would start with delivery paused and without marks, even if somebody merely copied it into place. It
 * carries the master key unless that is left out. See restore.ts for putting it back.
 */
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Database } from "better-sqlite3";
import { renameNoReplace } from "../../lib/rename-no-replace.ts";
import { type DeliveryPause, PAUSE_NOTE } from "../port/delivery-pause.ts";
import { FairScheduler } from "../scheduler/fair-scheduler.ts";
import { HotQueue } from "../scheduler/hot-queue.ts";
import { ActivityCounts } from "./activity.ts";
import { DamageLog } from "./damage.ts";
import { lockBackup } from "./database.ts";
import Sqlite from "./driver.ts";
import { setNewIdentity } from "./identity.ts";
import { Leases } from "./leases.ts";
import { Quarantine } from "./quarantine.ts";
import { Queue } from "./queue.ts";
import { Rebuilding } from "./rebuilding.ts";
import { editFile, removeWithBeside, SPOOL_FILE, syncFile } from "./spool-files.ts";

export const KEY_NOTE = "backup-master-key";
export const OWNER_ONLY = 0o600;

export interface BackupOptions {
  dataDir: string;
  /** Must not exist yet. */
  file: string;
  nowMs: number;
  /** The text of certs/master.key; null to leave it out. */
  masterKey: string | null;
}

/** Makes a backup, owner-only and on disk when this returns; its size in bytes. Throws where it cannot, leaving no file. */
export function makeBackup(options: BackupOptions): number {
  const unlock = lockBackup(options.dataDir);
  try {
    return placeBackup(options);
  } finally {
    unlock();
  }
}

function placeBackup({ dataDir, file, nowMs, masterKey }: BackupOptions): number {
  const draft = `${file}.partial`;
  // Of a backup that was killed: one under way would hold the lock.
  removeWithBeside(draft);
  // SQLite writes into an empty file; made by it, the file would be everybody's to read.
  writeFileSync(draft, "", { mode: OWNER_ONLY, flag: "wx" });
  try {
    copySpool(dataDir, draft);
    editFile(draft, (db) => prepareForRestore(db, { nowMs, masterKey }));
    renameNoReplace(draft, file);
    syncFile(join(file, ".."));
    return statSync(file).size;
  } finally {
    removeWithBeside(draft);
  }
}

function copySpool(dataDir: string, draft: string): void {
  const spool = new Sqlite(join(dataDir, SPOOL_FILE), { readonly: true });
  try {
    spool.prepare("VACUUM INTO ?").run(draft);
  } finally {
    spool.close();
  }
}

/** What was being handed over is in doubt, delivery waits for a person, and nobody stays signed in. */
function prepareForRestore(db: Database, { nowMs, masterKey }: { nowMs: number; masterKey: string | null }): void {
  const setNote = db.prepare("INSERT OR REPLACE INTO notes (name, text) VALUES (?, ?)");
  const memory = {
    scheduler: new FairScheduler(),
    leases: new Leases(),
    hotQueue: new HotQueue(),
    damage: new DamageLog(),
  };
  const quarantine = new Quarantine(db, memory);
  const rebuilding = new Rebuilding(db, memory.damage);
  const parts = { ...memory, quarantine, rebuilding, activity: new ActivityCounts(db, memory.damage) };
  new Queue(db, parts).recover({ nowMs, result: "unknown" });
  const newestSeq = db.prepare<[], number>("SELECT coalesce(max(seq), 0) FROM messages").pluck().get() ?? 0;
  setNote.run(PAUSE_NOTE, JSON.stringify({ backupAtMs: nowMs, newestSeq } satisfies DeliveryPause));
  if (masterKey !== null) setNote.run(KEY_NOTE, masterKey);
  db.exec("DELETE FROM sessions");
  // Copied over the spool by hand, it must not be taken for the file that the log there belongs to.
  setNewIdentity(db);
}
