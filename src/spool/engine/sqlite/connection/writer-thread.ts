/**
 * Runs the writer in a worker thread; see writer.ts.
 */
import { parentPort, workerData } from "node:worker_threads";
import { reportUncaughtErrors } from "../../../../lib/thread.ts";
import { renewIdentity } from "../files/log-identity.ts";
import { ThreadCheckpoints } from "./checkpoints.ts";
import { serveWriter } from "./writer.ts";

reportUncaughtErrors();
if (parentPort === null) throw new Error("writer-thread.ts must run in a worker thread");
const { dataDir } = (workerData as { data: { dataDir: string } }).data;
serveWriter(parentPort, dataDir, (db) => {
  renewIdentity(db, dataDir);
  return new ThreadCheckpoints(db, dataDir);
});
