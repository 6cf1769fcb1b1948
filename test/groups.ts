/**
 * Assigns test files to processes. Starting a process and loading the service costs a second of CPU, more than most
 * files' tests, so files share a few processes. Within a group they run one after another, each as a suite with the
 * file's name. A group is a generated file that imports its test files.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** Directories whose files take minutes in CI: each file gets its own process, and these start first. */
const LONG_IN_CI = ["peers", "simulate", "torture"];

/** Files whose nodes or services must keep up with a schedule: one after another, before all that runs beside others. */
const ON_SCHEDULE = [
  "torture/",
  "spool/engine/postgres/cluster/failover-review",
  "spool/engine/postgres/cluster/node.test",
];

/** The simulators run by a virtual clock: they take what those on schedule leave of the CPU. */
const BY_VIRTUAL_CLOCK = "simulate/";
const LOW_PRIORITY = 10;

/** For what the tests left open to close. */
const EXIT_LIMIT_MS = 90_000;

const IN_CI = process.env.CI === "true";

export interface Group {
  /** The generated file. */
  path: string;
  /** Relative to the test directory. */
  files: string[];
  /** Those of stage 1 run before those of stage 2, which need the CPU that those take. */
  stage: 1 | 2;
}

export interface Split {
  /** The directory of the compiled test files. */
  testDir: string;
  /** The directory of the generated files. */
  groupDir: string;
  /** The number of groups, besides those of one slow file. */
  count: number;
  /** The limit for each file. */
  timeoutMs: number;
}

/** Distributes the files in rotation, because adjacent files often take similar time. */
export function splitIntoGroups(files: string[], split: Split): Group[] {
  const onSchedule = files.filter((file) => IN_CI && isOnSchedule(file));
  const isLong = (file: string): boolean => IN_CI && LONG_IN_CI.some((dir) => file.startsWith(`${dir}/`));
  const alone = files.filter((file) => isLong(file) && !isOnSchedule(file)).map((file) => [file]);
  const others = files.filter((file) => !isLong(file) && !onSchedule.includes(file));
  const count = Math.min(split.count, others.length);
  const dealt = Array.from({ length: count }, (_, i) => others.filter((_file, j) => j % count === i));
  return [...(onSchedule.length > 0 ? [onSchedule] : []), ...alone, ...dealt].map((files, i) => {
    const path = join(split.groupDir, `group-${i + 1}.mjs`);
    writeFileSync(path, sourceOf(files, split));
    return { path, files, stage: IN_CI && files.every(isOfStage1) ? 1 : 2 };
  });
}

/**
 * A process that does not exit after its last test fails.
 *
 * A suite is asynchronous while its file loads, and the next suite starts after that, to assign each test to its
 * file. No test runs before all files are loaded, because loading blocks the event loop.
 */
function sourceOf(files: string[], { testDir, groupDir, timeoutMs }: Split): string {
  const urlOf = (file: string): string => pathToFileURL(join(testDir, file.replace(/\.ts$/, ".js"))).href;
  const imports = files.map((file) => [file, urlOf(file)]);
  const priority = priorityOf(files);
  // Failures show lines of the TypeScript source.
  return `process.setSourceMapsEnabled(true);
import { setPriority } from "node:os";
import { after, before, describe } from "node:test";
import { makeCryptoCheap } from ${JSON.stringify(urlOf("support/cheap-crypto.ts"))};
import { costs } from ${JSON.stringify(urlOf("file-costs.ts"))};
makeCryptoCheap(${JSON.stringify(groupDir)});
const cost = costs(${JSON.stringify(groupDir)});
${priority === 0 ? "" : `setPriority(${priority});`}
let unfinished = ${imports.length};
function finished() {
  unfinished -= 1;
  if (unfinished === 0) setTimeout(endOpen, ${EXIT_LIMIT_MS}).unref();
}
function endOpen() {
  const open = new Map();
  for (const kind of process.getActiveResourcesInfo()) open.set(kind, (open.get(kind) ?? 0) + 1);
  console.error("A test left open: " + [...open].map(([kind, count]) => count + " " + kind).join(", "));
  process.exit(1);
}
let begin;
const allLoaded = new Promise((resolve) => { begin = resolve; });
for (const [name, url] of ${JSON.stringify(imports)}) {
  await new Promise((loaded) => {
    describe(name, { timeout: ${timeoutMs} }, () => {
      before(() => cost.begin());
      after(() => cost.end(name));
      after(finished);
      return import(url).finally(loaded).then(() => allLoaded);
    });
  });
}
begin();
`;
}

const isOnSchedule = (file: string): boolean => ON_SCHEDULE.some((path) => file.startsWith(path));

const isOfStage1 = (file: string): boolean => isOnSchedule(file) || file.startsWith(BY_VIRTUAL_CLOCK);

/** As setpriority(2) has it: lower is sooner. */
const priorityOf = (files: string[]): number =>
  files.every((file) => file.startsWith(BY_VIRTUAL_CLOCK)) ? LOW_PRIORITY : 0;
