/**
 * A database per test on the run's shared server. A copy of a migrated template is the fastest way to an empty schema
 * (8 ms in memory; migrating a schema takes 30 ms, TRUNCATE of its tables 15 ms), and it isolates advisory locks and
 * notifications, which belong to one database.
 */
import { randomBytes } from "node:crypto";
import type { TestContext } from "node:test";
import pg from "pg";
import { Database } from "../../../src/spool/engine/postgres/connection/database.ts";
import { migrate } from "../../../src/spool/engine/postgres/connection/schema-version.ts";
import { Partitions } from "../../../src/spool/engine/postgres/partitions/partitions.ts";
import { sharedPostgres } from "./shared-server.ts";

export interface TestDatabase {
  /** The database as superuser. */
  url: string;
  /** A client of it, which ends with the test. Losing its connection is no error. */
  connect(): Promise<pg.Client>;
}

/** A database without tables. It is removed after the test with all sessions that the test left open. */
export function emptyDatabase(t: TestContext): Promise<TestDatabase> {
  return create(t, EMPTY);
}

/** A database with the spool's schema, newly migrated, and otherwise like `emptyDatabase`. */
export async function freshDatabase(t: TestContext): Promise<TestDatabase> {
  templateReady ??= createTemplate();
  await templateReady;
  return create(t, TEMPLATE);
}

/** PostgreSQL's own template without additions of the installation. */
const EMPTY = "template0";
const TEMPLATE = "template_spool";
/** The times of messages in the conformance suites. */
const TEST_TIMES_MS = [1_000_000, 1_700_000_000_000];
const DAY_MS = 86_400_000;
let templateReady: Promise<void> | undefined;

/** The databases of tests that have ended, which the next one removes. */
const disused = new Set<string>();
/** Without a next one, this ends the sessions that a test left open and that keep this process running. */
const REMOVAL_MS = 2000;
/** A session that has run no statement for this time is one that a test left open. On a busy machine a test may take long to end. */
const IDLE_MS = 20_000;
/** A service that is still stopping uses its database: it is not removed while it is used, but after this in any case. */
const REMOVAL_MAX_MS = 90_000;

async function create(t: TestContext, template: string): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString("hex")}`;
  // FILE_COPY: faster than WAL_LOG, which writes each page twice.
  await maintain(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`);
  for (const former of disused) void dropUnlessInUse(former);
  // Hooks run in the order of their registration, so the test's own, which close its connections, run after this one.
  t.after(() => {
    disused.add(name);
    removeLater(name, Date.now() + REMOVAL_MAX_MS);
  });
  const url = await urlOf(name);
  return {
    url,
    async connect() {
      const client = await connectTo(url);
      t.after(() => client.end());
      return client;
    },
  };
}

function removeLater(name: string, latestMs: number): void {
  setTimeout(async () => {
    if (!disused.has(name)) return;
    if (Date.now() >= latestMs) await drop(name);
    else if (!(await dropUnlessInUse(name))) removeLater(name, latestMs);
  }, REMOVAL_MS).unref();
}

/** Returns false if a session has run a statement lately. */
async function dropUnlessInUse(name: string): Promise<boolean> {
  const { rowCount } = await maintain(
    `SELECT FROM pg_stat_activity
       WHERE datname = '${name}' AND state_change > clock_timestamp() - interval '${IDLE_MS} milliseconds'`,
  );
  if (rowCount === 0) await drop(name);
  return rowCount === 0;
}

/** Rejections are fatal: the next test could start on a server without space. */
async function drop(name: string): Promise<void> {
  if (!disused.delete(name)) return;
  await endSessions(name);
  await maintain(`DROP DATABASE ${name} WITH (FORCE)`);
}

const ENDING_LOOKS = 100;

/** While sessions are ending, DROP DATABASE waits 100 ms. */
async function endSessions(name: string): Promise<void> {
  const sql = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`;
  for (let look = 0; look < ENDING_LOOKS && (await maintain(sql)).rowCount !== 0; look += 1);
}

/** Another process of the run may create it at the same time. */
async function createTemplate(): Promise<void> {
  await maintain("SELECT pg_advisory_lock(1)");
  try {
    const { rowCount } = await maintain(`SELECT FROM pg_database WHERE datname = '${TEMPLATE}'`);
    if (rowCount === 0) await migrateTemplate();
  } finally {
    await maintain("SELECT pg_advisory_unlock(1)");
  }
}

/** Under another name until it is complete. */
async function migrateTemplate(): Promise<void> {
  const part = `${TEMPLATE}_part`;
  await maintain(`DROP DATABASE IF EXISTS ${part} WITH (FORCE)`);
  await maintain(`CREATE DATABASE ${part} TEMPLATE ${EMPTY} STRATEGY FILE_COPY`);
  const url = await urlOf(part);
  const client = await connectTo(url);
  try {
    await migrate(client);
  } finally {
    await client.end();
  }
  await makePartitions(url);
  await endSessions(part);
  await maintain(`ALTER DATABASE ${part} RENAME TO ${TEMPLATE}`);
}

/** Those of the days that most tests use, which each node would make in each test. */
async function makePartitions(url: string): Promise<void> {
  const database = new Database({ connectionString: url });
  const partitions = new Partitions(database);
  for (const timeMs of TEST_TIMES_MS) await partitions.make(Math.floor(timeMs / DAY_MS));
  await partitions.makeAhead(Date.now());
  await database.close();
}

async function urlOf(name: string): Promise<string> {
  const url = new URL(await sharedPostgres());
  url.pathname = name;
  return url.href;
}

async function connectTo(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  return client;
}

/** pg has these methods, but its types do not. */
type Session = pg.Client & { ref(): void; unref(): void };

let session: Promise<Session> | undefined;
let statements = 0;

/** Runs a statement in this process's maintenance session, which keeps the process alive only meanwhile. */
async function maintain(sql: string): Promise<pg.QueryResult> {
  session ??= sharedPostgres().then(connectTo) as Promise<Session>;
  const client = await session;
  statements += 1;
  client.ref();
  try {
    return await client.query(sql);
  } finally {
    statements -= 1;
    if (statements === 0) client.unref();
  }
}
