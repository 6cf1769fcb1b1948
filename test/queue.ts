/**
 * The test files of a run wait in a queue, the dearest first, and a few processes, its workers (queue-worker.ts), each take the next
 * one until none is left. Starting a process and loading the service costs a second of CPU, more than most files' tests, so files share
 * processes; and because no worker has a share that was dealt to it before, all of them end at about the same time.
 *
 * In CI some files have to keep up with a schedule. The first two workers run these, each a part of them one after another, before
 * anything else. Until they have done so, two others with a lower priority take only files that just compute, and the rest wait.
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
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { costOf } from "./long-files.ts";

/**
 * Files whose nodes or services must keep up with a schedule, by the worker that runs them. They wait for half of their time, so two at
 * once leave each other what they need.
 */
const ON_SCHEDULE = [
  ["torture/torture", "torture/cluster", "spool/engine/postgres/cluster/failover-review"],
  ["torture/waits", "torture/broken-copies", "spool/engine/postgres/cluster/node.test"],
];

/** Directories of files that compute, by a virtual clock or none: beside those on schedule they take what these leave of the CPU. */
const COMPUTING = ["simulate/", "fuzz/", "lint/", "message/", "dmarc/", "domains/", "security/", "app/reports/"];

/** The name of the environment variable with a worker's WorkerOptions, as JSON. */
export const WORKER_OPTIONS = "TEST_WORKER_OPTIONS";

const FILES = "files.json";
const TAKEN = "taken-";
/** Begins the names of files, one for each worker with files on schedule, that say that it has run them. */
const OPENED = "opened-";

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

export interface WorkerOptions {
  /** Of the queue. */
  directory: string;
  tree: string;
  /** From 0. */
  worker: number;
  timeoutMs: number;
}

/** Makes a queue of `files`, which are relative to the directory of the tests, and the programs of its workers. */
export function makeQueue(files: readonly string[], { tree, name, workers, timeoutMs }: QueueOptions): Queue {
  const directory = join(tree, name);
  mkdirSync(directory);
  const queue = {
    directory,
    workers: Array.from({ length: Math.min(workers, files.length) }, (_, worker) => {
      const path = join(directory, `worker-${worker + 1}.mjs`);
      writeFileSync(path, programOf({ directory, tree, worker, timeoutMs }));
      return path;
    }),
  };
  writeFileSync(join(directory, FILES), JSON.stringify(files.toSorted((a, b) => costOf(b) - costOf(a))));
  // Of a few files, each begins at once.
  const hasFew = files.length <= workers;
  if (process.env.CI !== "true" || hasFew || !files.some((file) => isOnSchedule(file))) openQueue(queue);
  return queue;
}

/** Failures show lines of the TypeScript source. */
const programOf = (options: WorkerOptions): string => `process.setSourceMapsEnabled(true);
process.env.${WORKER_OPTIONS} = ${JSON.stringify(JSON.stringify(options))};
await import(${JSON.stringify(pathToFileURL(join(options.tree, "test/queue-worker.js")).href)});
`;

/** The files that a worker has taken. */
export function filesTakenBy({ directory, workers }: Queue, path: string): string[] {
  const worker = String(workers.indexOf(path));
  const files = filesIn(directory);
  return readdirSync(directory)
    .filter((entry) => entry.startsWith(TAKEN) && readFileSync(join(directory, entry), "utf8") === worker)
    .map((entry) => files[Number(entry.slice(TAKEN.length))] as string);
}

/** Lets all workers take any file. */
export const openQueue = ({ directory }: Queue): void => {
  for (const worker of ON_SCHEDULE.keys()) endSchedule({ directory, worker });
};

/** To be called by a worker that has run its files on schedule. */
export const endSchedule = ({ directory, worker }: Pick<WorkerOptions, "directory" | "worker">): void =>
  writeFileSync(join(directory, `${OPENED}${worker}`), "");

/** Whether all workers may take any file. */
export const isOpen = (directory: string): boolean =>
  [...ON_SCHEDULE.keys()].every((worker) => existsSync(join(directory, `${OPENED}${worker}`)));

/** In the order of the queue. */
export const filesIn = (directory: string): string[] =>
  JSON.parse(readFileSync(join(directory, FILES), "utf8")) as string[];

/** Takes the file with this index. Returns false if a worker has taken it before. */
export function takeFile({ directory, worker }: WorkerOptions, index: number): boolean {
  try {
    const file = openSync(join(directory, `${TAKEN}${index}`), "wx");
    writeSync(file, String(worker));
    closeSync(file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** Whether the file is on schedule, at the worker if one is given. */
export const isOnSchedule = (file: string, worker?: number): boolean =>
  startsWithAny(file, worker === undefined ? ON_SCHEDULE.flat() : (ON_SCHEDULE[worker] ?? []));
/** Whether a worker runs files on schedule. */
export const hasSchedule = (worker: number): boolean => worker < ON_SCHEDULE.length;
export const isComputing = (file: string): boolean => startsWithAny(file, COMPUTING);

const startsWithAny = (file: string, starts: readonly string[]): boolean =>
  starts.some((start) => file.startsWith(start));
