/**
 * The writer in a thread of its own.
 */
import { parentPort, workerData } from "node:worker_threads";
import { serveWriter } from "./writer.ts";

if (parentPort === null) throw new Error("the writer's thread was started as a program");
serveWriter(parentPort, (workerData as { data: { dataDir: string } }).data.dataDir);
