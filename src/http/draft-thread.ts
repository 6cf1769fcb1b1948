/**
 * The thread for long send requests: receives a body and posts its draft (message/draft.ts).
 */
import { parentPort } from "node:worker_threads";
import { reportUncaughtWhole } from "../lib/thread.ts";
import { type DraftFault, type DraftHead, type DraftOptions, headOf, readDraft } from "../message/draft.ts";

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
      type: "read";
      head: DraftHead;
      messageId: string;
      payloadHash: string;
      content: ArrayBuffer;
      offset: number;
      sizeBytes: number;
    }
  | { type: "too_large" }
  | { type: "rejected"; fault: DraftFault };

function answer({ body, sizeBytes, options, contentBytesMax }: DraftQuestion): DraftAnswer {
  const read = readDraft(Buffer.from(body, 0, sizeBytes), options);
  if (read.type === "rejected") return read;
  const { head, messageId, payloadHash, content } = read.draft;
  const built = content();
  if (built.length > contentBytesMax) return { type: "too_large" };
  return {
    type: "read",
    head: headOf(head),
    messageId,
    payloadHash: payloadHash(),
    content: built.buffer as ArrayBuffer,
    offset: built.byteOffset,
    sizeBytes: built.length,
  };
}

reportUncaughtWhole();
parentPort?.on("message", (question: DraftQuestion) => {
  const answered = answer(question);
  parentPort?.postMessage(answered, answered.type === "read" ? [answered.content] : []);
});
