/**
 * `npm run bench`: measures the figures of docs/BENCHMARKS.md and prints a JSON line for each and a table. Requires
 * Linux and root, because everything runs in namespaces.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { PostgresServer } from "../test/support/postgres/server.ts";
import { measureAgainst, prepareAgainst } from "./against/against.ts";
import { disk } from "./figures/disk.ts";
import type { Bench, Scenario } from "./figures/figure.ts";
import { flood } from "./figures/flood.ts";
import { growth } from "./figures/growth.ts";
import { idle } from "./figures/idle.ts";
import { largeConcurrent } from "./figures/large-concurrent.ts";
import { largeMessages } from "./figures/large-messages.ts";
import { latency } from "./figures/latency.ts";
import { memory } from "./figures/memory.ts";
import { nodeThroughput } from "./figures/node-throughput.ts";
import { pages } from "./figures/pages.ts";
import { recipients } from "./figures/recipients.ts";
import { storeCycle } from "./figures/store-cycle.ts";
import { submission } from "./figures/submission.ts";
import { throughput } from "./figures/throughput.ts";
import { tls } from "./figures/tls.ts";
import { webhooks } from "./figures/webhooks.ts";
import { webhooksIdle } from "./figures/webhooks-idle.ts";
import { describeMachine } from "./machine.ts";
import { insideDir, runInside, setUpNamespace } from "./namespace.ts";
import { type Options, readOptions, USAGE } from "./options.ts";
import { watchOthers } from "./proc.ts";
import { profile } from "./profile/profile.ts";
import { install, missingPackages } from "./programs.ts";
import { Report } from "./report.ts";
import { newDatabase, startDatabase } from "./sides/database.ts";
import { startPostfixes } from "./sides/postfix.ts";
import { createAccount } from "./sides/postrider-account.ts";
import type { Side } from "./sides/side.ts";
import { startZone, type Zone } from "./sides/zone.ts";

const LONG: readonly Scenario[] = [largeMessages, largeConcurrent, flood];
const SCENARIOS: readonly Scenario[] = [
  throughput,
  submission,
  idle,
  latency,
  recipients,
  tls,
  disk,
  webhooks,
  webhooksIdle,
  memory,
  growth,
  pages,
  ...LONG,
];
const POSTGRES: readonly Scenario[] = [storeCycle, nodeThroughput];
const NAMES = [...SCENARIOS, ...POSTGRES].flatMap(({ figures }) => figures);

const QUIET_CORES = 0.3;
const QUIET_LOOK_MS = 1000;
const QUIET_LOOKS = 10;

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const progress = (line: string): void => void process.stderr.write(`# ${line}\n`);

/** Creates what the scenarios share. */
function createBench(options: Options, base: string, zone: Zone): Bench {
  let peers: Promise<Side[]> | undefined;
  let server: Promise<PostgresServer> | undefined;
  const newDir = (name: string): string => {
    const dir = mkdtempSync(join(base, `${name}-`));
    chmodSync(dir, 0o755);
    return dir;
  };
  return {
    options,
    report: new Report(print, options.figures),
    zone,
    newDir,
    newAccount: (name) => createAccount(newDir(name), zone),
    async newDatabaseAccount(name) {
      const url = await newDatabase(await this.database());
      return createAccount(newDir(name), zone, url);
    },
    database() {
      server ??= startDatabase(newDir("postgres"));
      return server;
    },
    progress,
    quiet: () => (options.quick ? Promise.resolve() : untilQuiet()),
    peers() {
      peers ??= options.peer === null ? Promise.resolve([]) : startPostfixes(newDir("postfix"), zone);
      return peers;
    },
  };
}

/**
 * Waits until other processes use little CPU, for a limited time. The figures report the remaining noise. Dirty pages
 * of one side are written first, because the next side's syncs would wait for them.
 */
async function untilQuiet(): Promise<void> {
  execFileSync("sync");
  for (let i = 0; i < QUIET_LOOKS; i++) {
    const others = watchOthers();
    await delay(QUIET_LOOK_MS);
    if (others() < QUIET_CORES) return;
  }
}

/** Runs everything inside the namespaces. */
async function measureAll(options: Options, dir: string): Promise<void> {
  setUpNamespace();
  const zone = await startZone();
  const bench = createBench(options, dir, zone);
  print(JSON.stringify(describeMachine(dir)));
  if (options.against !== null) {
    await measureAgainst(bench, options.against);
    print(bench.report.table());
  } else if (options.profile) print(await profile(bench));
  else await measureFigures(bench);
  for (const peer of await bench.peers()) await peer.stop();
  if (options.spool === "postgres") await (await bench.database()).close();
  await zone.stop();
}

/** Creates the directory of the run's files. The peers' daemons run as other users, so they may enter it. */
function makeDir({ dir }: Options): string {
  const made = dir ?? mkdtempSync(join(tmpdir(), "postrider-bench-"));
  mkdirSync(made, { recursive: true });
  chmodSync(made, 0o755);
  return made;
}

async function measureFigures(bench: Bench): Promise<void> {
  const { figures: requested } = bench.options;
  const wanted = ({ figures }: Scenario): boolean =>
    requested.length === 0 || figures.some((name) => requested.includes(name));
  const scenarios = bench.options.spool === "postgres" ? POSTGRES : SCENARIOS;
  for (const scenario of scenarios.filter(wanted)) await scenario.measure(bench);
  print(bench.report.table());
}

function fail(line: string, code: number): number {
  process.stderr.write(`bench: ${line}\n`);
  return code;
}

async function main(): Promise<number> {
  const args = process.argv.slice(2);
  const options = readOptions(args, NAMES);
  if (typeof options === "string") return fail(`${options}\n${USAGE}`, 2);
  const inside = insideDir();
  if (inside !== null) {
    await measureAll(options, inside);
    return 0;
  }
  if (process.platform !== "linux" || process.getuid?.() !== 0) return fail("requires Linux and root", 1);
  const missing = missingPackages(options);
  if (missing.length > 0 && !options.install) {
    return fail(`missing Debian packages (--install installs them): ${missing.join(" ")}`, 1);
  }
  if (missing.length > 0) install(missing);
  if (options.against !== null) prepareAgainst(options.against);
  const dir = makeDir(options);
  const code = await runInside(args, dir);
  // Killed processes may not have exited yet.
  if (options.dir === null) rmSync(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  return code;
}

process.exit(await main());
