/**
 * Makes a backup: the whole spool at one moment, in one file, made beside a running service. The file is a spool that starts
 * with delivery paused and without marks, even if it is merely copied into place. It carries the master key unless that is
 * left out. restore.ts puts it back.
 */
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Database } from "better-sqlite3";
import { renameNoReplace } from "../../../../lib/rename-no-replace.ts";
import { type DeliveryPause, PAUSE_ENTRY } from "../../../port/delivery-pause.ts";
import { FairScheduler } from "../../../scheduler/fair-scheduler.ts";
import { HotQueue } from "../../../scheduler/hot-queue.ts";
import { lockBackup } from "../connection/database.ts";
import Sqlite from "../connection/driver.ts";
import { EventWriter, skipNumbers } from "../mail/event-writer.ts";
import { Leases } from "../mail/leases.ts";
import { Queue } from "../mail/queue.ts";
import { RecipientStates } from "../mail/recipient-states.ts";
import { Quarantine } from "../quarantine/quarantine.ts";
import { ActivityCounts } from "../reports/activity.ts";
import { DamageLog } from "./damage.ts";
import { setNewIdentity } from "./log-identity.ts";
import { Rebuilding } from "./rebuilding.ts";
import { editFile, removeWithBeside, SPOOL_FILE, syncFile } from "./spool-files.ts";

/** Name of the master key's entry in the backup's key-value store. */
export const MASTER_KEY_ENTRY = "backup-master-key";
export const OWNER_ONLY = 0o600;

export interface BackupOptions {
  dataDir: string;
  /** The path of the backup, which must not exist yet. */
  file: string;
  nowMs: number;
  /** The text of certs/master.key; null to leave it out. */
  masterKey: string | null;
}

/** Makes a backup, owner-only and synced. Returns its size in bytes; if it throws, there is no file. */
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
  // Left by a killed backup; one under way would hold the lock.
  removeWithBeside(draft);
  // SQLite writes into an empty file. A file that SQLite makes would be readable by all users.
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

/** Marked recipients become `unknown`, delivery is paused until an operator resumes it, and all sessions end. */
function prepareForRestore(db: Database, { nowMs, masterKey }: { nowMs: number; masterKey: string | null }): void {
  const setEntry = db.prepare("INSERT OR REPLACE INTO key_values (name, text) VALUES (?, ?)");
  const memory = {
    scheduler: new FairScheduler(),
    leases: new Leases(),
    hotQueue: new HotQueue(),
    damage: new DamageLog(),
  };
  const quarantine = new Quarantine(db, memory);
  const rebuilding = new Rebuilding(db, memory.damage);
  const activity = new ActivityCounts(db, memory.damage);
  const events = new EventWriter(db, memory.damage);
  const states = new RecipientStates(db, events);
  new Queue(db, { ...memory, quarantine, rebuilding, activity, events, states }).recover({ nowMs, result: "unknown" });
  const newestSeq = db.prepare<[], number>("SELECT coalesce(max(seq), 0) FROM messages").pluck().get() ?? 0;
  setEntry.run(PAUSE_ENTRY, JSON.stringify({ backupAtMs: nowMs, newestSeq } satisfies DeliveryPause));
  if (masterKey !== null) setEntry.run(MASTER_KEY_ENTRY, masterKey);
  skipNumbers(db, nowMs);
  db.exec("DELETE FROM sessions");
  // If the backup is copied over the spool by hand, the log there must not pass for its own.
  setNewIdentity(db);
}
