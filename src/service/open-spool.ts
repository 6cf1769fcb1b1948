/**
 * Opens the spool that a configuration names: in a PostgreSQL database, or in SQLite files without DATABASE_URL. The form that is
 * not used is not loaded.
 */

import { prepareDirectory } from "../app/installation/startup-checks.ts";
import type { Config } from "../config.ts";
import type { Store } from "../spool/port/store.ts";
import type { OpenOptions } from "./open-options.ts";

/** Opens the spool, creating or migrating it. Rejects with one line. A service waits for a database that is starting. */
export async function openSpool(config: Config, options: OpenOptions): Promise<Store> {
  const { databaseUrl, dataDir } = config;
  if (databaseUrl !== null) {
    const { openDatabase } = await import("./database-spool.ts");
    return openDatabase(databaseUrl, config, options);
  }
  const { role, onFatal } = options;
  prepareDirectory("DATA_DIR", dataDir);
  const { openSqliteSpool } = await import("../spool/engine/sqlite/sqlite-spool.ts");
  return openSqliteSpool({ dataDir, role, onFatal });
}
