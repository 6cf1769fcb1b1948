/** Opens the spool in the PostgreSQL database of DATABASE_URL. */
import type { Config } from "../../config.ts";
import { silentLog } from "../../lib/log.ts";
import type { Store } from "../../spool/port/store.ts";
import { parseDatabaseUrl } from "../../spool/postgres/database-url.ts";
import { NodeRefused } from "../../spool/postgres/nodes-table.ts";
import { describeDatabaseFailure } from "../../spool/postgres/open-failure.ts";
import { openPostgresSpool } from "../../spool/postgres/postgres-spool.ts";
import { untilReachable } from "../../spool/postgres/reachability.ts";
import { SettingError } from "../startup-checks.ts";
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
