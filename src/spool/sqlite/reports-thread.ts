/**
 * Reports on a thread of their own, with a read-only connection: a search through many messages holds up neither HTTP
 * nor a commit. Started with the first question; see reports.ts for what is asked.
 */
import { parentPort, workerData } from "node:worker_threads";
import { openDatabase } from "./database.ts";
import { prepareReports } from "./reports.ts";
import type { Reply } from "./writer.ts";
import { failed } from "./writer.ts";

export type Question = { id: number; operation: string; args: unknown };
export type Answer = { id: number; reply: Reply };

if (parentPort === null) throw new Error("the reports' thread was started as a program");
const port = parentPort;
const reports = prepareReports(openDatabase((workerData as { data: { dataDir: string } }).data.dataDir, "read"));

function answer({ operation, args }: Question): Reply {
  try {
    const report = reports[operation as keyof typeof reports] as (args: unknown) => unknown;
    return { ok: true, value: report(args) };
  } catch (error) {
    return failed(error);
  }
}

port.on("message", (question: Question) => {
  port.postMessage({ id: question.id, reply: answer(question) } satisfies Answer);
});
