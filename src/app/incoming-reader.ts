/**
 * Takes incoming mail apart on a thread of its own, one mail at a time, with limits on time and memory. A mail that exceeds one of
 * them ends the thread, and counts as one that is not understood.
 */
import type { Worker } from "node:worker_threads";
import { startThread } from "../lib/thread.ts";
import type { Feedback } from "../message/feedback/feedback.ts";
import type { SenderReport } from "../message/reports/sender-report.ts";

export interface ReadRequest {
  as: "feedback" | "report";
  content: Uint8Array;
}

export type IncomingReading = { as: "feedback"; feedback: Feedback } | { as: "report"; report: SenderReport | null };

export interface IncomingReader {
  /** Rejects with ReadingFailed if the mail exceeds a limit. */
  feedback(content: Buffer): Promise<Feedback>;
  /** As `feedback`. Null for a mail without a report. */
  report(content: Buffer): Promise<SenderReport | null>;
  close(): Promise<void>;
}

/** The mail cannot be read within the limits. */
export class ReadingFailed extends Error {
  override name = "ReadingFailed";
}

/** A bounce takes milliseconds, and a report of 50 MiB some seconds. */
const READ_MAX_MS = 30_000;
/** Of the thread's heap. */
const MEMORY_MAX_MB = 512;
/** The thread holds memory, and mail seldom comes back. */
const IDLE_MS = 30_000;

export interface ReaderOptions {
  /** How long a mail may take; 30 seconds unless given. */
  readMaxMs?: number;
  /** Starts the thread. */
  start?: () => Worker;
}

const startReading = (): Worker =>
  startThread(new URL("./incoming-reader-thread.ts", import.meta.url), null, MEMORY_MAX_MB);

export class ThreadedReader implements IncomingReader {
  readonly #readMaxMs: number;
  readonly #start: () => Worker;
  #thread: Worker | null = null;
  #idle: NodeJS.Timeout | null = null;
  #last: Promise<unknown> = Promise.resolve();

  constructor({ readMaxMs = READ_MAX_MS, start = startReading }: ReaderOptions = {}) {
    this.#readMaxMs = readMaxMs;
    this.#start = start;
  }

  async feedback(content: Buffer): Promise<Feedback> {
    const reading = await this.#read({ as: "feedback", content });
    if (reading.as !== "feedback") throw new Error("the reader has read something else");
    return reading.feedback;
  }

  async report(content: Buffer): Promise<SenderReport | null> {
    const reading = await this.#read({ as: "report", content });
    if (reading.as !== "report") throw new Error("the reader has read something else");
    return reading.report;
  }

  async close(): Promise<void> {
    await this.#last.catch(() => {});
    await this.#end();
  }

  #read(request: ReadRequest): Promise<IncomingReading> {
    const reading = this.#last.catch(() => {}).then(() => this.#readNow(request));
    this.#last = reading;
    return reading;
  }

  async #readNow(request: ReadRequest): Promise<IncomingReading> {
    if (this.#idle !== null) clearTimeout(this.#idle);
    try {
      return await this.#reply(this.#thread ?? this.#begin(), request);
    } catch (error) {
      await this.#end();
      throw error;
    } finally {
      this.#idle = setTimeout(() => void this.#end(), IDLE_MS);
      this.#idle.unref();
    }
  }

  /** A thread may also end between two mails, for a fault of the one before. */
  #begin(): Worker {
    const thread = this.#start();
    const forget = (): void => {
      if (this.#thread === thread) this.#thread = null;
    };
    thread.on("error", forget).on("exit", forget);
    this.#thread = thread;
    return thread;
  }

  #reply(thread: Worker, request: ReadRequest): Promise<IncomingReading> {
    return new Promise((resolve, reject) => {
      const fail = (text: string): void => finish(() => reject(new ReadingFailed(text)));
      const onMessage = (reading: IncomingReading): void => finish(() => resolve(reading));
      const onError = (error: Error): void => fail(error.message);
      const onExit = (): void => fail("the thread has ended");
      const timeout = setTimeout(() => fail(`not read within ${this.#readMaxMs / 1000} s`), this.#readMaxMs);
      const finish = (settle: () => void): void => {
        clearTimeout(timeout);
        thread.off("message", onMessage).off("error", onError).off("exit", onExit);
        settle();
      };
      thread.on("message", onMessage).on("error", onError).on("exit", onExit);
      thread.postMessage(request);
    });
  }

  async #end(): Promise<void> {
    if (this.#idle !== null) clearTimeout(this.#idle);
    const thread = this.#thread;
    this.#thread = null;
    await thread?.terminate();
  }
}
