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
  "cli.test.ts": 4,
  "cli/backup.test.ts": 3,
  "cli/master-key.test.ts": 7,
  "cli/queue.test.ts": 2,
  "cli/restore.test.ts": 3,
  "cli/accounts.test.ts": 1,
  "dashboard/api-page.test.ts": 2,
  "dashboard/domain-life.test.ts": 2,
  "dashboard/domain-turns.test.ts": 3,
  "dashboard/large-content.test.ts": 2,
  "dashboard/limits.test.ts": 1,
  "dashboard/operator-confirmation.test.ts": 2,
  "dashboard/second-factor.test.ts": 1,
  "dashboard/security.test.ts": 7,
  "dashboard/words.test.ts": 4,
  "delivery/tls/tls-policy.test.ts": 1,
  "demo.test.ts": 8,
  "dns/node-resolver.test.ts": 4,
  "dns/server-order.test.ts": 4,
  "docs/readme-examples.test.ts": 1,
  "e2e/attacks.test.ts": 13,
  "e2e/bytes.test.ts": 4,
  "e2e/categories.test.ts": 1,
  "e2e/clean-stop.test.ts": 9,
  "e2e/crash.test.ts": 8,
  "e2e/crowd.test.ts": 1,
  "e2e/damage.test.ts": 7,
  "e2e/errors-senders.test.ts": 1,
  "e2e/extras.test.ts": 8,
  "e2e/idempotency.test.ts": 2,
  "e2e/limits.test.ts": 1,
  "e2e/load-refused.test.ts": 4,
  "e2e/log.test.ts": 1,
  "e2e/lookup.test.ts": 1,
  "e2e/metrics.test.ts": 2,
  "e2e/openapi.test.ts": 2,
  "e2e/outcomes-connections.test.ts": 4,
  "e2e/outcomes-envelope.test.ts": 1,
  "e2e/outcomes-final-dot.test.ts": 1,
  "e2e/outcomes-malformed.test.ts": 1,
  "e2e/outcomes-replies.test.ts": 2,
  "e2e/outcomes-rounds.test.ts": 3,
  "e2e/routing-dns.test.ts": 4,
  "e2e/routing.test.ts": 2,
  "e2e/slow-bodies.test.ts": 1,
  "e2e/stop.test.ts": 4,
  "e2e/suppression.test.ts": 2,
  "e2e/waits.test.ts": 2,
  "fuzz/front.test.ts": 1,
  "fuzz/peers.test.ts": 1,
  "http/drafts.test.ts": 1,
  "http/overload/parser-feed.test.ts": 3,
  "http/strict-transport.test.ts": 1,
  "main.test.ts": 6,
  "message/dkim.test.ts": 5,
  "message/draft-memory.test.ts": 3,
  "message/huge-requests.test.ts": 2,
  "message/mime.test.ts": 2,
  "ops.test.ts": 1,
  "lib/slab-buffer.test.ts": 2,
  "simulate/simulator.test.ts": 1,
  "sink.test.ts": 3,
  "spool/sqlite/checkpoints.test.ts": 2,
  "spool/sqlite/damage.test.ts": 5,
  "spool/sqlite/identity.test.ts": 2,
  "spool/sqlite/acceptance.test.ts": 3,
  "spool/sqlite/quarantine.test.ts": 1,
  "spool/sqlite/search.test.ts": 2,
  "spool/sqlite/database.test.ts": 3,
  "spool/sqlite/sqlite-spool.test.ts": 8,
  "upgrade/upgrade.test.ts": 4,
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
  "simulate/broken-copies.test.ts": 200,
  "simulate/simulator.test.ts": 100,
  "torture/torture.test.ts": 200,
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
