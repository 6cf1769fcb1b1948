/**
 * A database as the target of a copy: must be without data and without nodes, is marked as unfinished while the copy runs, and
 * is filled in one transaction. If that does not commit, the database is as before, except for the mark.
 */
import pg, { type Client, type ClientConfig } from "pg";
import { SCHEMA_VERSION, TABLES } from "../../../schema/postgres.ts";
import { endFormerNodes, LEASE_MS } from "../cluster/nodes-table.ts";
import { clientConfig, inTransaction, sessionOn } from "../connection/database.ts";
import { parseDatabaseUrl } from "../connection/database-url.ts";
import { describeDatabaseFailure } from "../connection/open-failure.ts";
import { holdSchema, migrate, releaseSchema } from "../connection/schema-version.ts";
import { checkServer, replaceMasterKey, storedMasterKey } from "../connection/server-checks.ts";
import { type Session, statement, unprepared } from "../connection/statement.ts";
import { attachFilled, makeUnattached, PARTITIONED_TABLES } from "../partitions/partitions.ts";
import { markUnfinished } from "./copy-marker.ts";

/** The advisory lock of a copy into the database. */
const COPY_LOCK = 0x636f_7079;

/** The copy waits for reads of its source, for as long as they take. */
const NO_LIMITS = "-c idle_in_transaction_session_timeout=0 -c statement_timeout=0 -c lock_timeout=10s";
const NO_IDLE_LIMIT = ["0"];

/** Greater than all versions of the schema. */
const ANY_SCHEMA = 2 ** 31 - 1;

const tryLock = statement<{ isLocked: boolean }>('SELECT pg_try_advisory_lock($1) AS "isLocked"');

const findData = statement<{ what: string }>(
  `SELECT what FROM (
     SELECT 1 AS rank, 'messages' AS what WHERE EXISTS (SELECT FROM messages)
     UNION ALL SELECT 2, 'accounts' WHERE EXISTS (SELECT FROM accounts WHERE id <> 'acc_default')
     UNION ALL SELECT 3, 'users' WHERE EXISTS (SELECT FROM users)
     UNION ALL SELECT 4, 'API keys' WHERE EXISTS (SELECT FROM api_keys)
     UNION ALL SELECT 5, 'domains' WHERE EXISTS (SELECT FROM domains)
     UNION ALL SELECT 6, 'webhook endpoints' WHERE EXISTS (SELECT FROM endpoints)
     UNION ALL SELECT 7, 'events' WHERE EXISTS (SELECT FROM events)
   ) AS data ORDER BY rank`,
);

const findPartitions = statement<{ name: string }>(
  `SELECT oid::regclass::text AS name FROM pg_class JOIN pg_inherits ON inhrelid = oid
     WHERE inhparent = ANY ($1::regclass[]) AND pg_get_expr(relpartbound, oid) <> 'DEFAULT'`,
);

const setEventNumbers = statement("SELECT setval('event_numbers', $1)");
const setIdentity = (table: string) =>
  unprepared(
    `SELECT setval(pg_get_serial_sequence('${table}', 'number'), coalesce(max(number), 0) + 1, false) FROM ${table}`,
  );

/** The transaction that fills the database. */
export interface Filling {
  client: Client;
  session: Session;
  makeDay: (day: number) => Promise<void>;
  /** Makes the partitions of the days, and brings the sequences to the copied numbers. Nothing may be added afterwards. */
  finish: (numbers: { greatestEvent: number }) => Promise<void>;
}

export interface CopyTargetOptions {
  url: string;
  nowMs: number;
  /** Of the master key; null if there is none yet. */
  fingerprint: string | null;
}

/**
 * Calls `fill` in a transaction on the emptied database, and commits it if `fill` returns true. Rejects with one line, without the
 * password, if the database cannot be used.
 */
export async function fillDatabase(
  options: CopyTargetOptions,
  fill: (filling: Filling) => Promise<boolean>,
): Promise<boolean> {
  const { config, safeUrl } = parseTarget(options.url);
  const client = new pg.Client(clientConfig(config));
  client.on("error", () => {});
  const withAddress = (text: string): Error => new Error(`--to ${safeUrl}: ${text}`);
  try {
    await connectAndReserve(client, options).catch((error) => {
      throw withAddress(describeDatabaseFailure(error) ?? error.message);
    });
    return await fillReserved(client, options, fill).catch((error) => {
      const text = describeDatabaseFailure(error);
      throw text === null ? error : withAddress(text);
    });
  } finally {
    await client.end().catch(() => {});
  }
}

function parseTarget(url: string): { config: ClientConfig; safeUrl: string } {
  try {
    const { config, safeUrl } = parseDatabaseUrl(url);
    const { idle_in_transaction_session_timeout: _, options, ...unlimited } = config;
    return { config: { ...unlimited, options: `${options ?? ""} ${NO_LIMITS}` }, safeUrl };
  } catch (error) {
    throw new Error((error as Error).message.replace(/^DATABASE_URL\b/, "--to"));
  }
}

/** Migrates the database and marks it as unfinished. Rejects with one line if it is in use, or has data. */
async function connectAndReserve(client: Client, { nowMs, fingerprint }: CopyTargetOptions): Promise<void> {
  await client.connect();
  const session = sessionOn(client);
  await checkServer(session, NO_IDLE_LIMIT);
  const [taken] = (await session.run(tryLock, [COPY_LOCK])).rows;
  if (taken?.isLocked !== true) throw new Error("another copy into this database is under way");
  const found = await migrate(client);
  if (found > SCHEMA_VERSION) {
    throw new Error(`the database has schema ${found}, of a newer Postrider: run spool copy of that version`);
  }
  // No node can register from here until the mark is stored, and none afterwards.
  await holdSchema(session);
  await refuseNodes(session);
  await refuseData(session, fingerprint);
  await markUnfinished(session, nowMs);
  await releaseSchema(session);
}

async function refuseNodes(session: Session): Promise<void> {
  const [running] = await endFormerNodes(session, ANY_SCHEMA);
  if (running === undefined) return;
  throw new Error(
    `the node ${running.name} is running: stop all nodes first; one that was killed counts for ${(2 * LEASE_MS) / 1000} s`,
  );
}

async function refuseData(session: Session, fingerprint: string | null): Promise<void> {
  const found = (await session.run(findData)).rows.map(({ what }) => what);
  if (found.length > 0) {
    throw new Error(`the database has ${found.join(", ")} already: name an empty database`);
  }
  const stored = await storedMasterKey(session);
  if (stored !== null && stored !== fingerprint) {
    throw new Error("the database is used with another master.key than the one in CERTS_DIR: name an empty database");
  }
}

function fillReserved(
  client: Client,
  { fingerprint }: CopyTargetOptions,
  fill: (filling: Filling) => Promise<boolean>,
): Promise<boolean> {
  const days: number[] = [];
  const work = async (session: Session): Promise<boolean> => {
    await empty(session);
    const isFilled = await fill({
      client,
      session,
      async makeDay(day) {
        await makeUnattached(session, day);
        days.push(day);
      },
      finish: ({ greatestEvent }) => finish(session, { days, greatestEvent, fingerprint }),
    });
    if (!isFilled) throw new NotFilled();
    return true;
  };
  return inTransaction(client, "BEGIN", work).catch((error) => {
    if (error instanceof NotFilled) return false;
    throw error;
  });
}

/** Rolls the transaction back. */
class NotFilled extends Error {}

/** Rows can be stored frozen in tables that were truncated in the same transaction. Other tables may be in the database. */
async function empty(session: Session): Promise<void> {
  const { rows } = await session.run(findPartitions, [PARTITIONED_TABLES]);
  if (rows.length > 0) await session.run(unprepared(`DROP TABLE ${rows.map(({ name }) => name).join(", ")}`));
  await session.run(unprepared(`TRUNCATE ${TABLES.join(", ")}`));
}

async function finish(
  session: Session,
  { days, greatestEvent, fingerprint }: { days: readonly number[]; greatestEvent: number; fingerprint: string | null },
): Promise<void> {
  for (const day of days) await attachFilled(session, day);
  await session.run(setEventNumbers, [Math.max(greatestEvent, 1)]);
  for (const table of ["check_changes", "requests", "incoming", "audit", "notices"])
    await session.run(setIdentity(table));
  if (fingerprint !== null) await replaceMasterKey(session, fingerprint);
  await session.run(unprepared(`ANALYZE ${TABLES.join(", ")}`));
}
