/**
 * Makes a passive checkpoint on each message, and replies when it has ended; see checkpoints.ts.
 */
import { parentPort, workerData } from "node:worker_threads";
import { reportUncaughtErrors } from "../../../../lib/thread.ts";
import { openDatabase, unlessUnavailable } from "./database.ts";

reportUncaughtErrors();
if (parentPort === null) throw new Error("checkpoints-thread.ts must run in a worker thread");
const port = parentPort;
const db = openDatabase((workerData as { data: { dataDir: string } }).data.dataDir, "write");
const checkpoint = db.prepare("PRAGMA wal_checkpoint(PASSIVE)");

port.on("message", () => {
  unlessUnavailable(() => checkpoint.get());
  port.postMessage(null);
});
