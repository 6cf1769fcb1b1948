/** Opens the spool that a configuration names: in a PostgreSQL database, or in SQLite files without DATABASE_URL. */
import type { Config } from "../../config.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../lib/log.ts";
import type { Vault } from "../../security/vault.ts";
import type { Store } from "../../spool/port/store.ts";
import { parseDatabaseUrl } from "../../spool/postgres/database-url.ts";
import { NodeRefused } from "../../spool/postgres/nodes-table.ts";
import { describeDatabaseFailure } from "../../spool/postgres/open-failure.ts";
import { openPostgresSpool } from "../../spool/postgres/postgres-spool.ts";
import { untilReachable } from "../../spool/postgres/reachability.ts";
import { openSqliteSpool } from "../../spool/sqlite/sqlite-spool.ts";
import { prepareDirectory, SettingError } from "../startup-checks.ts";
import { nodeIdentity } from "./node-identity.ts";

export interface OpenOptions {
  /** `service` delivers; `client` (the command line) works beside it. */
  role: "service" | "client";
  clock: Clock;
  log: Logger;
  /** With a SettingError if the process may not go on as a node of the database. */
  onFatal: (error: Error) => void;
  /** Opens the vault. A database is used only by processes with the same master key. */
  openVault: () => Promise<Vault>;
}

/** Opens the spool, creating or migrating it. Rejects with one line. A service waits for a database that is starting. */
export async function openSpool(config: Config, options: OpenOptions): Promise<Store> {
  const { databaseUrl, dataDir } = config;
  if (databaseUrl !== null) return openDatabase(databaseUrl, config, options);
  const { role, onFatal } = options;
  prepareDirectory("DATA_DIR", dataDir);
  return openSqliteSpool({ dataDir, role, onFatal });
}

async function openDatabase(url: string, config: Config, { openVault, ...given }: OpenOptions): Promise<Store> {
  const { role, clock, log } = given;
  const address = parseDatabaseUrl(url);
  const onFatal = (error: Error): void =>
    given.onFatal(error instanceof NodeRefused ? withSetting(error, address.safeUrl) : error);
  const options = { ...given, onFatal };
  try {
    if (role === "service") await untilReachable({ config: address.config, clock, log });
    const { fingerprints } = await openVault();
    return await openPostgresSpool({ ...options, url, identity: nodeIdentity(config), fingerprints });
  } catch (error) {
    throw withSetting(error, address.safeUrl);
  }
}

/** Errors about other settings name them already. */
function withSetting(error: unknown, safeUrl: string): Error {
  if (error instanceof SettingError) return error;
  const text = describeDatabaseFailure(error) ?? (error as Error).message;
  const isNamed = /^(DATABASE_URL|CERTS_DIR)\b/.test(text);
  return new SettingError(isNamed ? text : `DATABASE_URL=${safeUrl}: ${text}`);
}
