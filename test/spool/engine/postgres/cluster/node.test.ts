/**
 * Processes as nodes of one database: registration, heartbeats, expiry, fencing, and outages of the database. Each node has a
 * clock of its own that only the test advances; leases expire by the database's clock, which the tests set in the rows.
 */
import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { describe, it, type TestContext } from "node:test";
import pg from "pg";
import { createLog } from "../../../../../src/lib/log.ts";
import { Node, type NodeOptions, type Registration } from "../../../../../src/spool/engine/postgres/cluster/node.ts";
import { drainNodes, resumeNodes } from "../../../../../src/spool/engine/postgres/cluster/node-drain.ts";
import {
  endNode,
  insertNode,
  listNodes,
  type NodeRow,
} from "../../../../../src/spool/engine/postgres/cluster/nodes-table.ts";
import { Database } from "../../../../../src/spool/engine/postgres/connection/database.ts";
import { parseDatabaseUrl } from "../../../../../src/spool/engine/postgres/connection/database-url.ts";
import { migrate } from "../../../../../src/spool/engine/postgres/connection/schema-version.ts";
import {
  checkMasterKey,
  replaceMasterKey,
  requireMasterKey,
} from "../../../../../src/spool/engine/postgres/connection/server-checks.ts";
import { type Session, statement } from "../../../../../src/spool/engine/postgres/connection/statement.ts";
import { SCHEMA_VERSION } from "../../../../../src/spool/schema/postgres.ts";
import { type FakeClock, fakeClock, quiet } from "../../../../support/fake-clock.ts";
import { until } from "../../../../support/peers.ts";
import { freshDatabase } from "../../../../support/postgres/fresh-database.ts";
import { missingPostgresOrTime } from "../../../../support/postgres/installation.ts";
import { startPostgres } from "../../../../support/postgres/server.ts";

const HEARTBEAT_MS = 1500;
const RETRY_MS = 300;
const CONTACT_BEATS = 4;

interface Member {
  node: Node;
  clock: FakeClock;
  /** What the listener was called with, in order. */
  calls: string[];
  /** The messages of the log's warnings. */
  warnings: string[];
  /** Resolves after the next heartbeat's reply. */
  nextBeat(): Promise<unknown>;
  /** Advances the node's clock until it sends a heartbeat, and waits for the result. */
  attempt(): Promise<"beat" | "failed">;
  /** As `attempt`, which must succeed. */
  beat(): Promise<void>;
}

type MemberOptions = Partial<Pick<NodeOptions, "checkRegistration" | "activity">>;

function member(t: TestContext, url: string, name: string, options: MemberOptions = {}): Member {
  const clock = fakeClock();
  const calls: string[] = [];
  const warnings: string[] = [];
  const results = new EventEmitter();
  const node = new Node({
    config: parseDatabaseUrl(url).config,
    clock,
    log: createLog("debug", {
      write(line) {
        const { level, msg } = JSON.parse(line);
        if (level === 40) warnings.push(msg);
        if (msg === "heartbeat failed") results.emit("result", "failed");
      },
    }),
    identity: { name, address: "10.0.0.1", version: "1.2.3" },
    activity: () => ({ leases: 0, deliveredLastMinute: 0, isDrained: false }),
    ...options,
    listener: {
      onRegistered: ({ number }) => void calls.push(`registered ${number}`),
      onFenced: ({ number }) => void calls.push(`fenced ${number}`),
      onDraining: () => void calls.push("draining"),
      onResumed: () => void calls.push("resumed"),
      onFailedHeartbeat: () => {},
      onHeartbeat: () => {},
      onEndedNodes: () => void calls.push("ended nodes"),
      onRefused: ({ name: fault }) => void calls.push(fault),
      afterHeartbeat: async () => void results.emit("result", "beat"),
    },
  });
  t.after(() => node.stop());
  async function attempt(): Promise<"beat" | "failed"> {
    const result = once(results, "result");
    const [dueMs, ...others] = clock.dueMs;
    assert.deepEqual(others, []);
    await clock.advance((dueMs ?? 0) - clock.monotonicMs());
    const [kind] = await result;
    // The timer of the next attempt is set.
    await quiet();
    return kind;
  }
  const beat = async (): Promise<void> => assert.equal(await attempt(), "beat");
  const nextBeat = async (): Promise<void> => {
    let kind = "failed";
    while (kind !== "beat") [kind] = await once(results, "result");
  };
  return { node, clock, calls, warnings, nextBeat, attempt, beat };
}

/** Advances the clock through the pauses between attempts until the promise settles. */
async function drive<T>(clock: FakeClock, promise: Promise<T>): Promise<T> {
  let isSettled = false;
  const settled = promise.finally(() => {
    isSettled = true;
  });
  settled.catch(() => {});
  const mayAdvance = (): boolean => clock.dueMs.some((dueMs) => dueMs <= clock.monotonicMs() + RETRY_MS);
  for (;;) {
    await until("a pause", () => isSettled || mayAdvance());
    if (isSettled) return settled;
    await clock.advance(RETRY_MS);
  }
}

interface Cluster {
  url: string;
  database: Database;
  /** A session of its own, for locks. */
  sql: pg.Client;
  rows(): Promise<NodeRow[]>;
  /** The lease of a node, or of all, has expired by the database's clock. */
  expire(number?: number): Promise<void>;
  start(name: string, options?: MemberOptions): Promise<Member & { registration: Registration }>;
}

async function clusterOn(t: TestContext, url: string, sql: pg.Client): Promise<Cluster> {
  const database = new Database({ ...parseDatabaseUrl(url).config, application_name: "test" });
  t.after(() => database.close());
  return {
    url,
    database,
    sql,
    rows: () => listNodes(database),
    async expire(number) {
      await database.run(expireLease, [number ?? null]);
    },
    async start(name, options) {
      const started = member(t, url, name, options);
      const registration = await started.node.start();
      return { ...started, registration };
    },
  };
}

const expireLease = statement(
  "UPDATE nodes SET lease_until = clock_timestamp() - interval '1 s' WHERE number = coalesce($1::bigint, number)",
);
const terminate = statement(
  `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE application_name = 'postrider' AND datname = current_database()`,
);

async function cluster(t: TestContext): Promise<Cluster> {
  const { url, connect } = await freshDatabase(t);
  return clusterOn(t, url, await connect());
}

/** Terminates the backends of all nodes. Resolves when they are gone. */
async function terminateBackends({ database }: Cluster): Promise<void> {
  while ((await database.run(terminate)).count !== 0);
}

/** Resolves when a statement waits for a lock. */
async function isBlocked({ database }: Cluster): Promise<void> {
  while ((await database.run(findBlocked)).count === 0);
}

const findBlocked = statement(
  "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
);

const numbers = (rows: NodeRow[]): unknown[] => rows.map(({ name, number, state }) => [name, number, state]);

describe("the registration of a node", { skip: missingPostgresOrTime(), timeout: 120_000 }, () => {
  it("gives each process a number and a slot of its own", async (t) => {
    const { start, rows } = await cluster(t);
    const [a, b] = await Promise.all([start("a"), start("b")]);
    assert.notEqual(a.registration.number, b.registration.number);
    assert.deepEqual(new Set([a.registration.slot, b.registration.slot]), new Set([0, 1]));
    assert.deepEqual(numbers(await rows()), [
      ["a", a.registration.number, "live"],
      ["b", b.registration.number, "live"],
    ]);
    for (const { node, registration } of [a, b]) {
      assert.equal(node.leaseIsCurrent(registration.number), true);
      assert.deepEqual(node.registration?.slot, registration.slot);
    }
    assert.equal(a.node.leaseIsCurrent(b.registration.number), false);
  });

  it("is renewed by heartbeats and ended by a stop, at once", async (t) => {
    const { start, rows } = await cluster(t);
    const a = await start("a");
    const [before] = await rows();
    await a.beat();
    const [after] = await rows();
    assert.ok((after?.heartbeatAtMs ?? 0) > (before?.heartbeatAtMs ?? 0));
    await a.node.stop();
    assert.deepEqual(numbers(await rows()), [["a", a.registration.number, "ended"]]);
    assert.equal(a.node.leaseIsCurrent(a.registration.number), false);
    assert.equal(a.node.registration, null);
  });

  it("is a warning where a live node has the same name", async (t) => {
    const { start, expire } = await cluster(t);
    const [first, other] = [await start("same"), await start("other")];
    assert.deepEqual([first.warnings, other.warnings], [[], []]);
    const second = await start("same");
    assert.deepEqual(second.warnings, [
      "another node is registered as same: unless it is this one's predecessor, set NODE_NAME",
    ]);
    await second.node.stop();
    await expire(first.registration.number);
    assert.deepEqual((await start("same")).warnings, []);
  });

  it("fails with one line when running nodes use all slots", async (t) => {
    const { url, database } = await cluster(t);
    await fill(database);
    const { node, clock } = member(t, url, "late");
    await assert.rejects(drive(clock, node.start()), {
      message: "64 nodes are registered in the database, which is the maximum: stop one of them",
    });
  });

  it("waits for the slot of a node that has died", async (t) => {
    const { url, database, expire, rows } = await cluster(t);
    await fill(database);
    await expire(17);
    const { node, clock } = member(t, url, "late");
    const startedMs = clock.monotonicMs();
    const { slot } = await drive(clock, node.start());
    assert.equal(slot, 16);
    assert.ok(clock.monotonicMs() - startedMs >= 6000);
    assert.equal((await rows()).find(({ number }) => number === 17)?.state, "ended");
  });

  it("is refused by a schema that is too new", async (t) => {
    const { url, sql } = await cluster(t);
    await sql.query("INSERT INTO schema_version VALUES ($1)", [SCHEMA_VERSION + 2]);
    await assert.rejects(member(t, url, "old").node.start(), { name: "SchemaMismatch" });
  });

  async function fill(database: Database): Promise<void> {
    const identity = { name: "full", address: "", version: "1" };
    for (let number = 1; number <= 64; number += 1) {
      await insertNode(database, { number, identity, schemaVersion: SCHEMA_VERSION, isDraining: false });
    }
    // On a busy machine the test may take longer than a lease.
    await database.run(statement("UPDATE nodes SET lease_until = lease_until + interval '1 hour'"));
  }
});

describe("the lease of a node", { skip: missingPostgresOrTime(), timeout: 120_000 }, () => {
  it("is current for 5 s after a heartbeat was sent, and again after the next one", async (t) => {
    const { start, sql } = await cluster(t);
    const { node, clock, beat, nextBeat, registration } = await start("a");
    await beat();
    const sentMs = clock.monotonicMs();
    await sql.query("BEGIN");
    await sql.query("UPDATE nodes SET address = address");
    while (clock.monotonicMs() < sentMs + 4900) await clock.advance(100);
    assert.equal(node.leaseIsCurrent(registration.number), true);
    await clock.advance(100);
    assert.equal(node.leaseIsCurrent(registration.number), false);
    await sql.query("COMMIT");
    await drive(clock, nextBeat());
    assert.equal(node.leaseIsCurrent(registration.number), true);
  });

  it("does not last longer because a reply came late", async (t) => {
    const whole = await cluster(t);
    const { start, sql } = whole;
    const { node, clock, attempt, registration } = await start("a");
    await sql.query("BEGIN");
    await sql.query("UPDATE nodes SET address = address");
    const attempted = attempt();
    await isBlocked(whole);
    await clock.advance(1000);
    await sql.query("COMMIT");
    assert.equal(await attempted, "beat");
    await sql.query("BEGIN");
    await sql.query("UPDATE nodes SET address = address");
    // The wall clock would show the age, too.
    clock.step(-3_600_000);
    await clock.advance(3999);
    assert.equal(node.leaseIsCurrent(registration.number), true);
    await clock.advance(1);
    assert.equal(node.leaseIsCurrent(registration.number), false);
    await sql.query("COMMIT");
  });

  it("is not current after a suspension that only the wall clock shows", async (t) => {
    const { start } = await cluster(t);
    const { node, clock, beat, registration } = await start("a");
    clock.step(5000);
    assert.equal(node.leaseIsCurrent(registration.number), false);
    await beat();
    assert.equal(node.leaseIsCurrent(registration.number), true);
    clock.step(-3_600_000);
    assert.equal(node.leaseIsCurrent(registration.number), true);
  });

  it("is ended by another node after it has expired, and the node begins anew", async (t) => {
    const { start, expire, rows } = await cluster(t);
    const [a, b] = [await start("a"), await start("b")];
    for (let beats = 0; beats < CONTACT_BEATS; beats += 1) await b.beat();
    assert.deepEqual(b.calls, [`registered ${b.registration.number}`]);
    await expire(a.registration.number);
    await b.beat();
    assert.deepEqual(b.calls.slice(1), ["ended nodes"]);
    assert.deepEqual(numbers(await rows()), [
      ["a", a.registration.number, "ended"],
      ["b", b.registration.number, "live"],
    ]);

    await a.beat();
    const anew = a.node.registration?.number ?? 0;
    assert.notEqual(anew, a.registration.number);
    const [first, ...others] = a.calls;
    assert.equal(first, `registered ${a.registration.number}`);
    assert.deepEqual(others, [`fenced ${a.registration.number}`, `registered ${anew}`, "ended nodes"]);
    assert.equal(a.node.leaseIsCurrent(a.registration.number), false);
    assert.equal(a.node.leaseIsCurrent(anew), true);
  });

  it("is not ended by a node whose contact with the database is shorter than a lease", async (t) => {
    const { start, expire, rows } = await cluster(t);
    const a = await start("a");
    await expire();
    const b = await start("b");
    for (let beats = 1; beats < CONTACT_BEATS; beats += 1) await b.beat();
    assert.deepEqual(numbers(await rows())[0], ["a", a.registration.number, "expired"]);
    await b.beat();
    assert.deepEqual(numbers(await rows())[0], ["a", a.registration.number, "ended"]);
  });

  it("is over when a heartbeat finds no row, as after the failover to a server that lacks it", async (t) => {
    const { start, sql } = await cluster(t);
    const { beat, calls, registration } = await start("a");
    await sql.query("DELETE FROM nodes");
    await beat();
    assert.equal(calls[1], `fenced ${registration.number}`);
    assert.equal(calls.length, 3);
  });

  it("is not taken up again by a version that the schema excludes", async (t) => {
    const { start, sql, database } = await cluster(t);
    const { node, clock, calls, registration } = await start("a");
    await endNode(database, registration.number);
    await sql.query("INSERT INTO schema_version VALUES ($1)", [SCHEMA_VERSION + 2]);
    await clock.advance(HEARTBEAT_MS);
    await until("the refusal", () => calls.length === 3);
    assert.deepEqual(calls.slice(1), [`fenced ${registration.number}`, "SchemaMismatch"]);
    assert.equal(node.registration, null);
    await clock.advance(60_000);
    assert.equal(calls.length, 3);
  });

  it("is not taken up again with a master key that was exchanged meanwhile", async (t) => {
    const { start, database } = await cluster(t);
    await checkMasterKey(database, "old");
    const checkRegistration = (session: Session) => requireMasterKey(session, "old");
    const { node, clock, calls, registration } = await start("a", { checkRegistration });
    await endNode(database, registration.number);
    await replaceMasterKey(database, "new");
    await clock.advance(HEARTBEAT_MS);
    await until("the refusal", () => calls.length === 3);
    assert.deepEqual(calls.slice(1), [`fenced ${registration.number}`, "MasterKeyMismatch"]);
    assert.equal(node.registration, null);
  });
});

describe("the draining of a node", { skip: missingPostgresOrTime(), timeout: 60_000 }, () => {
  it("is noticed with the next heartbeat, and outlasts a fence", async (t) => {
    const { start, database, rows } = await cluster(t);
    const [{ node, beat, calls, registration }] = [await start("a"), await start("b")];
    await drainNodes(database, "a");
    assert.equal(node.isDraining, false);
    await beat();
    await beat();
    assert.equal(node.isDraining, true);
    assert.deepEqual(calls.slice(1), ["draining"]);
    await endNode(database, registration.number);
    await beat();
    assert.deepEqual(
      (await rows()).map(({ state, isDraining }) => [state, isDraining]),
      [
        ["ended", true],
        ["live", true],
        ["live", false],
      ],
    );
    assert.equal(calls.filter((call) => call === "draining").length, 1);
  });

  it("ends with the next heartbeat after it was resumed", async (t) => {
    const { start, database } = await cluster(t);
    const [{ node, beat, calls }] = [await start("a"), await start("b")];
    await drainNodes(database, "a");
    await beat();
    await resumeNodes(database, "a");
    assert.equal(node.isDraining, true);
    await beat();
    await beat();
    assert.equal(node.isDraining, false);
    assert.deepEqual(calls.slice(1), ["draining", "resumed"]);
  });

  it("is complete only when the node reports it after it has begun to drain", async (t) => {
    const { start, database, rows } = await cluster(t);
    let activity = { leases: 3, deliveredLastMinute: 60, isDrained: true };
    const [{ beat }] = [await start("a", { activity: () => activity }), await start("b")];
    const shown = async () => {
      const [{ leases, deliveredLastMinute, isDrained } = {}] = await rows();
      return { leases, deliveredLastMinute, isDrained };
    };
    await beat();
    assert.deepEqual(await shown(), { ...activity, isDrained: false });
    await drainNodes(database, "a");
    activity = { leases: 1, deliveredLastMinute: 59, isDrained: false };
    await beat();
    assert.deepEqual(await shown(), activity);
    activity = { leases: 0, deliveredLastMinute: 58, isDrained: true };
    await beat();
    assert.deepEqual(await shown(), activity);
    await resumeNodes(database, "a");
    await beat();
    assert.deepEqual(await shown(), { ...activity, isDrained: false });
  });
});

describe("a node without its database", { skip: missingPostgresOrTime(), timeout: 120_000 }, () => {
  it("keeps its registration when its backend is terminated, and ends others only after a lease's time", async (t) => {
    const whole = await cluster(t);
    const { start, expire, rows } = whole;
    const [a, b] = [await start("a"), await start("b")];
    for (let beats = 0; beats < CONTACT_BEATS; beats += 1) await b.beat();
    await terminateBackends(whole);
    await expire(a.registration.number);
    for (let beats = 0; beats < CONTACT_BEATS; beats += 1) await b.beat();
    assert.deepEqual(numbers(await rows())[0], ["a", a.registration.number, "expired"]);
    await b.beat();
    assert.deepEqual(numbers(await rows())[0], ["a", a.registration.number, "ended"]);
    assert.deepEqual(b.calls, [`registered ${b.registration.number}`, "ended nodes"]);
  });

  it("repeats a heartbeat whose backend is terminated meanwhile", async (t) => {
    const whole = await cluster(t);
    const { start, sql } = whole;
    const { node, attempt, beat, registration } = await start("a");
    await sql.query("BEGIN");
    await sql.query("UPDATE nodes SET address = address");
    const attempted = attempt();
    await isBlocked(whole);
    await terminateBackends(whole);
    assert.equal(await attempted, "failed");
    await sql.query("COMMIT");
    await beat();
    assert.equal(node.leaseIsCurrent(registration.number), true);
  });

  it("goes on after a restart of the server, and so do the others, though all leases have expired", async (t) => {
    const server = await startPostgres();
    t.after(() => server.close());
    const client = new pg.Client(parseDatabaseUrl(server.url).config);
    client.on("error", () => {});
    await client.connect();
    await migrate(client);
    const { start } = await clusterOn(t, server.url, client);
    const members = [await start("a"), await start("b"), await start("c")];
    for (const { beat } of members) for (let beats = 0; beats < CONTACT_BEATS; beats += 1) await beat();

    await server.stop("immediate");
    for (const { node, clock, attempt, registration } of members) {
      const failedMs = clock.monotonicMs() + 5000;
      while (clock.monotonicMs() < failedMs) assert.equal(await attempt(), "failed");
      assert.equal(node.leaseIsCurrent(registration.number), false);
    }
    await server.restart();
    await server.query("UPDATE nodes SET lease_until = clock_timestamp() - interval '1 s'");
    for (const { beat } of members) await beat();
    for (const { node, registration } of members) {
      assert.equal(node.registration?.number, registration.number);
      assert.equal(node.leaseIsCurrent(registration.number), true);
    }
  });

  it("does not renew its lease on a server that may lose data", async (t) => {
    const whole = await cluster(t);
    const { start, sql, rows } = whole;
    const { attempt, beat, registration } = await start("a");
    const [{ heartbeatAtMs: beforeMs } = { heartbeatAtMs: 0 }] = await rows();
    await sql.query(`ALTER DATABASE ${sql.database} SET synchronous_commit = off`);
    await terminateBackends(whole);
    assert.equal(await attempt(), "failed");
    assert.equal((await rows())[0]?.heartbeatAtMs, beforeMs);
    await sql.query(`ALTER DATABASE ${sql.database} RESET synchronous_commit`);
    await beat();
    assert.equal((await rows())[0]?.number, registration.number);
    assert.ok(((await rows())[0]?.heartbeatAtMs ?? 0) > beforeMs);
  });
});
