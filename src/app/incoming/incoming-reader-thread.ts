/** The thread that takes incoming mail apart: what strangers have sent must not occupy the event loop, or the memory of the service. */
import { parentPort } from "node:worker_threads";
import { bufferOf } from "../../lib/buffer-of.ts";
import { reportUncaughtErrors } from "../../lib/thread.ts";
import { lowerThreadPriority } from "../../lib/thread-priority.ts";
import { forwardedOriginal } from "../../message/compose/forwarded.ts";
import { readFeedback } from "../../message/feedback/feedback.ts";
import { isSignedByLoop } from "../../message/feedback/loop-signature.ts";
import { readSenderReport } from "../../message/reports/sender-report.ts";
import type { IncomingReading, ReadRequest } from "./incoming-reader.ts";

/** On a busy host, what strangers have sent gets a third of the CPU that sends and deliveries get. */
const NICE = 5;

async function read(request: ReadRequest): Promise<IncomingReading> {
  const { as } = request;
  const raw = bufferOf(request.content);
  switch (as) {
    case "feedback":
      return { as, feedback: readFeedback(raw) };
    case "report":
      return { as, report: await readSenderReport(raw) };
    case "original":
      return { as, original: forwardedOriginal(raw) };
    case "loop_signature": {
      const keys = new Map(request.keys.map(({ name, texts }) => [name, texts]));
      return { as, isSigned: await isSignedByLoop(raw, request, keys) };
    }
  }
}

reportUncaughtErrors();
lowerThreadPriority(NICE);
parentPort?.on("message", (request: ReadRequest) => {
  void read(request).then((reading) => parentPort?.postMessage(reading));
});
