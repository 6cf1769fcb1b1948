/** Maintenance of a spool in the SQLite files of a directory. */
import { resolve } from "node:path";
import { hasFile, prepareDirectory } from "../app/installation/startup-checks.ts";
import { isLocked, lockDataDir, lockSealing } from "../spool/engine/sqlite/connection/database.ts";
import { makeBackup } from "../spool/engine/sqlite/files/backup.ts";
import { quickCheck } from "../spool/engine/sqlite/files/quick-check.ts";
import { resealAll } from "../spool/engine/sqlite/files/reseal.ts";
import { readBackup, refuseLeftovers, restoreBackup } from "../spool/engine/sqlite/files/restore.ts";
import { sealedValues } from "../spool/engine/sqlite/files/sealed-values.ts";
import { isFilled, LOG_FILE, SPOOL_FILE } from "../spool/engine/sqlite/files/spool-files.ts";
import type { KeyExchange, SpoolMaintenance } from "../spool/port/maintenance.ts";

export function sqliteMaintenance(dataDir: string): SpoolMaintenance {
  return {
    location: { setting: "DATA_DIR", value: resolve(dataDir) },
    // A write-ahead log without its spool file is refused when the spool is opened, as at the service's start.
    async exists() {
      if (hasFile("DATA_DIR", dataDir, SPOOL_FILE)) return true;
      return hasFile("DATA_DIR", dataDir, LOG_FILE) && isFilled(dataDir, LOG_FILE);
    },
    backUp: (options) => makeBackup({ ...options, dataDir }),
    readBackup,
    requireNoSpool: () => refuseLeftovers(dataDir),
    restore(options) {
      prepareDirectory("DATA_DIR", dataDir);
      restoreBackup({ ...options, dataDir });
    },
    isServed: async () => isLocked(dataDir),
    check: () => quickCheck(dataDir),
    sealedValues: async (limit) => sealedValues(dataDir, limit),
    async makeFirstKey(make) {
      if (sealedValues(dataDir, 1).length > 0) return false;
      make();
      return true;
    },
    keyInUse: async () => null,
    async lockSealing() {
      const unlock = lockSealing(dataDir, { alone: false });
      return async () => unlock();
    },
    exchangeKey: (exchange) => exchangeKey(dataDir, exchange),
  };
}

async function exchangeKey<T>(dataDir: string, exchange: (values: KeyExchange) => Promise<T>): Promise<T> {
  const unlockDataDir = lockDataDir(dataDir);
  try {
    const unlockSealing = lockSealing(dataDir, { alone: true });
    try {
      return await exchange({
        resealAll: async (reseal) => resealAll(dataDir, reseal),
        // Nothing records which key is in use.
        forgetKey: async () => {},
      });
    } finally {
      unlockSealing();
    }
  } finally {
    unlockDataDir();
  }
}
