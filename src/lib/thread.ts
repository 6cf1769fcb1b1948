/** Starts a worker thread, from TypeScript in a checkout or from JavaScript in a build. */
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { toCloneableError } from "./error-text.ts";

/**
 * tsx registers itself only in the main thread, so a worker runs this before its own file. It registers require hooks: import
 * hooks would start one more thread and take twice as long.
 */
const PREAMBLE = `
const { workerData } = require("node:worker_threads");
require(workerData.loader).register();
require(workerData.entry);
`;

/** Objects of the threads live for milliseconds. Node's default of 48 MB would let much more garbage accumulate. */
const YOUNG_MAX = { maxYoungGenerationSizeMb: 6 };

/**
 * Must be called first in a thread's file: uncaught errors then reach the parent thread with their message. Errors of native
 * modules, such as SQLite's, would otherwise keep only their enumerable properties.
 */
export function reportUncaughtErrors(): void {
  process.on("uncaughtException", (error) => {
    throw toCloneableError(error);
  });
}

const IS_BUILT = import.meta.url.endsWith(".js");

/**
 * Runs `entry` (the file URL of a .ts source) in a thread with `workerData.data`. Uncaught errors become `error` events. The thread
 * ends with an error if its heap exceeds `heapMaxMb`.
 */
export function startThread(entry: URL, data: unknown, heapMaxMb?: number): Worker {
  const resourceLimits = heapMaxMb === undefined ? YOUNG_MAX : { ...YOUNG_MAX, maxOldGenerationSizeMb: heapMaxMb };
  if (IS_BUILT)
    return new Worker(new URL(entry.href.replace(/\.ts$/, ".js")), { workerData: { data }, resourceLimits });
  const loader = createRequire(import.meta.url).resolve("tsx/cjs/api");
  const workerData = { loader, entry: fileURLToPath(entry), data };
  return new Worker(PREAMBLE, { eval: true, workerData, resourceLimits });
}
