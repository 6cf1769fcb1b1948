/**
 * Starts a worker thread on a file of ours, as TypeScript in a checkout or as JavaScript in a build.
 */
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { toCloneableError } from "./error-text.ts";

/**
 * tsx registers itself only in the main thread, so a thread needs this before its own file loads. As require hooks: those
 * for imports would start one more thread and take twice as long.
 */
const PREAMBLE = `
const { workerData } = require("node:worker_threads");
require(workerData.loader).register();
require(workerData.entry);
`;

/** What the threads make lives for milliseconds: with Node's 48 MB each lets far more lie before it clears it away. */
const resourceLimits = { maxYoungGenerationSizeMb: 6 };

/**
 * Called first in a thread's own file: an uncaught error reaches the starter with its message. Of an error that is not
 * the engine's own, such as SQLite's, only the enumerable properties would.
 */
export function reportUncaughtErrors(): void {
  process.on("uncaughtException", (error) => {
    throw toCloneableError(error);
  });
}

const IS_BUILT = import.meta.url.endsWith(".js");

/** Runs `entry` (a file URL, as it is named in the source) in a thread; `data` reaches it as `workerData.data`. An uncaught error there is the worker's `error` event. */
export function startThread(entry: URL, data: unknown): Worker {
  if (IS_BUILT)
    return new Worker(new URL(entry.href.replace(/\.ts$/, ".js")), { workerData: { data }, resourceLimits });
  const loader = createRequire(import.meta.url).resolve("tsx/cjs/api");
  const workerData = { loader, entry: fileURLToPath(entry), data };
  return new Worker(PREAMBLE, { eval: true, workerData, resourceLimits });
}
