/**
 * The thread that checks one part of the quarantine and posts the result; see quarantine-check.ts.
 */
import { parentPort, workerData } from "node:worker_threads";
import { reportUncaughtErrors } from "../../../../lib/thread.ts";
import { openDatabase } from "../connection/database.ts";
import { QuarantineCheck, type QuarantinePart } from "./quarantine-check.ts";

reportUncaughtErrors();

const { dataDir, part } = (workerData as { data: { dataDir: string; part: QuarantinePart } }).data;
const db = openDatabase(dataDir, "read");
const checked = new QuarantineCheck(db).check(part);
db.close();
parentPort?.postMessage(checked);
