/**
 * Backup and restore of a whole installation: the spool together with the master key that its secrets are sealed with. The
 * spool's files are handled by spool/.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { installMasterKey } from "../../security/vault.ts";
import type { Backup } from "../../spool/port/maintenance.ts";
import type { Installation } from "./installation-parts.ts";
import { MASTER_KEY_FILE } from "./master-key.ts";
import { prepareDirectory, SettingError } from "./startup-checks.ts";

export interface BackupRequest {
  /** Must not exist. */
  file: string;
  nowMs: number;
  withMasterKey: boolean;
}

/** Writes a backup, also beside a running service. Rejects with one line where it cannot, leaving no file. */
export async function backUp(
  { certsDir, spool }: Installation,
  { withMasterKey, ...request }: BackupRequest,
): Promise<{ sizeBytes: number; hasMasterKey: boolean }> {
  if (existsSync(request.file)) throw new Error(`${request.file} already exists`);
  // The key in the backup must be the one that its secrets are sealed with.
  const unlockSealing = await spool.lockSealing();
  try {
    const masterKey = withMasterKey ? masterKeyText(certsDir) : null;
    const sizeBytes = describing(request.file, () => spool.backUp({ ...request, masterKey }));
    return { sizeBytes, hasMasterKey: masterKey !== null };
  } finally {
    await unlockSealing();
  }
}

export interface RestoredBackup {
  /** Null where that cannot be read. */
  madeAtMs: number | null;
  masterKeyFile: string;
  /** `restored`: the backup's. Of a backup without one: CERTS_DIR's is `kept`, or `missing` there too. */
  masterKey: "restored" | "kept" | "missing";
}

/** Restores a backup with its master key. Throws one line where it cannot, or where there is a spool; it then makes none. */
export function restoreBackup({ certsDir, spool }: Installation, file: string): RestoredBackup {
  if (!existsSync(file)) throw new Error(`there is no file ${file}`);
  describing(`restore ${file}`, () => spool.requireNoSpool());
  const backup = describing(file, () => spool.readBackup(file));
  if (backup === null) throw new Error(`${file} is not a backup made by "postrider backup"`);
  prepareDirectory("CERTS_DIR", certsDir);
  let masterKey: RestoredBackup["masterKey"] = "missing";
  const beforePlacing = (): void => {
    masterKey = restoreMasterKey(backup, certsDir);
  };
  describing(`${file} cannot be restored into ${spool.location.value}`, () => spool.restore({ file, beforePlacing }));
  return { madeAtMs: backup.madeAtMs, masterKeyFile: join(certsDir, MASTER_KEY_FILE), masterKey };
}

function restoreMasterKey({ masterKey }: Backup, certsDir: string): RestoredBackup["masterKey"] {
  const present = masterKeyText(certsDir);
  if (masterKey === null) return present === null ? "missing" : "kept";
  if (present === null) installMasterKey(certsDir, masterKey);
  if (masterKeyText(certsDir)?.trim() === masterKey.trim()) return "restored";
  throw new Error(`${join(certsDir, MASTER_KEY_FILE)} is not the key of this backup: move it away first`);
}

function masterKeyText(certsDir: string): string | null {
  const file = join(certsDir, MASTER_KEY_FILE);
  return existsSync(file) ? readFileSync(file, "utf8") : null;
}

/** Prefixes the message of an error in `run` with the file or operation it concerns. */
function describing<T>(prefix: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof SettingError) throw error;
    throw new Error(`${prefix}: ${(error as Error).message}`);
  }
}
