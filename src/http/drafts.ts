/**
 * Drafts of send requests. Short bodies are parsed and composed at once. Long ones go to a thread in turn, fairly between
 * accounts: 10 MB take up to 0.3 s and 80 MB of memory.
 */
import type { Worker } from "node:worker_threads";
import { tooLargeWhenBuilt } from "../app/send/accept-message.ts";
import { FairQueue } from "../lib/fair-queue.ts";
import { startThread } from "../lib/thread.ts";
import type { Draft, DraftError, DraftOptions, DraftResult } from "../message/compose/draft.ts";
import { withFields } from "../message/content.ts";
import { type DraftFormat, parseDrafts } from "./draft-formats.ts";
import type { DraftAnswer, DraftQuestion, DraftsAnswer } from "./draft-thread.ts";
import { engineUnavailable, Problem, rejectionProblem } from "./response/problems.ts";

/** A body of this size takes the main thread a few milliseconds at worst. Handing a body of 100 KB to a thread costs a fifth of the time that it takes in all. */
export const SHORT_BYTES_MAX = 128 * 1024;
/** The concurrency limiter counts the bytes of waiting bodies too. */
const QUEUE = { totalMax: 1000, ownerMax: 500 };
/**
 * Bytes of bodies that the thread has at a time. With only one body, it would be idle after each until the busy main thread
 * sends the next. A longer body is sent without others.
 */
const SENT_BYTES = 256 * 1024;
/** An idle thread is stopped to release the memory that it last needed. */
const IDLE_MS = 10_000;

export interface DraftsOptions {
  contentBytesMax: number;
  /** Defaults to SHORT_BYTES_MAX. */
  shortBytesMax?: number;
  /** Defaults to startThread. */
  start?: typeof startThread;
}

export interface ReadOptions extends DraftOptions {
  format: DraftFormat;
  /** Whether `payloadHash` of the draft will be called. */
  needsHash: boolean;
}

/** A message of a request: its draft, or why it is invalid. */
export type ReadDraft = Draft | Problem;

interface Job {
  question: DraftQuestion;
  resolve: (drafts: ReadDraft[]) => void;
  reject: (error: Error) => void;
}

export class Drafts {
  readonly #contentBytesMax: number;
  readonly #shortBytesMax: number;
  readonly #startThread: typeof startThread;
  readonly #queue = new FairQueue<Job>(QUEUE);
  #thread: Worker | null = null;
  /** The bodies on the thread, the one in progress first. */
  #jobs: Job[] = [];
  #stop: NodeJS.Timeout | null = null;

  constructor({ contentBytesMax, shortBytesMax = SHORT_BYTES_MAX, start = startThread }: DraftsOptions) {
    this.#contentBytesMax = contentBytesMax;
    this.#shortBytesMax = shortBytesMax;
    this.#startThread = start;
  }

  /** Returns the drafts of a body's messages. A long body is transferred to the thread and detached. Throws a Problem. */
  async read(accountId: string, body: Buffer, options: ReadOptions): Promise<ReadDraft[]> {
    if (body.length > this.#shortBytesMax) return this.#readOnThread(accountId, body, options);
    const parsed = parseDrafts(options.format, body, { ...options, hashesBody: false });
    if (parsed.type === "invalid") throw problemOf(parsed.error);
    return parsed.drafts.map(readDraft);
  }

  #readOnThread(accountId: string, body: Buffer, { format, ...options }: ReadOptions): Promise<ReadDraft[]> {
    return new Promise((resolve, reject) => {
      const question = {
        format,
        // Not shared: readBody allocates long bodies outside Node's buffer pool.
        body: body.buffer as ArrayBuffer,
        sizeBytes: body.length,
        options,
        contentBytesMax: this.#contentBytesMax,
      };
      const rejected = this.#queue.add(accountId, { question, resolve, reject });
      rejected?.reject(engineUnavailable("Too many large messages are waiting. Retry with the same Idempotency-Key."));
      this.#next();
    });
  }

  #next(): void {
    for (;;) {
      let fits = true;
      // A body that does not fit yet is not overtaken.
      const job = this.#queue.next(({ question }) => {
        fits = fits && this.#mayBeSent(question);
        return fits;
      });
      if (job === null) break;
      this.#jobs.push(job);
      try {
        this.#thread ??= this.#start();
      } catch (error) {
        // No descriptors or memory for a thread now. The next body tries again.
        this.#jobs.pop()?.reject(error as Error);
        continue;
      }
      this.#thread.postMessage(job.question, [job.question.body]);
    }
    if (this.#stop !== null) clearTimeout(this.#stop);
    if (this.#jobs.length === 0) this.#stopLater();
  }

  #mayBeSent({ sizeBytes }: DraftQuestion): boolean {
    const sentBytes = this.#jobs.reduce((sum, { question }) => sum + question.sizeBytes, 0);
    return this.#jobs.length === 0 || sentBytes + sizeBytes <= SENT_BYTES;
  }

  #start(): Worker {
    const thread = this.#startThread(new URL("./draft-thread.ts", import.meta.url), null);
    thread.unref();
    thread.on("message", (answer: DraftsAnswer) => {
      const job = this.#jobs.shift();
      if (job === undefined) return;
      if (answer.type === "invalid") job.reject(problemOf(answer.error));
      else job.resolve(answer.answers.map((each) => this.#answered(each)));
      this.#next();
    });
    thread.on("error", (error) => {
      this.#thread = null;
      for (const job of this.#jobs.splice(0)) job.reject(error);
      this.#next();
    });
    return thread;
  }

  #answered(answer: DraftAnswer): ReadDraft {
    if (answer.type === "too_large") return rejectionProblem(tooLargeWhenBuilt(this.#contentBytesMax));
    return answer.type === "valid" ? draftOf(answer) : problemOf(answer.error);
  }

  #stopLater(): void {
    this.#stop = setTimeout(() => this.stopIfIdle(), IDLE_MS);
    this.#stop.unref();
  }

  /** Stops the thread unless it is working. The next long request starts another. */
  stopIfIdle(): void {
    if (this.#jobs.length > 0) return;
    void this.#thread?.terminate();
    this.#thread = null;
  }
}

const readDraft = (result: DraftResult): ReadDraft =>
  result.type === "valid" ? result.draft : problemOf(result.error);

function problemOf(error: DraftError): Problem {
  if (error.code === "invalid_json") return new Problem(error.code, error.detail);
  const detail = error.errors.map((e) => `${e.field}: ${e.detail}`).join(" ");
  return new Problem(error.code, detail, { errors: error.errors });
}

function draftOf({
  summary,
  messageId,
  ownKey,
  payloadHash,
  content,
  offset,
  sizeBytes,
  bodyHash,
}: DraftAnswer & { type: "valid" }): Draft {
  const bytes = Buffer.from(content, offset, sizeBytes);
  return {
    summary,
    messageId,
    ...(ownKey === null ? {} : { ownKey }),
    payloadHash() {
      if (payloadHash === null) throw new Error("the thread did not compute the payload hash");
      return payloadHash;
    },
    content: (fields = "") => withFields({ bytes, bodyHash }, fields),
  };
}
