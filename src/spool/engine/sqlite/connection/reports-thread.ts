/**
 * The reports thread, with its own read-only connection: a search through many messages delays neither HTTP nor a commit.
 * It starts with the first query. The store and reports.ts have the queries, reports-client.ts decides their order.
 */
import { parentPort, workerData } from "node:worker_threads";
import { reportUncaughtErrors } from "../../../../lib/thread.ts";
import type { Damage } from "../../../port/store.ts";
import { REPORTS } from "../../../store/operations.ts";
import type { Operation } from "../../operations.ts";
import { sessionWith } from "../../session.ts";
import { DamageLog, unlessDamaged } from "../files/damage.ts";
import { prepareReports } from "../reports/reports.ts";
import { openDatabase } from "./database.ts";
import { runSteps, SlicedRead, type Steps } from "./read-steps.ts";
import { SqliteSession } from "./sqlite-session.ts";
import { largeBuffersOf } from "./transferred-bytes.ts";
import { failed, type Reply } from "./writer-protocol.ts";

/** `args`: those of a report of the store, or the argument of a query in reports.ts; ignored when the thread continues a query. */
export type ReportQuery = { id: number; operation: string; args: unknown };
/** `reply` is null if the slice ended before the query. When the query is sent again, the thread continues it. */
export type SliceResult = { id: number; reply: Reply | null; damage: Damage[] };

/** How long one query runs before the next one. */
const SLICE_MS = 20;

reportUncaughtErrors();
if (parentPort === null) throw new Error("the reports thread was started as a program");
const port = parentPort;
const db = openDatabase((workerData as { data: { dataDir: string } }).data.dataDir, "read");
const queries = prepareReports(db);
const log = new DamageLog();
// What is damaged is left out of a report.
const session = new SqliteSession(db, {
  avoid: (place, run, fallback) => unlessDamaged(run, fallback, { log, place }),
  note: (place, error) => log.note(place, error),
});
const running = new Map<number, SlicedRead<unknown>>();

function begin({ operation: name, args }: ReportQuery): SlicedRead<unknown> {
  const report = REPORTS.get(name) as Operation<unknown[]> | undefined;
  if (report !== undefined)
    return new SlicedRead((pause) => report(sessionWith(session, pause), ...(args as unknown[])));
  const query = queries[name as keyof typeof queries] as (args: unknown) => Steps<unknown>;
  return new SlicedRead((pause) => runSteps(query(args), pause));
}

async function runSlice(query: ReportQuery): Promise<Reply | null> {
  const read = running.get(query.id) ?? begin(query);
  running.set(query.id, read);
  try {
    const progress = await read.advance(SLICE_MS);
    if (!progress.done) return null;
    running.delete(query.id);
    return { ok: true, value: progress.value };
  } catch (error) {
    running.delete(query.id);
    return failed(error);
  }
}

port.on("message", async (query: ReportQuery) => {
  const reply = await runSlice(query);
  const result: SliceResult = { id: query.id, reply, damage: log.take() };
  port.postMessage(result, reply?.ok ? largeBuffersOf(reply.value) : []);
});
