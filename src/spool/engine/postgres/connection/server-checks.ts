/**
 * Decides whether this node may use the server and its database: version, durability, primary or standby, encoding, clock and
 * master key. Each function rejects with one line that says what to change, or with SpoolUnavailable if the server cannot be asked.
 */
import type { ClientConfig } from "pg";
import type { Clock } from "../../../../lib/clock.ts";
import { NodeRefused } from "../cluster/nodes-table.ts";
import { IDLE_IN_TRANSACTION_MAX_MS } from "./database-url.ts";
import { POOLER } from "./open-failure.ts";
import { type Session, statement } from "./statement.ts";

const VERSION_MIN = 15;

/** Levels of synchronous_commit that wait until a commit is on disk, here and at the synchronous standbys. */
const DURABLE_LEVELS = ["on", "remote_apply"];

/** Clocks may differ by this much. Stored times come from the clocks of the nodes. */
const CLOCK_DIFFERENCE_MAX_MS = 30_000;

const CLOCK_SAMPLES = 3;

/** IDLE_IN_TRANSACTION_MAX_MS, as the server shows what each connection asks for. A pooler may ignore what it does not know. */
const IDLE_LIMITS = [`${IDLE_IN_TRANSACTION_MAX_MS / 1000}s`, `${IDLE_IN_TRANSACTION_MAX_MS}ms`];

/** The entry in the key-value store; stored, so it does not change. */
export const MASTER_KEY_ENTRY = "master-key-fingerprint";

interface Settings {
  versionNumber: number;
  version: string;
  database: string;
  fsync: string;
  fullPageWrites: string;
  synchronousCommit: string;
  readOnly: string;
  idleLimit: string;
  isStandby: boolean;
  encoding: string;
}

const readSettings = statement<Settings>(
  `SELECT current_setting('server_version_num')::int AS "versionNumber", current_setting('server_version') AS version,
          current_database() AS database, current_setting('fsync') AS fsync,
          current_setting('full_page_writes') AS "fullPageWrites",
          current_setting('synchronous_commit') AS "synchronousCommit",
          current_setting('default_transaction_read_only') AS "readOnly",
          current_setting('idle_in_transaction_session_timeout') AS "idleLimit", pg_is_in_recovery() AS "isStandby",
          current_setting('server_encoding') AS encoding`,
);

const readClock = statement<{ nowMs: number }>(
  'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS "nowMs"',
);

const storeFingerprint = statement("INSERT INTO key_values (name, text) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING");
const replaceFingerprint = statement(
  "INSERT INTO key_values (name, text) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET text = excluded.text",
);
const readFingerprint = statement<{ text: string }>("SELECT text FROM key_values WHERE name = $1");
const deleteFingerprint = statement("DELETE FROM key_values WHERE name = $1");

/**
 * Rejects unless the server is a durable primary. Returns its synchronous_commit, for `withSynchronousCommit`. `idleLimits`: the forms
 * of the idle_in_transaction_session_timeout that the session has asked for.
 */
export async function checkServer(session: Session, idleLimits: readonly string[] = IDLE_LIMITS): Promise<string> {
  const settings = onlyRow(await session.run(readSettings));
  const fault = serverFault(settings, idleLimits);
  if (fault !== null) throw new Error(`the database cannot be used: ${fault}`);
  return settings.synchronousCommit;
}

function serverFault(settings: Settings, idleLimits: readonly string[]): string | null {
  const { versionNumber, version, database, fsync, fullPageWrites, synchronousCommit } = settings;
  if (versionNumber < VERSION_MIN * 10_000) {
    return `it runs PostgreSQL ${version}: upgrade it to ${VERSION_MIN} or newer`;
  }
  if (settings.isStandby) return "it is a standby server: DATABASE_URL must lead to the primary";
  if (fsync === "off") return "fsync is off, so a crash can lose accepted messages: set fsync = on in postgresql.conf";
  if (fullPageWrites === "off") {
    return "full_page_writes is off, so a crash can damage stored messages: set full_page_writes = on in postgresql.conf";
  }
  if (!DURABLE_LEVELS.includes(synchronousCommit)) {
    const what = synchronousCommit === "off" ? "crash" : "failover";
    return `synchronous_commit is ${synchronousCommit}, so a ${what} can lose accepted messages: set it to on, for the server, the database and the role`;
  }
  if (settings.readOnly === "on") {
    return `default_transaction_read_only is on: set it to off, for the server, the database ${database} and the role`;
  }
  if (!idleLimits.includes(settings.idleLimit)) {
    return `the settings of the session do not reach it, as behind ${POOLER}`;
  }
  if (settings.encoding !== "UTF8") {
    return `the database ${database} has the encoding ${settings.encoding}: create one with ENCODING 'UTF8'`;
  }
  return null;
}

/** The same connections with a fixed synchronous_commit: a later change of the server's default does not apply to them. */
export const withSynchronousCommit = (config: ClientConfig, value: string): ClientConfig => ({
  ...config,
  options: [config.options, `-c synchronous_commit=${value}`].filter(Boolean).join(" "),
});

/** Rejects if this server's clock differs from the database's by more than CLOCK_DIFFERENCE_MAX_MS. */
export async function checkClock(session: Session, clock: Clock): Promise<void> {
  const differenceMs = await clockDifferenceMs(session, clock);
  if (Math.abs(differenceMs) <= CLOCK_DIFFERENCE_MAX_MS) return;
  const seconds = Math.round(Math.abs(differenceMs) / 1000);
  const side = differenceMs > 0 ? "ahead of" : "behind";
  throw new Error(
    `this server's clock is ${seconds} s ${side} the database's, more than ${CLOCK_DIFFERENCE_MAX_MS / 1000} s: synchronize both hosts with NTP`,
  );
}

/** How far this server's clock is ahead, by the fastest of some replies, as if it took as long to arrive as the question. */
async function clockDifferenceMs(session: Session, clock: Clock): Promise<number> {
  let best = { durationMs: Number.POSITIVE_INFINITY, differenceMs: 0 };
  for (let sample = 0; sample < CLOCK_SAMPLES; sample += 1) {
    const [sentMs, hostMs] = [clock.monotonicMs(), clock.now()];
    const { nowMs } = onlyRow(await session.run(readClock));
    const durationMs = clock.monotonicMs() - sentMs;
    if (durationMs < best.durationMs) best = { durationMs, differenceMs: hostMs + durationMs / 2 - nowMs };
  }
  return best.differenceMs;
}

/** This process seals with another master key than the nodes. */
class MasterKeyMismatch extends NodeRefused {
  override name = "MasterKeyMismatch";
}

/** Stores the fingerprint of the master key if there is none yet. Rejects with MasterKeyMismatch if there is that of another key. */
export async function checkMasterKey(session: Session, fingerprint: string): Promise<void> {
  // Two statements, each in its own transaction: the second one sees what another node has stored meanwhile.
  await session.run(storeFingerprint, [MASTER_KEY_ENTRY, fingerprint]);
  await requireMasterKey(session, fingerprint);
}

/** Rejects with MasterKeyMismatch unless the fingerprint is the stored one. */
export async function requireMasterKey(session: Session, fingerprint: string): Promise<void> {
  if ((await storedMasterKey(session)) === fingerprint) return;
  throw new MasterKeyMismatch(
    "CERTS_DIR has another master.key than the nodes that use this database: copy master.key from one of them",
  );
}

/** Replaces the stored fingerprint, once everything in the database is sealed with another key. */
export async function replaceMasterKey(session: Session, fingerprint: string): Promise<void> {
  await session.run(replaceFingerprint, [MASTER_KEY_ENTRY, fingerprint]);
}

/** The stored fingerprint; null before the first process has opened the spool, and after `forgetMasterKey`. */
export async function storedMasterKey(session: Session): Promise<string | null> {
  return (await session.run(readFingerprint, [MASTER_KEY_ENTRY])).rows[0]?.text ?? null;
}

/** Deletes the stored fingerprint: that of the next process that opens the spool is stored. */
export async function forgetMasterKey(session: Session): Promise<void> {
  await session.run(deleteFingerprint, [MASTER_KEY_ENTRY]);
}

function onlyRow<Row>({ rows }: { rows: Row[] }): Row {
  const [row] = rows;
  if (row === undefined) throw new Error("a statement that returns one row has returned none");
  return row;
}
