/**
 * The installation that a configuration names. Its spool is in a PostgreSQL database, or in SQLite files without DATABASE_URL. The
 * form that is not used is not loaded.
 */

import type { Installation } from "../app/installation/installation-parts.ts";
import { type Config, ConfigError } from "../config.ts";
import type { SpoolMaintenance } from "../spool/port/maintenance.ts";

type InstallationConfig = Pick<Config, "databaseUrl" | "dataDir" | "certsDir" | "nodeName">;

/** Opens and makes nothing. Rejects with a ConfigError if DATABASE_URL is not valid. */
export async function installationOf(config: InstallationConfig): Promise<Installation> {
  const { databaseUrl, dataDir, certsDir } = config;
  return {
    certsDir,
    spool: databaseUrl === null ? await filesMaintenance(dataDir) : await databaseMaintenance(databaseUrl),
    copyFiles: async (url) => (await import("./copy-files.ts")).copyFiles(config, url),
  };
}

async function filesMaintenance(dataDir: string): Promise<SpoolMaintenance> {
  const { sqliteMaintenance } = await import("./sqlite-maintenance.ts");
  return sqliteMaintenance(dataDir);
}

async function databaseMaintenance(url: string): Promise<SpoolMaintenance> {
  const { postgresMaintenance } = await import("../spool/engine/postgres/cluster/maintenance.ts");
  try {
    return postgresMaintenance(url);
  } catch (error) {
    throw new ConfigError((error as Error).message);
  }
}
