/**
 * `npm run bench`: measures the figures of docs/BENCHMARKS.md and prints a JSON line for each and a table. Only Linux, and
 * only as root: everything runs in namespaces of its own.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Bench, Scenario } from "./figures/figure.ts";
import { throughput } from "./figures/throughput.ts";
import { isInside, runInside, setUpNamespace } from "./namespace.ts";
import { type Options, readOptions, USAGE } from "./options.ts";
import { profile } from "./profile/profile.ts";
import { Report } from "./report.ts";
import { createAccount } from "./sides/postrider-account.ts";
import { startZone } from "./sides/zone.ts";

const SCENARIOS: readonly Scenario[] = [throughput];
const NAMES = SCENARIOS.flatMap(({ figures }) => figures);

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const say = (line: string): void => void process.stderr.write(`# ${line}\n`);

function complain(line: string, code: number): number {
  process.stderr.write(`bench: ${line}\n`);
  return code;
}

/** All that runs inside the namespaces. */
async function measureAll(options: Options): Promise<void> {
  setUpNamespace();
  const base = options.dir ?? mkdtempSync(join(tmpdir(), "postrider-bench-"));
  const report = new Report(print);
  const zone = await startZone();
  const newDir = (name: string): string => {
    mkdirSync(base, { recursive: true });
    return mkdtempSync(join(base, `${name}-`));
  };
  const newAccount = (name: string) => createAccount(newDir(name), zone);
  const bench: Bench = { options, report, zone, newDir, newAccount, say };
  const asked = ({ figures }: Scenario): boolean =>
    options.figures.length === 0 || figures.some((name) => options.figures.includes(name));
  try {
    if (options.profile) print(await profile(bench));
    else for (const scenario of SCENARIOS.filter(asked)) await scenario.measure(bench);
  } finally {
    await zone.stop();
    if (options.dir === null) rmSync(base, { recursive: true, force: true });
  }
  if (!options.profile) print(report.table());
}

async function main(): Promise<number> {
  const args = process.argv.slice(2);
  const options = readOptions(args, NAMES);
  if (typeof options === "string") return complain(`${options}\n${USAGE}`, 2);
  if (isInside()) {
    await measureAll(options);
    return 0;
  }
  if (process.platform !== "linux" || process.getuid?.() !== 0) return complain("it needs Linux and root", 1);
  return runInside(args);
}

process.exit(await main());
