/**
 * Copies what is in the write-ahead log into the spool's file whenever it is asked to, and says when it has; see checkpoints.ts.
 * Started with the first checkpoint.
 */
import { parentPort, workerData } from "node:worker_threads";
import { reportUncaughtErrors } from "../../lib/thread.ts";
import { openDatabase, unlessUnavailable } from "./database.ts";

reportUncaughtErrors();
if (parentPort === null) throw new Error("the checkpoints' thread was started as a program");
const port = parentPort;
const db = openDatabase((workerData as { data: { dataDir: string } }).data.dataDir, "write");
const checkpoint = db.prepare("PRAGMA wal_checkpoint(PASSIVE)");

port.on("message", () => {
  unlessUnavailable(() => checkpoint.get());
  port.postMessage(null);
});
