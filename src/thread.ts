/**
 * Starts a worker thread on a file of ours, as TypeScript in a checkout or as JavaScript in a build.
 */
import { Worker } from "node:worker_threads";

/** tsx registers itself only in the main thread, so a thread needs this before its own file loads. */
const PREAMBLE = `
const { workerData } = require("node:worker_threads");
import(workerData.loader).then(({ register }) => { register(); return import(workerData.entry); });
`;

const IS_BUILT = import.meta.url.endsWith(".js");

/** Runs `entry` (a file URL, as it is named in the source) in a thread; `data` reaches it as `workerData.data`. An uncaught error there is the worker's `error` event. */
export function startThread(entry: URL, data: unknown): Worker {
  if (IS_BUILT) return new Worker(new URL(entry.href.replace(/\.ts$/, ".js")), { workerData: { data } });
  const loader = import.meta.resolve("tsx/esm/api");
  return new Worker(PREAMBLE, { eval: true, workerData: { loader, entry: entry.href, data } });
}
