/**
 * Maintenance of a spool in a PostgreSQL database, whether or not this process has it open: each call has its own connection.
 * Backups are left to PostgreSQL's tools.
 */
import pg, { type Client, type ClientConfig } from "pg";
import type { KeyExchange, SpoolMaintenance, StoreCheck } from "../../../port/maintenance.ts";
import { readSealedValues, resealValues } from "../accounts/sealed-values.ts";
import { clientConfig, inTransaction, sessionOn } from "../connection/database.ts";
import { isLockTimeout } from "../connection/database-error.ts";
import { parseDatabaseUrl } from "../connection/database-url.ts";
import { describeDatabaseFailure } from "../connection/open-failure.ts";
import { hasSchema, holdSchema, lockSchema, migrate } from "../connection/schema-version.ts";
import { checkServer, forgetMasterKey, replaceMasterKey, storedMasterKey } from "../connection/server-checks.ts";
import { type Session, statement } from "../connection/statement.ts";
import { requireNoUnfinishedCopy } from "../copy/copy-marker.ts";
import { lastLoss, type ReviewEnd } from "./failover-review.ts";
import { endFormerNodes, LEASE_MS, listNodes } from "./nodes-table.ts";

/** The advisory lock of the master key: shared while values are sealed by a command, exclusive while the key is exchanged. */
const SEALING_LOCK = 0x7365_616c;

/** How long a lock is waited for. An exchange takes a moment. */
const LOCK_TIMEOUT_MS = 10_000;

/** Greater than all versions of the schema. */
const ANY_SCHEMA = 2 ** 31 - 1;

const BACKUP_TOOLS =
  "with DATABASE_URL, back up and restore the database with PostgreSQL's tools, such as pg_dump or pg_basebackup, and master.key with it (docs/CLUSTER.md#backup)";

const limitLockWaits = statement(`SELECT set_config('lock_timeout', '${LOCK_TIMEOUT_MS}', false)`);
const lockShared = statement("SELECT pg_advisory_lock_shared($1)");
const tryLock = statement<{ isLocked: boolean }>('SELECT pg_try_advisory_lock($1) AS "isLocked"');
const examine = statement<Omit<StoreCheck & { type: "database" }, "type" | "loss">>(
  `SELECT pg_database_size(current_database()) AS "sizeBytes", current_setting('server_version') AS "serverVersion",
          current_setting('data_checksums') = 'on' AS "hasChecksums",
          current_setting('synchronous_standby_names') <> '' AS "isSynchronous",
          standbys.count AS standbys, standbys.behind::bigint AS "behindBytes"
     FROM (SELECT count(*), max(pg_wal_lsn_diff(pg_current_wal_flush_lsn(), flush_lsn)) AS behind FROM pg_stat_replication
             WHERE pid NOT IN (SELECT active_pid FROM pg_replication_slots WHERE active_pid IS NOT NULL AND slot_type = 'logical')
          ) AS standbys`,
);

/** Throws one line if the URL is not valid. */
export function postgresMaintenance(url: string): SpoolMaintenance {
  const { config, safeUrl } = parseDatabaseUrl(url);
  const reading = <T>(read: (session: Session) => Promise<T>, absent: T): Promise<T> =>
    connected({ config, safeUrl }, async (client) => {
      const session = sessionOn(client);
      return (await hasSchema(session)) ? read(session) : absent;
    });
  return {
    location: { setting: "DATABASE_URL", value: safeUrl },
    exists: () => reading(async () => true, false),
    backUp: refuseBackup,
    readBackup: refuseBackup,
    requireNoSpool: refuseBackup,
    restore: refuseBackup,
    isServed: () => reading(async (session) => (await listNodes(session)).some(({ state }) => state === "live"), false),
    check: () => connected({ config, safeUrl }, checkDatabase),
    sealedValues: (limit) => reading((session) => readSealedValues(session, limit), []),
    makeFirstKey: (make) => connected({ config, safeUrl }, (client) => makeFirstKey(client, make)),
    keyInUse: () => reading(storedMasterKey, null),
    lockSealing: () => lockSealing({ config, safeUrl }),
    exchangeKey: (exchange) => connected({ config, safeUrl }, (client) => exchangeKey(client, exchange)),
  };
}

function refuseBackup(): never {
  throw new Error(BACKUP_TOOLS);
}

interface Address {
  config: ClientConfig;
  safeUrl: string;
}

async function connected<T>(address: Address, work: (client: Client) => Promise<T>): Promise<T> {
  const client = await connect(address);
  try {
    return await work(client);
  } catch (error) {
    throw withAddress(error, address);
  } finally {
    await client.end().catch(() => {});
  }
}

async function connect(address: Address): Promise<Client> {
  const client = new pg.Client(clientConfig(address.config));
  client.on("error", () => {});
  try {
    await client.connect();
    return client;
  } catch (error) {
    throw withAddress(error, address);
  }
}

function withAddress(error: unknown, { safeUrl }: Address): unknown {
  const text = describeDatabaseFailure(error);
  return text === null ? error : new Error(`DATABASE_URL=${safeUrl}: ${text}`);
}

async function checkDatabase(client: Client): Promise<StoreCheck> {
  const session = sessionOn(client);
  const [found] = (await session.run(examine)).rows;
  if (found === undefined) throw new Error("the check of the database has returned no row");
  const end = (await hasSchema(session)) ? await lastLoss(session) : null;
  return { type: "database", ...found, loss: end === null ? null : failoverLoss(end) };
}

const failoverLoss = ({ atMs, fromMs, toMs, lostMessages: messages, lostRecipients: recipients }: ReviewEnd) => ({
  atMs,
  fromMs,
  toMs,
  messages,
  recipients,
});

/** The lock of the schema keeps another process from making a key meanwhile. */
async function makeFirstKey(client: Client, make: () => string): Promise<boolean> {
  const session = sessionOn(client);
  await checkServer(session);
  await migrate(client);
  await requireNoUnfinishedCopy(session);
  return inTransaction(client, "BEGIN", async (transaction) => {
    await lockSchema(transaction);
    if ((await storedMasterKey(transaction)) !== null || (await readSealedValues(transaction, 1)).length > 0)
      return false;
    await replaceMasterKey(transaction, make());
    return true;
  });
}

async function lockSealing(address: Address): Promise<() => Promise<void>> {
  const client = await connect(address);
  const session = sessionOn(client);
  try {
    await session.run(limitLockWaits);
    await session.run(lockShared, [SEALING_LOCK]);
  } catch (error) {
    await client.end().catch(() => {});
    if (isLockTimeout(error)) throw new Error("the master key is being exchanged");
    throw withAddress(error, address);
  }
  return () => client.end().catch(() => {});
}

/** The locks end with the connection, and with it the exchange: its writes are on the same connection. */
async function exchangeKey<T>(client: Client, exchange: (values: KeyExchange) => Promise<T>): Promise<T> {
  const session = sessionOn(client);
  await migrate(client);
  await session.run(limitLockWaits);
  const [taken] = (await session.run(tryLock, [SEALING_LOCK])).rows;
  if (taken?.isLocked !== true) throw new Error("another command uses the master key: try again");
  await holdSchema(session);
  await refuseNodes(session);
  return exchange({
    resealAll: (reseal) =>
      inTransaction(client, "BEGIN", async (transaction) => {
        await replaceMasterKey(transaction, await resealValues(transaction, reseal));
      }),
    forgetKey: () => forgetMasterKey(session),
  });
}

/** A node that was killed is registered until some time after its lease has expired. */
async function refuseNodes(session: Session): Promise<void> {
  const [running] = await endFormerNodes(session, ANY_SCHEMA);
  if (running === undefined) return;
  throw new Error(
    `the node ${running.name} is running: stop all nodes first; one that was killed counts for ${(2 * LEASE_MS) / 1000} s`,
  );
}
