/** Opens a spool in this process, in either form. */
import { systemClock } from "../../src/lib/clock.ts";
import { silentLog } from "../../src/lib/log.ts";
import { openVault } from "../../src/security/vault.ts";
import { openPostgresSpool } from "../../src/spool/engine/postgres/postgres-spool.ts";
import { openSqliteSpool } from "../../src/spool/engine/sqlite/sqlite-spool.ts";
import type { Store } from "../../src/spool/port/store.ts";
import type { Places } from "./postrider-account.ts";

/** A `service` claims; a `client` works beside one. */
export async function openStore(
  { dataDir, certsDir, databaseUrl: url }: Places,
  role: "service" | "client",
): Promise<Store> {
  const onFatal = (error: Error): never => {
    throw error;
  };
  if (url === null) return openSqliteSpool({ dataDir, role, onFatal });
  const { fingerprints } = openVault(certsDir);
  const identity = { name: "bench", address: "127.0.0.1", version: "0" };
  return openPostgresSpool({ url, role, identity, fingerprints, onFatal, clock: systemClock, log: silentLog });
}
