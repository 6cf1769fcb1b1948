/**
 * `npm run bench`: measures the figures of docs/BENCHMARKS.md and prints a JSON line for each and a table. Only Linux, and
 * only as root: everything runs in namespaces of its own.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { disk } from "./figures/disk.ts";
import type { Bench, Scenario } from "./figures/figure.ts";
import { growth } from "./figures/growth.ts";
import { idle } from "./figures/idle.ts";
import { latency } from "./figures/latency.ts";
import { memory } from "./figures/memory.ts";
import { recipients } from "./figures/recipients.ts";
import { throughput } from "./figures/throughput.ts";
import { tls } from "./figures/tls.ts";
import { describeMachine } from "./machine.ts";
import { insideDir, runInside, setUpNamespace } from "./namespace.ts";
import { type Options, readOptions, USAGE } from "./options.ts";
import { watchOthers } from "./proc.ts";
import { profile } from "./profile/profile.ts";
import { install, missingPackages } from "./programs.ts";
import { Report } from "./report.ts";
import { startPostfixes } from "./sides/postfix.ts";
import { createAccount } from "./sides/postrider-account.ts";
import type { Side } from "./sides/side.ts";
import { startZone, type Zone } from "./sides/zone.ts";

const SCENARIOS: readonly Scenario[] = [throughput, idle, latency, recipients, tls, disk, memory, growth];
const NAMES = SCENARIOS.flatMap(({ figures }) => figures);

const QUIET_CORES = 0.3;
const QUIET_LOOK_MS = 1000;
const QUIET_LOOKS = 10;

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const say = (line: string): void => void process.stderr.write(`# ${line}\n`);

/** What the scenarios share. */
function createBench(options: Options, base: string, zone: Zone): Bench {
  let peers: Promise<Side[]> | undefined;
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
    say,
    quiet: () => (options.quick ? Promise.resolve() : untilQuiet()),
    peers() {
      peers ??= options.peer === null ? Promise.resolve([]) : startPostfixes(newDir("postfix"), zone);
      return peers;
    },
  };
}

/**
 * Waits until others leave the machine alone. Noise is told with the figures; this only makes it less likely. What one
 * side left in the page cache is written first, or the next one's syncs would wait for it.
 */
async function untilQuiet(): Promise<void> {
  execFileSync("sync");
  for (let i = 0; i < QUIET_LOOKS; i++) {
    const others = watchOthers();
    await delay(QUIET_LOOK_MS);
    if (others() < QUIET_CORES) return;
  }
}

/** All that runs inside the namespaces. */
async function measureAll(options: Options, dir: string): Promise<void> {
  setUpNamespace();
  const zone = await startZone();
  const bench = createBench(options, dir, zone);
  print(JSON.stringify(describeMachine(dir)));
  if (options.profile) print(await profile(bench));
  else await measureFigures(bench);
  for (const peer of await bench.peers()) await peer.stop();
  await zone.stop();
}

/** Makes the directory that all files of the run are in; the peers' daemons, which are users of their own, may enter it. */
function makeDir({ dir }: Options): string {
  const made = dir ?? mkdtempSync(join(tmpdir(), "postrider-bench-"));
  mkdirSync(made, { recursive: true });
  chmodSync(made, 0o755);
  return made;
}

async function measureFigures(bench: Bench): Promise<void> {
  const { figures: asked } = bench.options;
  const wanted = ({ figures }: Scenario): boolean => asked.length === 0 || figures.some((name) => asked.includes(name));
  for (const scenario of SCENARIOS.filter(wanted)) await scenario.measure(bench);
  print(bench.report.table());
}

function complain(line: string, code: number): number {
  process.stderr.write(`bench: ${line}\n`);
  return code;
}

async function main(): Promise<number> {
  const args = process.argv.slice(2);
  const options = readOptions(args, NAMES);
  if (typeof options === "string") return complain(`${options}\n${USAGE}`, 2);
  const inside = insideDir();
  if (inside !== null) {
    await measureAll(options, inside);
    return 0;
  }
  if (process.platform !== "linux" || process.getuid?.() !== 0) return complain("it needs Linux and root", 1);
  const missing = missingPackages(options);
  if (missing.length > 0 && !options.install) {
    return complain(`it needs these Debian packages (--install installs them): ${missing.join(" ")}`, 1);
  }
  if (missing.length > 0) install(missing);
  const dir = makeDir(options);
  const code = await runInside(args, dir);
  // What was killed inside may still be on its way out.
  if (options.dir === null) rmSync(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  return code;
}

process.exit(await main());
