/**
 * The spool in PostgreSQL without a network: messages of 4 KB accepted, claimed, marked and settled. Empty, with many waiting
 * messages, and while another session holds a snapshot, so that the server can remove no dead row.
 */
import pg from "pg";
import type { Store } from "../../src/spool/port/store.ts";
import type { PostgresServer } from "../../test/support/postgres/server.ts";
import { runCycle } from "../load/cycle.ts";
import { openStore } from "../sides/open-store.ts";
import type { Account } from "../sides/postrider-account.ts";
import { OURS } from "../sides/side.ts";
import { fillSpool } from "../spool-filler.ts";
import type { Bench, Scenario } from "./figure.ts";

const CONTENT_BYTES = 4096;
const RATE_MIN = 6000;
const SERVER_MS_MAX = 0.2;
const WAL_TIMES_MAX = 2;
const WAITING_SHARE_MIN = 0.8;
const SNAPSHOT_SHARE_MIN = 0.75;
const SNAPSHOT_MS = 600_000;
const NODES = 8;

interface Run {
  perS: number;
  /** CPU time of the server's processes per message. */
  serverMs: number;
  /** CPU time of this process per message. */
  nodeMs: number;
  walBytes: number;
}

/** A spool, opened by one node or several. */
interface Subject {
  account: Account;
  stores: readonly Store[];
}

export const storeCycle: Scenario = {
  figures: ["store-cycle", "store-cycle-waiting", "store-cycle-nodes", "store-cycle-snapshot"],
  async measure(bench) {
    const { spoolMessages: waiting } = bench.options;
    const server = await bench.database();
    const empty = await opened(await bench.newDatabaseAccount("cycle"));
    const fullAccount = await bench.newDatabaseAccount("cycle-waiting");
    await fillSpool(fullAccount, { finished: 0, waiting }, bench.progress);
    await vacuum(fullAccount);
    await server.query("CHECKPOINT");
    const full = await opened(fullAccount);
    await compareRounds(bench, { server, empty, full, waiting });
    await closed(full);
    await compareNodes(bench, server, empty);
    await measureSnapshot(bench, server, empty);
    await closed(empty);
  },
};

const opened = async (account: Account, nodes = 1): Promise<Subject> => ({
  account,
  stores: await Promise.all(Array.from({ length: nodes }, () => openStore(account, "service"))),
});

const closed = async ({ stores }: Subject): Promise<void> => {
  for (const store of stores) await store.close();
};

/** As it is some minutes after the messages were accepted: autovacuum would run during the rounds. */
async function vacuum({ databaseUrl }: Account): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl ?? "" });
  await client.connect();
  await client.query("VACUUM (ANALYZE)");
  await client.end();
}

async function compareRounds(
  bench: Bench,
  { server, empty, full, waiting }: { server: PostgresServer; empty: Subject; full: Subject; waiting: number },
): Promise<void> {
  const { messages, rounds } = bench.options;
  const runs: Run[] = [];
  const shares: number[] = [];
  for (const subject of [empty, full]) await run(server, subject, messages);
  for (let round = 0; round < rounds; round++) {
    await bench.quiet();
    const before = await run(server, empty, messages);
    const after = await run(server, full, messages);
    bench.progress(
      `round ${round + 1}: ${Math.round(before.perS)}/s, ${Math.round(after.perS)}/s with ${waiting} waiting`,
    );
    runs.push(before);
    shares.push(after.perS / before.perS);
  }
  const shared = { figure: "store-cycle", subject: OURS };
  const { report } = bench;
  report.add({ ...shared, unit: "/s", values: runs.map(({ perS }) => perS), goal: { atLeast: RATE_MIN } });
  const server_ = { unit: "ms of the server's CPU", values: runs.map(({ serverMs }) => serverMs) };
  report.add({ ...shared, ...server_, goal: { atMost: SERVER_MS_MAX } });
  report.add({ ...shared, unit: "ms of the node's CPU", values: runs.map(({ nodeMs }) => nodeMs) });
  const wal = { unit: "× the content of WAL", values: runs.map(({ walBytes }) => walBytes / CONTENT_BYTES) };
  report.add({ ...shared, ...wal, goal: { atMost: WAL_TIMES_MAX } });
  const subject = `${OURS} with ${waiting} waiting / empty`;
  const goal = { atLeast: WAITING_SHARE_MIN };
  report.add({ figure: "store-cycle-waiting", subject, unit: "× the rate", values: shares, goal });
}

/** What several nodes cost the server: their commits are smaller, and they wait for each other's locks. All are in this process. */
async function compareNodes(bench: Bench, server: PostgresServer, one: Subject): Promise<void> {
  const { messages, rounds } = bench.options;
  const many = await opened(one.account, NODES);
  await run(server, many, messages);
  const [alone, together]: [Run[], Run[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    await bench.quiet();
    alone.push(await run(server, one, messages));
    together.push(await run(server, many, messages));
    bench.progress(`round ${round + 1}: ${Math.round(together.at(-1)?.perS ?? 0)}/s by ${NODES} nodes`);
  }
  await closed(many);
  const shared = { figure: "store-cycle-nodes", subject: `${OURS}, ${NODES} nodes / one` };
  const compared = (of: (run: Run) => number): number[] => together.map((each, i) => of(each) / of(alone[i] ?? each));
  bench.report.add({ ...shared, unit: "× the rate", values: compared(({ perS }) => perS) });
  bench.report.add({ ...shared, unit: "× the server's CPU", values: compared(({ serverMs }) => serverMs) });
  bench.report.add({ ...shared, unit: "× the WAL", values: compared(({ walBytes }) => walBytes) });
}

/** The rate of each round while a snapshot is held, relative to the rate before it. */
async function measureSnapshot(bench: Bench, server: PostgresServer, subject: Subject): Promise<void> {
  const { messages, quick } = bench.options;
  const before = await run(server, subject, messages);
  const client = new pg.Client({ connectionString: subject.account.databaseUrl ?? "" });
  await client.connect();
  await client.query("BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM accounts");
  const beganMs = performance.now();
  const shares: number[] = [];
  do {
    const { perS } = await run(server, subject, messages);
    shares.push(perS / before.perS);
    bench.progress(`${Math.round((performance.now() - beganMs) / 1000)} s under a snapshot: ${Math.round(perS)}/s`);
  } while (performance.now() - beganMs < SNAPSHOT_MS && !quick);
  await client.end();
  const held = quick ? "one round" : `${SNAPSHOT_MS / 60_000} minutes`;
  const figure = { figure: "store-cycle-snapshot", subject: `${OURS}, the last of ${held} under a snapshot / before` };
  bench.report.add({ ...figure, unit: "× the rate", values: shares.slice(-1), goal: { atLeast: SNAPSHOT_SHARE_MIN } });
}

async function run(server: PostgresServer, { stores, account }: Subject, messages: number): Promise<Run> {
  const [wal, serverCpu, nodeCpu] = [await server.walBytes(), server.cpuMs(), process.cpuUsage()];
  const tookMs = await runCycle(stores, account, messages);
  const node = process.cpuUsage(nodeCpu);
  return {
    perS: (messages * 1000) / tookMs,
    serverMs: (server.cpuMs() - serverCpu) / messages,
    nodeMs: (node.user + node.system) / 1000 / messages,
    walBytes: ((await server.walBytes()) - wal) / messages,
  };
}
