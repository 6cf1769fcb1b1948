/**
 * Which test files share a process. Starting one and loading the service costs a second of CPU, more than most files
 * need for their tests, so that files go together in a few groups. Within a group they run one after another, each as a
 * suite that bears the file's name. A group is a generated file that imports its test files.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/**
 * What the longest files take, roughly, half of it in seconds as they ran beside the others, and how much any other counts
 * for. A number that is no longer right costs a little time and nothing else.
 */
const OTHER_SECONDS = 0.3;
const SECONDS: Record<string, number> = {
  "cli.test.ts": 6,
  "cli/backup.test.ts": 4,
  "cli/installation.test.ts": 2,
  "cli/master-key.test.ts": 6,
  "dashboard/domain-life.test.ts": 2,
  "dashboard/second-factor.test.ts": 2,
  "dashboard/security.test.ts": 7,
  "dashboard/words.test.ts": 4,
  "delivery/mta-sts.test.ts": 2,
  "delivery/smuggling.test.ts": 2,
  "delivery/tls-policy.test.ts": 2,
  "dns/node-resolver.test.ts": 2,
  "docs/readme-examples.test.ts": 3,
  "e2e/bytes.test.ts": 7,
  "e2e/crash.test.ts": 8,
  "e2e/crowd.test.ts": 2,
  "e2e/extras.test.ts": 2,
  "e2e/idempotency.test.ts": 3,
  "e2e/limits.test.ts": 1,
  "e2e/list.test.ts": 2,
  "e2e/log.test.ts": 2,
  "e2e/lookup.test.ts": 2,
  "e2e/metrics.test.ts": 2,
  "e2e/openapi.test.ts": 3,
  "e2e/outcomes-connections.test.ts": 4,
  "e2e/outcomes-malformed.test.ts": 2,
  "e2e/outcomes-replies.test.ts": 2,
  "e2e/outcomes-rounds.test.ts": 4,
  "e2e/pipelined.test.ts": 2,
  "e2e/routing-dns.test.ts": 3,
  "e2e/routing.test.ts": 1,
  "e2e/waits.test.ts": 1,
  "main.test.ts": 6,
  "simulate/simulator.test.ts": 2,
  "sink.test.ts": 2,
  "spool/sqlite-setup.test.ts": 2,
  "spool/sqlite.test.ts": 10,
  "upgrade/upgrade.test.ts": 6,
};

/** Those that do all their work, or most of it, in CI only. */
const SECONDS_IN_CI: Record<string, number> = {
  "dashboard/hostile.test.ts": 10,
  "dashboard/security-guessing.test.ts": 20,
  "dashboard/walk-large.test.ts": 20,
  "dashboard/walk-messages.test.ts": 15,
  "dashboard/walk-newcomer.test.ts": 20,
  "dashboard/walk-operator.test.ts": 15,
  "e2e/generated-clients.test.ts": 20,
  "e2e/load-accounts.test.ts": 30,
  "e2e/load-dead.test.ts": 30,
  "peers/chaos.test.ts": 60,
  "peers/servers.test.ts": 60,
  "simulate/broken-copies.test.ts": 60,
  "simulate/simulator.test.ts": 100,
  "torture/torture.test.ts": 240,
};

const IN_CI = process.env.CI === "true";

const secondsOf = (file: string): number => (IN_CI ? SECONDS_IN_CI[file] : undefined) ?? SECONDS[file] ?? OTHER_SECONDS;

export interface Group {
  /** The generated file. */
  path: string;
  /** Relative to the directory of the tests. */
  files: string[];
}

/** Where the compiled files are, where generated ones go, and how many groups there are at most. */
export interface Split {
  testDir: string;
  groupDir: string;
  count: number;
  /** For each file. */
  timeoutMs: number;
}

/** Deals the files out, the heaviest first and each to the group that has least to do; within a group they run so too. */
export function splitIntoGroups(files: string[], split: Split): Group[] {
  const hands = Array.from({ length: Math.min(split.count, files.length) }, () => ({
    files: [] as string[],
    seconds: 0,
  }));
  for (const file of files.toSorted((a, b) => secondsOf(b) - secondsOf(a))) {
    const least = hands.reduce((least, hand) => (hand.seconds < least.seconds ? hand : least));
    least.files.push(file);
    least.seconds += secondsOf(file);
  }
  return hands.map((hand, i) => {
    const path = join(split.groupDir, `group-${i + 1}.mjs`);
    writeFileSync(path, sourceOf(hand.files, split));
    return { path, files: hand.files };
  });
}

/**
 * A suite is asynchronous while its file loads; the next one begins after that, so that each test finds its own. No test
 * runs before all files are loaded: to load one stops everything else.
 */
function sourceOf(files: string[], { testDir, timeoutMs }: Split): string {
  const urlOf = (file: string): string => pathToFileURL(join(testDir, file.replace(/\.ts$/, ".js"))).href;
  const imports = files.map((file) => [file, urlOf(file)]);
  const first = IN_CI ? "" : `import ${JSON.stringify(urlOf("support/cheap-passwords.ts"))};\n`;
  // A failed test tells the line of its source.
  return `${first}process.setSourceMapsEnabled(true);
import { describe } from "node:test";
let begin;
const allLoaded = new Promise((resolve) => { begin = resolve; });
for (const [name, url] of ${JSON.stringify(imports)}) {
  await new Promise((loaded) => {
    describe(name, { timeout: ${timeoutMs} }, () => import(url).finally(loaded).then(() => allLoaded));
  });
}
begin();
`;
}
