/**
 * Takes incoming mail apart on its own thread, one mail at a time, with limits on time and memory. A mail that exceeds one of
 * them ends the thread, and counts as one that is not understood. Where the host has no descriptors or memory for a thread, that
 * says nothing about the mail.
 */

import type { Worker } from "node:worker_threads";
import { bufferOf } from "../../lib/buffer-of.ts";
import type { MemoryStatus } from "../../lib/memory-guard.ts";
import { isResourceShortage } from "../../lib/resource-shortage.ts";
import { startThread } from "../../lib/thread.ts";
import { MIB } from "../../lib/units.ts";
import type { ForwardedOriginal } from "../../message/compose/forwarded.ts";
import type { Feedback } from "../../message/feedback/feedback.ts";
import type { Arrival } from "../../message/feedback/loop-signature.ts";
import type { SenderReport, UnreadReport } from "../../message/reports/sender-report.ts";

export type ReadRequest =
  | { as: "feedback" | "report" | "original"; content: Uint8Array }
  | ({ as: "loop_signature" } & LoopSignatureRequest);

export type IncomingReading =
  | { as: "feedback"; feedback: Feedback }
  | { as: "report"; report: SenderReport | UnreadReport }
  | { as: "original"; original: ForwardedOriginal }
  | { as: "loop_signature"; isSigned: boolean };

export interface LoopSignatureRequest extends Arrival {
  content: Uint8Array;
  /** The records that hold the keys of its signatures. */
  keys: { name: string; texts: string[] }[];
}

export interface IncomingReader {
  /** Whether there is memory for a mail of this size now. */
  canRead(sizeBytes: number): boolean;
  /** Rejects with ReadingFailed if the mail exceeds a limit, and with another error while the host is out of resources. */
  feedback(content: Buffer): Promise<Feedback>;
  /** As `feedback`. */
  report(content: Buffer): Promise<SenderReport | UnreadReport>;
  /** What a message that forwards the mail contains of it. As `feedback`. */
  original(content: Buffer): Promise<ForwardedOriginal>;
  /** Whether a known feedback loop has signed the mail (message/feedback/loop-signature.ts). As `feedback`. */
  isSignedByLoop(request: LoopSignatureRequest): Promise<boolean>;
  close(): Promise<void>;
}

/** The mail cannot be read within the limits. */
export class ReadingFailed extends Error {
  override name = "ReadingFailed";
}

/** A bounce takes milliseconds, and a report of 10 MiB a second. */
const READ_MAX_MS = 10_000;
/** Of the thread's heap. */
const HEAP_MAX_MB = 96;
/** Of the thread: its heap, and buffers, which have the content three times at most. */
const THREAD_BYTES_MAX = 128 * MIB;
/** While memory is low, longer mail is not read. */
const SHORT_BYTES_MAX = 64 * 1024;
/** The thread holds memory, and mail seldom comes back. */
const IDLE_MS = 30_000;

export interface ReaderOptions {
  /** How long a mail may take. */
  readMaxMs?: number;
  /** Starts the thread. */
  start?: typeof startThread;
}

const ENTRY = new URL("./incoming-reader-thread.ts", import.meta.url);

export class ThreadedReader implements IncomingReader {
  readonly #memory: MemoryStatus;
  readonly #readMaxMs: number;
  readonly #start: typeof startThread;
  #thread: Worker | null = null;
  #idle: NodeJS.Timeout | null = null;
  #last: Promise<unknown> = Promise.resolve();
  #running = 0;

  /** `memory` counts what the thread may hold. */
  constructor(memory: MemoryStatus, { readMaxMs = READ_MAX_MS, start = startThread }: ReaderOptions = {}) {
    this.#memory = memory;
    this.#readMaxMs = readMaxMs;
    this.#start = start;
    memory.addThread(() => (this.#thread === null ? 0 : THREAD_BYTES_MAX));
    memory.onLow(() => {
      if (this.#running === 0) void this.#end();
    });
  }

  /** Whether there is memory for a mail of this size. */
  canRead(sizeBytes: number): boolean {
    return sizeBytes <= SHORT_BYTES_MAX || !this.#memory.isLow;
  }

  async feedback(content: Buffer): Promise<Feedback> {
    const reading = await this.#read({ as: "feedback", content });
    if (reading.as !== "feedback") throw new Error("the reader has read something else");
    return reading.feedback;
  }

  async report(content: Buffer): Promise<SenderReport | UnreadReport> {
    const reading = await this.#read({ as: "report", content });
    if (reading.as !== "report") throw new Error("the reader has read something else");
    return reading.report;
  }

  async original(content: Buffer): Promise<ForwardedOriginal> {
    const reading = await this.#read({ as: "original", content });
    if (reading.as !== "original") throw new Error("the reader has read something else");
    const { subject, attachment } = reading.original;
    return { subject, attachment: { ...attachment, content: bufferOf(attachment.content) } };
  }

  async isSignedByLoop(request: LoopSignatureRequest): Promise<boolean> {
    const reading = await this.#read({ as: "loop_signature", ...request });
    if (reading.as !== "loop_signature") throw new Error("the reader has read something else");
    return reading.isSigned;
  }

  async close(): Promise<void> {
    await this.#last.catch(() => {});
    await this.#end();
  }

  #read(request: ReadRequest): Promise<IncomingReading> {
    this.#running += 1;
    const reading = this.#last
      .catch(() => {})
      .then(() => this.#readNow(request))
      .finally(() => {
        this.#running -= 1;
      });
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
    const thread = this.#start(ENTRY, null, HEAP_MAX_MB);
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
      const onError = (error: Error): void =>
        isResourceShortage(error) ? finish(() => reject(error)) : fail(error.message);
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
