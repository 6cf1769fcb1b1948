/** Opens the spool in the PostgreSQL database of DATABASE_URL. */

import { SettingError } from "../app/installation/startup-checks.ts";
import type { Config } from "../config.ts";
import { silentLog } from "../lib/log.ts";
import { NodeRefused } from "../spool/engine/postgres/cluster/nodes-table.ts";
import { parseDatabaseUrl } from "../spool/engine/postgres/connection/database-url.ts";
import { describeDatabaseFailure } from "../spool/engine/postgres/connection/open-failure.ts";
import { untilReachable } from "../spool/engine/postgres/connection/reachability.ts";
import { openPostgresSpool } from "../spool/engine/postgres/postgres-spool.ts";
import type { Store } from "../spool/port/store.ts";
import { nodeIdentity } from "./node-identity.ts";
import type { OpenOptions } from "./open-options.ts";

export async function openDatabase(
  url: string,
  config: Config,
  { openVault, log = silentLog, ...given }: OpenOptions,
): Promise<Store> {
  const { role, clock } = given;
  const address = parseDatabaseUrl(url);
  const onFatal = (error: Error): void =>
    given.onFatal(error instanceof NodeRefused ? withSetting(error, address.safeUrl) : error);
  const options = { ...given, log, onFatal };
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
