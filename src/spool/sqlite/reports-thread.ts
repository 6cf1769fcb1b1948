/**
 * The reports thread, with its own read-only connection: a search through many messages delays neither HTTP nor a commit.
 * It starts with the first query. reports.ts has the queries, reports-client.ts decides their order.
 */
import { parentPort, workerData } from "node:worker_threads";
import { reportUncaughtErrors } from "../../lib/thread.ts";
import { openDatabase } from "./database.ts";
import { prepareReports } from "./reports.ts";
import { advance, type Steps } from "./steps.ts";
import { failed, type Reply } from "./writer-protocol.ts";

/** `args` is ignored when the thread continues a query. */
export type ReportQuery = { id: number; operation: string; args: unknown };
/** `reply` is null if the slice ended before the query. When the query is sent again, the thread continues it. */
export type SliceResult = { id: number; reply: Reply | null };

/** How long one query runs before the next one. */
const SLICE_MS = 20;

reportUncaughtErrors();
if (parentPort === null) throw new Error("the reports thread was started as a program");
const port = parentPort;
const reports = prepareReports(openDatabase((workerData as { data: { dataDir: string } }).data.dataDir, "read"));
const running = new Map<number, Steps<unknown>>();

function runSlice({ id, operation, args }: ReportQuery): Reply | null {
  try {
    const steps =
      running.get(id) ?? (reports[operation as keyof typeof reports] as (args: unknown) => Steps<unknown>)(args);
    const progress = advance(steps, SLICE_MS);
    if (!progress.done) {
      running.set(id, steps);
      return null;
    }
    running.delete(id);
    return { ok: true, value: progress.value };
  } catch (error) {
    running.delete(id);
    return failed(error);
  }
}

port.on("message", (query: ReportQuery) => {
  port.postMessage({ id: query.id, reply: runSlice(query) } satisfies SliceResult);
});
