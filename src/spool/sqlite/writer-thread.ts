/**
 * The writer in a thread of its own.
 */
import { parentPort, workerData } from "node:worker_threads";
import { reportUncaughtErrors } from "../../lib/thread.ts";
import { checkpointBeside } from "./checkpoints.ts";
import { renewIdentity } from "./identity.ts";
import { serveWriter } from "./writer.ts";

reportUncaughtErrors();
if (parentPort === null) throw new Error("the writer's thread was started as a program");
const { dataDir } = (workerData as { data: { dataDir: string } }).data;
serveWriter(parentPort, dataDir, (db) => {
  renewIdentity(db, dataDir);
  return checkpointBeside(db, dataDir);
});
