/**
 * The test files of a run wait in a queue, the dearest first, and a few processes, its workers, each take the next one until none is
 * left. Starting a process and loading the service costs a second of CPU, more than most files' tests, so files share processes; and
 * because no worker has a share that was dealt to it before, all of them end at about the same time. In a worker each file is a suite
 * with the file's name.
 *
 * In CI some files have to keep up with a schedule. The first worker runs these, one after another, before anything else. Until it has
 * done so, another runs what mostly waits, two with a lower priority take only files that just compute, and the rest wait.
 */
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { setPriority } from "node:os";
import { join } from "node:path";
import { after, before, describe } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { costs } from "./file-costs.ts";
import { costOf } from "./long-files.ts";
import { makeCryptoCheap } from "./support/cheap-crypto.ts";

/** Files whose nodes or services must keep up with a schedule. */
const ON_SCHEDULE = [
  "torture/broken-copies",
  "torture/cluster",
  "torture/torture",
  "spool/engine/postgres/cluster/failover-review",
  "spool/engine/postgres/cluster/node.test",
];

/** Files that take minutes in which little happens, so they begin at once. */
const WAITING = ["torture/waits"];

/** Directories of files that compute, by a virtual clock or none: beside those on schedule they take what these leave of the CPU. */
const COMPUTING = [
  "simulate/",
  "fuzz/",
  "lint/",
  "message/",
  "lib/",
  "dmarc/",
  "domains/",
  "security/",
  "app/reports/",
];
const COMPUTING_WORKERS = [2, 3];
const LOW_PRIORITY = 10;

/** For what the tests left open to close. */
const EXIT_LIMIT_MS = 90_000;
const LOOK_EVERY_MS = 500;

const FILES = "files.json";
/** Exists once nothing on schedule is left. */
const OPEN = "open";

export interface Queue {
  directory: string;
  /** The paths of the workers' generated programs. */
  workers: string[];
}

export interface QueueOptions {
  /** The compiled tree. The queue is a new directory in it. */
  tree: string;
  name: string;
  workers: number;
  /** The limit for each file. */
  timeoutMs: number;
}

interface WorkerOptions {
  directory: string;
  tree: string;
  worker: number;
  timeoutMs: number;
}

const isOneOf = (file: string, starts: readonly string[]): boolean => starts.some((start) => file.startsWith(start));

/** Makes a queue of `files`, which are relative to the directory of the tests, and the programs of its workers. */
export function makeQueue(files: readonly string[], { tree, name, workers, timeoutMs }: QueueOptions): Queue {
  const directory = join(tree, name);
  mkdirSync(directory);
  const isScheduled = process.env.CI === "true" && files.some((file) => isOneOf(file, ON_SCHEDULE));
  if (!isScheduled) writeFileSync(join(directory, OPEN), "");
  writeFileSync(join(directory, FILES), JSON.stringify(files.toSorted((a, b) => costOf(b) - costOf(a))));
  const source = pathToFileURL(join(tree, "test/queue.js")).href;
  const paths = Array.from({ length: Math.min(workers, files.length) }, (_, worker) => {
    const path = join(directory, `worker-${worker + 1}.mjs`);
    const options: WorkerOptions = { directory, tree, worker, timeoutMs };
    // Failures show lines of the TypeScript source.
    writeFileSync(
      path,
      `process.setSourceMapsEnabled(true);
const { work } = await import(${JSON.stringify(source)});
await work(${JSON.stringify(options)});
`,
    );
    return path;
  });
  return { directory, workers: paths };
}

/** The files that a worker has taken. */
export function filesTakenBy({ directory, workers }: Queue, path: string): string[] {
  const worker = String(workers.indexOf(path));
  const files = filesIn(directory);
  return readdirSync(directory)
    .filter((entry) => entry.startsWith("taken-") && readFileSync(join(directory, entry), "utf8") === worker)
    .map((entry) => files[Number(entry.slice("taken-".length))] as string);
}

/** Lets all workers take files, where the one that runs those on schedule has ended without doing so. */
export const openQueue = ({ directory }: Queue): void => writeFileSync(join(directory, OPEN), "");

const filesIn = (directory: string): string[] => JSON.parse(readFileSync(join(directory, FILES), "utf8")) as string[];

/** Runs files of the queue in this process until none is left. A process that does not exit after its last test fails. */
export async function work({ directory, tree, worker, timeoutMs }: WorkerOptions): Promise<void> {
  makeCryptoCheap(tree);
  const cost = costs(tree);
  const files = filesIn(directory);
  const run = async (file: string): Promise<void> => {
    await new Promise<void>((resolve) => {
      // A suite at its limit does not call its hooks.
      setTimeout(resolve, timeoutMs).unref();
      describe(file, { timeout: timeoutMs }, async () => {
        before(() => cost.begin());
        after(() => {
          cost.end(file);
          resolve();
        });
        await import(pathToFileURL(join(tree, "test", file.replace(/\.ts$/, ".js"))).href).catch((error) => {
          resolve();
          throw error;
        });
      });
    });
  };
  const runAll = async (isWanted: (file: string) => boolean): Promise<void> => {
    for (const [index, file] of files.entries()) if (isWanted(file) && take(directory, index, worker)) await run(file);
  };
  const open = join(directory, OPEN);
  if (!existsSync(open)) await runBeforeOpening();
  await runAll(() => true);
  setTimeout(endOpen, EXIT_LIMIT_MS).unref();

  async function runBeforeOpening(): Promise<void> {
    if (worker === 0) {
      await runAll((file) => isOneOf(file, ON_SCHEDULE));
      writeFileSync(open, "");
    } else if (worker === 1) {
      await runAll((file) => isOneOf(file, WAITING));
    } else if (COMPUTING_WORKERS.includes(worker)) {
      setPriority(LOW_PRIORITY);
      await runAll((file) => isOneOf(file, COMPUTING) && !existsSync(open));
      restorePriority();
    }
    while (!existsSync(open)) await delay(LOOK_EVERY_MS);
  }
}

/** Only the superuser may raise it again. */
function restorePriority(): void {
  try {
    setPriority(0);
  } catch {
    // The worker goes on with what the others leave.
  }
}

/** Returns whether no other worker has taken the file. */
function take(directory: string, index: number, worker: number): boolean {
  try {
    const file = openSync(join(directory, `taken-${index}`), "wx");
    writeSync(file, String(worker));
    closeSync(file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

function endOpen(): void {
  const open = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) open.set(kind, (open.get(kind) ?? 0) + 1);
  process.stderr.write(`A test left open: ${[...open].map(([kind, count]) => `${count} ${kind}`).join(", ")}\n`);
  process.exit(1);
}
