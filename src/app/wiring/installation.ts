/** The installation that a configuration names. Its spool is in a PostgreSQL database, or in SQLite files without DATABASE_URL. */
import { resolve } from "node:path";
import { type Config, ConfigError } from "../../config.ts";
import { systemClock } from "../../lib/clock.ts";
import { openVault } from "../../security/vault.ts";
import { copySpool } from "../../spool/copy/spool-copy.ts";
import type { KeyExchange, SpoolMaintenance } from "../../spool/port/maintenance.ts";
import type { CopyReport } from "../../spool/port/spool-copy.ts";
import { postgresMaintenance } from "../../spool/postgres/maintenance.ts";
import { makeBackup } from "../../spool/sqlite/backup.ts";
import { lockDataDir, lockSealing } from "../../spool/sqlite/database.ts";
import { quickCheck } from "../../spool/sqlite/quick-check.ts";
import { resealAll } from "../../spool/sqlite/reseal.ts";
import { readBackup, refuseLeftovers, restoreBackup } from "../../spool/sqlite/restore.ts";
import { sealedValues } from "../../spool/sqlite/sealed-values.ts";
import { isFilled, LOG_FILE, SPOOL_FILE } from "../../spool/sqlite/spool-files.ts";
import type { Installation } from "../installation.ts";
import { describeMissingKey, hasMasterKey, masterKeyState } from "../master-key.ts";
import { hasFile, prepareDirectory } from "../startup-checks.ts";

type InstallationConfig = Pick<Config, "databaseUrl" | "dataDir" | "certsDir" | "nodeName">;

/** Opens and makes nothing. Throws ConfigError if DATABASE_URL is not valid. */
export function installationOf(config: InstallationConfig): Installation {
  const { databaseUrl, dataDir, certsDir } = config;
  return {
    certsDir,
    spool: databaseUrl === null ? sqliteMaintenance(dataDir) : databaseMaintenance(databaseUrl),
    copyFiles: (url) => copyFiles(config, url),
  };
}

/** With DATABASE_URL as well: it may name the database that the service is going to use. */
async function copyFiles({ dataDir, certsDir, nodeName }: InstallationConfig, url: string): Promise<CopyReport> {
  const files = { certsDir, spool: sqliteMaintenance(dataDir) };
  if (!(await files.spool.exists())) {
    throw new Error(`there is no spool in ${resolve(dataDir)}: set DATA_DIR to the service's`);
  }
  const fingerprint = await keyInFiles(files);
  return copySpool({ url, nowMs: systemClock.now(), dataDir, fingerprint, nodeName });
}

/** The fingerprint of the master key; null if there is none, and nothing is sealed. */
async function keyInFiles(files: Pick<Installation, "certsDir" | "spool">): Promise<string | null> {
  const state = await masterKeyState(files);
  const { certsDir, spool } = files;
  if (state === null) throw new Error(describeMissingKey(files));
  if (!hasMasterKey(files)) return null;
  const opened = state.domains.opened + state.secondFactors.opened + state.webhooks.opened;
  const unopened = state.domains.unopened.length + state.secondFactors.unopened + state.webhooks.unopened;
  if (opened === 0 && unopened > 0) {
    throw new Error(`CERTS_DIR=${certsDir} has another master.key than the service that used ${spool.location.value}`);
  }
  const [fingerprint] = openVault(certsDir).fingerprints;
  return fingerprint;
}

function databaseMaintenance(url: string): SpoolMaintenance {
  try {
    return postgresMaintenance(url);
  } catch (error) {
    throw new ConfigError((error as Error).message);
  }
}

function sqliteMaintenance(dataDir: string): SpoolMaintenance {
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
