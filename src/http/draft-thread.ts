/**
 * The thread for long send requests: receives a body and posts its draft (message/draft.ts).
 */
import { parentPort } from "node:worker_threads";
import { reportUncaughtErrors } from "../lib/thread.ts";
import { type DraftError, type DraftOptions, type DraftSummary, parseDraft, summaryOf } from "../message/draft.ts";

export interface DraftQuestion {
  /** Transferred, not copied. */
  body: ArrayBuffer;
  sizeBytes: number;
  options: DraftOptions;
  /** A larger content is not returned. */
  contentBytesMax: number;
}

export type DraftAnswer =
  | {
      type: "valid";
      summary: DraftSummary;
      messageId: string;
      payloadHash: string;
      content: ArrayBuffer;
      offset: number;
      sizeBytes: number;
      bodyHash: string;
    }
  | { type: "too_large" }
  | { type: "invalid"; error: DraftError };

function answer({ body, sizeBytes, options, contentBytesMax }: DraftQuestion): DraftAnswer {
  const result = parseDraft(Buffer.from(body, 0, sizeBytes), options);
  if (result.type === "invalid") return result;
  const { summary, messageId, payloadHash, content } = result.draft;
  const { bytes: built, bodyHash } = content();
  if (built.length > contentBytesMax) return { type: "too_large" };
  return {
    type: "valid",
    summary: summaryOf(summary),
    messageId,
    payloadHash: payloadHash(),
    content: built.buffer as ArrayBuffer,
    offset: built.byteOffset,
    sizeBytes: built.length,
    bodyHash,
  };
}

reportUncaughtErrors();
parentPort?.on("message", (question: DraftQuestion) => {
  const answered = answer(question);
  parentPort?.postMessage(answered, answered.type === "valid" ? [answered.content] : []);
});
