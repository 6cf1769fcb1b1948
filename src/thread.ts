/**
 * Starts a worker thread on a TypeScript file.
 * tsx registers itself only in the main thread, so a thread needs this small preamble before its own file loads.
 */
import { Worker } from "node:worker_threads";

const PREAMBLE = `
const { workerData } = require("node:worker_threads");
import(workerData.loader).then(({ register }) => { register(); return import(workerData.entry); });
`;

/** Runs `entry` (a file URL) in a thread; `data` reaches it as `workerData.data`. An uncaught error there is the worker's `error` event. */
export function startThread(entry: URL, data: unknown): Worker {
  const loader = import.meta.resolve("tsx/esm/api");
  return new Worker(PREAMBLE, { eval: true, workerData: { loader, entry: entry.href, data } });
}
