/**
 * Reports on a thread of their own, with a read-only connection: a search through many messages holds up neither HTTP
 * nor a commit. Started with the first question. See reports.ts for the questions, reports-client.ts for their order.
 */
import { parentPort, workerData } from "node:worker_threads";
import { reportUncaughtErrors } from "../../lib/thread.ts";
import { openDatabase } from "./database.ts";
import { prepareReports } from "./reports.ts";
import { advance, type Steps } from "./steps.ts";
import { failed, type Reply } from "./writer-protocol.ts";

/** `args` counts where the thread does not have the question yet. */
export type Question = { id: number; operation: string; args: unknown };
/** A reply of null: the slice is over and the question is not answered. Sent again, it goes on where it was. */
export type Answer = { id: number; reply: Reply | null };

/** How long a question is worked on before others get their turn. */
const SLICE_MS = 20;

reportUncaughtErrors();
if (parentPort === null) throw new Error("the reports' thread was started as a program");
const port = parentPort;
const reports = prepareReports(openDatabase((workerData as { data: { dataDir: string } }).data.dataDir, "read"));
const begun = new Map<number, Steps<unknown>>();

function answer({ id, operation, args }: Question): Reply | null {
  try {
    const steps =
      begun.get(id) ?? (reports[operation as keyof typeof reports] as (args: unknown) => Steps<unknown>)(args);
    const progress = advance(steps, SLICE_MS);
    if (!progress.done) {
      begun.set(id, steps);
      return null;
    }
    begun.delete(id);
    return { ok: true, value: progress.value };
  } catch (error) {
    begun.delete(id);
    return failed(error);
  }
}

port.on("message", (question: Question) => {
  port.postMessage({ id: question.id, reply: answer(question) } satisfies Answer);
});
