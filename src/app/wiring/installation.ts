/** An installation whose spool is in SQLite files. */
import type { SpoolMaintenance } from "../../spool/port/maintenance.ts";
import { makeBackup } from "../../spool/sqlite/backup.ts";
import { lockDataDir, lockSealing } from "../../spool/sqlite/database.ts";
import { quickCheck } from "../../spool/sqlite/quick-check.ts";
import { resealAll } from "../../spool/sqlite/reseal.ts";
import { readBackup, refuseLeftovers, restoreBackup } from "../../spool/sqlite/restore.ts";
import { sealedValues } from "../../spool/sqlite/sealed-values.ts";
import type { Installation } from "../installation.ts";

/** The installation in these directories; nothing is opened or made. */
export function sqliteInstallation({ dataDir, certsDir }: { dataDir: string; certsDir: string }): Installation {
  return { dataDir, certsDir, spool: sqliteMaintenance(dataDir) };
}

function sqliteMaintenance(dataDir: string): SpoolMaintenance {
  return {
    backUp: (options) => makeBackup({ ...options, dataDir }),
    readBackup,
    requireNoSpool: () => refuseLeftovers(dataDir),
    restore: (options) => restoreBackup({ ...options, dataDir }),
    quickCheck: () => quickCheck(dataDir),
    sealedValues: (limit) => sealedValues(dataDir, limit),
    resealAll: (reseal) => resealAll(dataDir, reseal),
    lockDataDir: () => lockDataDir(dataDir),
    lockSealing: (options) => lockSealing(dataDir, options),
  };
}
