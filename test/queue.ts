/**
 * The test files of a run wait in a queue, the dearest first, and a few processes, its workers (queue-worker.ts), each take the next
 * one until none is left. Starting a process and loading the service costs a second of CPU, more than most files' tests, so files share
 * processes; and because no worker has a share that was dealt to it before, all of them end at about the same time.
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
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { costOf } from "./long-files.ts";

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

/** The name of the environment variable with a worker's WorkerOptions, as JSON. */
export const WORKER_OPTIONS = "TEST_WORKER_OPTIONS";

const FILES = "files.json";
const TAKEN = "taken-";
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
  if (process.env.CI !== "true" || !files.some(isOnSchedule)) openQueue(queue);
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
export const openQueue = ({ directory }: Pick<Queue, "directory">): void => writeFileSync(join(directory, OPEN), "");

export const isOpen = (directory: string): boolean => existsSync(join(directory, OPEN));

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

export const isOnSchedule = (file: string): boolean => startsWithAny(file, ON_SCHEDULE);
export const isWaiting = (file: string): boolean => startsWithAny(file, WAITING);
export const isComputing = (file: string): boolean => startsWithAny(file, COMPUTING);

const startsWithAny = (file: string, starts: readonly string[]): boolean =>
  starts.some((start) => file.startsWith(start));
