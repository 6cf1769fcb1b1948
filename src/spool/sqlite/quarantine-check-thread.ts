/**
 * Checks a part of the quarantine once and answers with what is whole; see quarantine-check.ts.
 */
import { parentPort, workerData } from "node:worker_threads";
import { reportUncaughtErrors } from "../../lib/thread.ts";
import { openDatabase } from "./database.ts";
import { prepareQuarantineCheck, type QuarantinePart } from "./quarantine-check.ts";

reportUncaughtErrors();

const { dataDir, part } = (workerData as { data: { dataDir: string; part: QuarantinePart } }).data;
const db = openDatabase(dataDir, "read");
const checked = prepareQuarantineCheck(db)(part);
db.close();
parentPort?.postMessage(checked);
