/** The thread that takes incoming mail apart: what strangers have sent must not occupy the event loop, or the memory of the service. */
import { parentPort } from "node:worker_threads";
import { reportUncaughtErrors } from "../lib/thread.ts";
import { readFeedback } from "../message/feedback/feedback.ts";
import { readSenderReport } from "../message/reports/sender-report.ts";
import type { IncomingReading, ReadRequest } from "./incoming-reader.ts";

async function read({ as, content }: ReadRequest): Promise<IncomingReading> {
  const raw = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  return as === "feedback" ? { as, feedback: await readFeedback(raw) } : { as, report: await readSenderReport(raw) };
}

reportUncaughtErrors();
parentPort?.on("message", (request: ReadRequest) => {
  void read(request).then((reading) => parentPort?.postMessage(reading));
});
