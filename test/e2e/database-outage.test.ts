/**
 * PostgreSQL is restarted, killed, cut off, full, or no longer the primary, while a service accepts and delivers: sends are answered
 * 503, no final dot is sent without its mark, replies that have been received are stored later, and all goes on by itself.
 */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { isFinal, lookUp, pollUntil, post, send } from "../support/api-client.ts";
import { apiTarget, startExchanger, until } from "../support/peers.ts";
import { freshDatabase } from "../support/postgres/fresh-database.ts";
import { missingPostgresOrTime } from "../support/postgres/installation.ts";
import { startProxy } from "../support/postgres/proxy.ts";
import { type PostgresServer, startPostgres } from "../support/postgres/server.ts";
import type { Hook, ScriptedSmtp } from "../support/scripted-smtp.ts";
import { startSecondService } from "../support/second-service.ts";
import { startWorld, type World } from "../support/world.ts";
import { problemOf } from "./problem.ts";
import { to } from "./smtp-scenarios.ts";

const options = { skip: missingPostgresOrTime(), timeout: 180_000 };

const LOOK_EVERY_MS = 20;

/** The first retry comes soon. */
const RETRY = { RETRY_SCHEDULE: "1s" };

/** A send is refused, and /readyz says why, without what only operators may see. */
async function assertUnavailable(world: World, reason: RegExp): Promise<void> {
  const answer = await post(apiTarget(world), to("ann@refused.example"));
  await problemOf(answer, 503, "engine_unavailable");
  const ready = () => fetch(`${world.service.url}/readyz`);
  // A good result is reused for a moment.
  let unready = await ready();
  for (; unready.status === 200; unready = await ready()) await delay(LOOK_EVERY_MS);
  const text = await unready.text();
  assert.match(text, reason);
  const { username, password, port } = new URL(world.env.DATABASE_URL ?? "");
  for (const hidden of ["127.0.0.1", "localhost", port, username, password]) assert.ok(!text.includes(hidden), text);
}

/** Sends until a message is accepted again; resolves once it is delivered to the sink and the service is ready. */
async function assertResumed(world: World): Promise<void> {
  const target = apiTarget(world);
  let answer = await post(target, to("delivered@customers.example"));
  while (answer.status === 503) {
    await delay(LOOK_EVERY_MS);
    answer = await post(target, to("delivered@customers.example"));
  }
  assert.equal(answer.status, 202);
  const { id } = (await answer.json()) as { id: string };
  await pollUntil(target, id, ({ result }) => result === "delivered");
  while ((await fetch(`${world.service.url}/readyz`)).status !== 200) await delay(LOOK_EVERY_MS);
}

interface Held extends ScriptedSmtp {
  /** The message that is held. */
  id: string;
  /** Lets the peer reply. */
  proceed(): void;
}

/** Sends a message to a peer that waits with its reply, to DATA or to the final dot, until the test lets it proceed. */
async function hold(
  t: TestContext,
  world: World,
  { at, domain }: { at: "data" | "dot"; domain: string },
): Promise<Held> {
  let proceed: () => void = () => {};
  const released = new Promise<undefined>((resolve) => {
    proceed = () => resolve(undefined);
  });
  let reached = 0;
  const hook: Hook = () => {
    reached += 1;
    return released;
  };
  const peer = await startExchanger(t, world, { domain, script: { [at]: hook } });
  const id = await send(apiTarget(world), to(`ann@${domain}`));
  await until(`the ${at} at ${domain}`, () => reached === 1);
  return Object.assign(peer, { id, proceed });
}

/** One message whose final dot was sent, and one whose content was not. */
async function holdBoth(t: TestContext, world: World, round = 1): Promise<{ sent: Held; unsent: Held }> {
  const [sent, unsent] = await Promise.all([
    hold(t, world, { at: "dot", domain: `sent${round}.example` }),
    hold(t, world, { at: "data", domain: `unsent${round}.example` }),
  ]);
  return { sent, unsent };
}

async function assertDeliveredOnce(world: World, ...all: Held[]): Promise<void> {
  for (const { id, transactions } of all) {
    await pollUntil(apiTarget(world), id, ({ result }) => result === "delivered");
    assert.equal(transactions.length, 1);
  }
}

test(
  "PostgreSQL is killed and restarted: 503 meanwhile, and what was in progress is delivered once",
  options,
  async (t) => {
    const server = await startPostgres();
    t.after(() => server.close());
    const world = await startWorld(t, { DATABASE_URL: server.url, ...RETRY });
    for (const [round, stop] of [() => server.kill(), () => server.stop("fast")].entries()) {
      const { sent, unsent } = await holdBoth(t, world, round);
      await stop();
      await assertUnavailable(
        world,
        /The spool cannot commit: the database is unavailable: (ECONNREFUSED|the database system is shutting down)/,
      );
      for (const { proceed } of [sent, unsent]) proceed();
      await until(
        "the end of the transaction without its mark",
        () => unsent.open === 0 || unsent.commands.includes("QUIT"),
      );
      assert.deepEqual([sent.transactions.length, unsent.transactions.length], [1, 0]);
      await server.restart();
      await assertResumed(world);
      await assertDeliveredOnce(world, sent, unsent);
    }
  },
);

test("all backends are terminated: the next calls have new ones at once", options, async (t) => {
  const { url, connect } = await freshDatabase(t);
  const world = await startWorld(t, { DATABASE_URL: url, ...RETRY });
  const client = await connect();
  const { sent, unsent } = await holdBoth(t, world);
  // Resolves when they have exited.
  await client.query(
    `SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  );
  for (let sends = 0; sends < 5; sends += 1) await send(apiTarget(world), to("delivered@customers.example"));
  for (const { proceed } of [sent, unsent]) proceed();
  await assertDeliveredOnce(world, sent, unsent);
  await assertResumed(world);
});

test(
  "the network is cut: 503 within a limit, and what was in progress is delivered once after it",
  options,
  async (t) => {
    const { url, connect } = await freshDatabase(t);
    const proxy = await startProxy(t, url);
    const world = await startWorld(t, { DATABASE_URL: proxy.url, ...RETRY });
    const { sent, unsent } = await holdBoth(t, world);
    const client = await connect();
    proxy.cut();
    for (const { proceed } of [sent, unsent]) proceed();
    await assertUnavailable(world, /The spool (cannot commit|takes too long to commit)/);
    await untilExpired(client);
    assert.deepEqual([sent.transactions.length, unsent.transactions.length], [1, 0]);
    // The connections that were cut stay so.
    proxy.restore();
    await assertResumed(world);
    await assertDeliveredOnce(world, sent, unsent);
    const { rows } = await client.query("SELECT ended_at, lease_until > clock_timestamp() AS holds FROM nodes");
    assert.deepEqual(rows, [{ ended_at: null, holds: true }]);
  },
);

test(
  "a node is cut off from the others: they deliver what it had not sent, and its reply settles the rest",
  options,
  async (t) => {
    const { url, connect } = await freshDatabase(t);
    const proxy = await startProxy(t, url);
    const world = await startWorld(t, { DATABASE_URL: proxy.url, NODE_NAME: "cut", ...RETRY });
    const { sent, unsent } = await holdBoth(t, world);
    const other = await startSecondService(t, { ...world.env, DATABASE_URL: url, NODE_NAME: "other" });
    const target = { url: other.url, key: world.key };
    const client = await connect();
    proxy.cut();
    for (const { proceed } of [sent, unsent]) proceed();
    const [unknown] = (await pollUntil(target, sent.id, isFinal)).recipients;
    assert.equal(unknown?.result, "unknown");
    await pollUntil(target, unsent.id, ({ result }) => result === "delivered");
    await assertUnavailable(world, /The spool (cannot commit|takes too long to commit)/);
    proxy.restore();
    await pollUntil(target, sent.id, ({ result }) => result === "delivered");
    await assertResumed(world);
    await assertDeliveredOnce(world, sent, unsent);
    const { rows } = await client.query("SELECT name FROM nodes WHERE ended_at IS NULL ORDER BY name");
    assert.deepEqual(
      rows.map(({ name }) => name),
      ["cut", "other"],
    );
    assert.deepEqual(await lookUp(apiTarget(world), unsent.id), await lookUp(target, unsent.id));
  },
);

test("the disk is full: 503 until there is space, and what was in progress is delivered once", options, async (t) => {
  const { url, connect } = await freshDatabase(t);
  const world = await startWorld(t, { DATABASE_URL: url, ...RETRY });
  const client = await connect();
  const { sent, unsent } = await holdBoth(t, world);
  // What the server reports when it cannot extend a file.
  await client.query(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$`);
  const tables = ["messages", "work", "events", "node_values"];
  await client.query(
    tables
      .map(
        (table) => `CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE OR DELETE ON ${table} EXECUTE FUNCTION refuse()`,
      )
      .join(";"),
  );
  await assertUnavailable(world, /could not extend file: No space left on device/);
  for (const { proceed } of [sent, unsent]) proceed();
  await until(
    "the end of the transaction without its mark",
    () => unsent.open === 0 || unsent.commands.includes("QUIT"),
  );
  assert.deepEqual([sent.transactions.length, unsent.transactions.length], [1, 0]);
  await client.query(tables.map((table) => `DROP TRIGGER full_disk ON ${table}`).join(";"));
  await assertResumed(world);
  await assertDeliveredOnce(world, sent, unsent);
});

test(
  "the server refuses all writes, as after a failover to a standby: 503 until it takes them again",
  options,
  async (t) => {
    const server = await startPostgres();
    t.after(() => server.close());
    const world = await startWorld(t, { DATABASE_URL: server.url, ...RETRY });
    const { sent, unsent } = await holdBoth(t, world);
    await server.query("ALTER SYSTEM SET default_transaction_read_only = on");
    await server.query("SELECT pg_reload_conf()");
    await untilReadOnly(server);
    await assertUnavailable(world, /in a read-only transaction/);
    for (const { proceed } of [sent, unsent]) proceed();
    await until(
      "the end of the transaction without its mark",
      () => unsent.open === 0 || unsent.commands.includes("QUIT"),
    );
    assert.deepEqual([sent.transactions.length, unsent.transactions.length], [1, 0]);
    await server.query("ALTER SYSTEM RESET default_transaction_read_only");
    await server.query("SELECT pg_reload_conf()");
    await assertResumed(world);
    await assertDeliveredOnce(world, sent, unsent);
  },
);

test("a service stops while its database is away", options, async (t) => {
  const { url } = await freshDatabase(t);
  const proxy = await startProxy(t, url);
  const world = await startWorld(t, { DATABASE_URL: proxy.url });
  await assertResumed(world);
  proxy.cut();
  await assertUnavailable(world, /The spool (cannot commit|takes too long to commit)/);
  await world.service.stop();
});

async function untilExpired(client: { query(sql: string): Promise<{ rows: unknown[] }> }): Promise<void> {
  const find = "SELECT FROM nodes WHERE lease_until < clock_timestamp()";
  while ((await client.query(find)).rows.length === 0);
}

/** Sessions read the configuration again before their next statement. */
async function untilReadOnly(server: PostgresServer): Promise<void> {
  const read = "SELECT current_setting('default_transaction_read_only') AS value";
  while ((await server.query<{ value: string }>(read))[0]?.value !== "on");
}
