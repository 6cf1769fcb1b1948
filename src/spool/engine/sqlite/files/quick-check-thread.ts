/**
 * Checks the spool's file once and posts the faults found; see quick-check.ts.
 */
import { parentPort, workerData } from "node:worker_threads";
import { errorText } from "../../../../lib/error-text.ts";
import { reportUncaughtErrors } from "../../../../lib/thread.ts";
import { openDatabase } from "../connection/database.ts";

const FAULTS_MAX = 5;
/** Pages left behind by an index that was rebuilt. */
const UNUSED = /never used$/;

reportUncaughtErrors();

function faults(dataDir: string): string[] {
  try {
    const rows = openDatabase(dataDir, "read").pragma("quick_check(100)") as { quick_check: string }[];
    const lines = rows.flatMap((row) => row.quick_check.split("\n")).filter((line) => !/^\*\*\*|^ok$/.test(line));
    return lines.filter((line) => !UNUSED.test(line)).slice(0, FAULTS_MAX);
  } catch (error) {
    return [errorText(error)];
  }
}

parentPort?.postMessage(faults((workerData as { data: { dataDir: string } }).data.dataDir));
