/**
 * The thread for long send requests: receives a body and posts its drafts (message/compose/draft.ts).
 */

import { parentPort } from "node:worker_threads";
import { collectGarbage } from "../lib/garbage-collection.ts";
import { reportUncaughtErrors } from "../lib/thread.ts";
import { lowerThreadPriority } from "../lib/thread-priority.ts";
import { MIB } from "../lib/units.ts";
import {
  type DraftError,
  type DraftOptions,
  type DraftResult,
  type DraftSummary,
  summaryOf,
} from "../message/compose/draft.ts";
import { type DraftFormat, parseDrafts } from "./draft-formats.ts";

export interface DraftQuestion {
  format: DraftFormat;
  /** Transferred, not copied. */
  body: ArrayBuffer;
  sizeBytes: number;
  options: DraftOptions & { needsHash: boolean };
  /** A larger content is not returned. */
  contentBytesMax: number;
}

export type DraftAnswer =
  | {
      type: "valid";
      summary: DraftSummary;
      messageId: string;
      /** As Draft's. */
      ownKey: string | null;
      /** Null if neither the request nor the message needs it. */
      payloadHash: string | null;
      content: ArrayBuffer;
      offset: number;
      sizeBytes: number;
      bodyHash: string | null;
    }
  | { type: "too_large" }
  | { type: "invalid"; error: DraftError };

export type DraftsAnswer = { type: "parsed"; answers: DraftAnswer[] } | { type: "invalid"; error: DraftError };

function answer(question: DraftQuestion): DraftsAnswer {
  const { format, body, sizeBytes, options } = question;
  const parsed = parseDrafts(format, Buffer.from(body, 0, sizeBytes), options);
  if (parsed.type === "invalid") return parsed;
  return { type: "parsed", answers: parsed.drafts.map((result) => answerOf(result, question)) };
}

function answerOf(result: DraftResult, { options, contentBytesMax }: DraftQuestion): DraftAnswer {
  if (result.type === "invalid") return result;
  const { summary, messageId, ownKey = null, payloadHash, content } = result.draft;
  const { bytes: built, bodyHash } = content();
  if (built.length > contentBytesMax) return { type: "too_large" };
  return {
    type: "valid",
    summary: summaryOf(summary),
    messageId,
    ownKey,
    payloadHash: options.needsHash || ownKey !== null ? payloadHash() : null,
    content: built.buffer as ArrayBuffer,
    offset: built.byteOffset,
    sizeBytes: built.length,
    bodyHash,
  };
}

const contentsOf = (answer: DraftAnswer): ArrayBuffer[] => (answer.type === "valid" ? [answer.content] : []);

/** A body of this size leaves several times its size in garbage, to which the next body would add. */
const COLLECTED_BYTES_MIN = 4 * MIB;

/**
 * On a busy core the thread gets a quarter of the time beside another, which interrupts it when it wakes up. Nice 10 would be a
 * tenth: on a busy host, the long sends that wait for the thread would time out.
 */
const NICE = 5;

reportUncaughtErrors();
// A long message takes a core for up to half a second; short ones must not wait for it.
lowerThreadPriority(NICE);
parentPort?.on("message", (question: DraftQuestion) => {
  const answered = answer(question);
  const contents = answered.type === "parsed" ? answered.answers.flatMap(contentsOf) : [];
  parentPort?.postMessage(answered, contents);
  if (question.sizeBytes >= COLLECTED_BYTES_MIN) collectGarbage();
});
