/**
 * Reads contents for pages: short ones at once, long ones on a thread, one after the other. The thread starts with the first long
 * content.
 */

import type { Worker } from "node:worker_threads";
import { bufferOf } from "../../../../lib/buffer-of.ts";
import { startThread } from "../../../../lib/thread.ts";
import { MIB } from "../../../../lib/units.ts";
import { CONTENT_VIEWS, type ContentView, type ContentViewName } from "../../../../message/reading/content-views.ts";
import { SpoolUnavailable } from "../../../port/errors.ts";
import { TooManyReports } from "../../../port/reports.ts";
import type { ViewQuestion } from "./content-views-thread.ts";

/** A content of this size takes the main thread a few milliseconds at worst. */
export const SHORT_BYTES_MAX = 64 * 1024;

/** Bytes of contents that may wait for the thread; a larger content may wait alone. */
const WAITING_BYTES_MAX = 64 * MIB;

/** An idle thread is stopped to release the memory that it last needed. */
const IDLE_MS = 30_000;

interface Waiting {
  sizeBytes: number;
  resolve: (value: unknown) => void;
  reject: (error: Error) => void;
}

export class ContentViews {
  readonly #start: () => Worker;
  #thread: Worker | null = null;
  /** In the order of their questions. */
  #waiting: Waiting[] = [];
  #waitingBytes = 0;
  #idle: NodeJS.Timeout | null = null;

  constructor(start = () => startThread(new URL("./content-views-thread.ts", import.meta.url), null)) {
    this.#start = start;
  }

  /** Returns what this reader of CONTENT_VIEWS returns. Rejects with TooManyReports if too many contents wait. */
  async view<Name extends ContentViewName>(name: Name, content: Buffer, part = 0): Promise<ContentView<Name>> {
    if (content.length <= SHORT_BYTES_MAX) return CONTENT_VIEWS[name](content, part) as ContentView<Name>;
    const value = await this.#ask({ name, content, part });
    return buffersIn(value) as ContentView<Name>;
  }

  async close(): Promise<void> {
    const thread = this.#thread;
    this.#fail(new SpoolUnavailable("the spool is closed"));
    await thread?.terminate();
  }

  #ask({ name, content, part }: ViewQuestion): Promise<unknown> {
    const sizeBytes = content.length;
    if (this.#waitingBytes > 0 && this.#waitingBytes + sizeBytes > WAITING_BYTES_MAX) throw new TooManyReports();
    if (this.#idle !== null) clearTimeout(this.#idle);
    this.#thread ??= this.#begin();
    // Copied: the content may be a part of a larger buffer.
    const sent = new Uint8Array(content);
    this.#thread.postMessage({ name, content: sent, part } satisfies ViewQuestion, [sent.buffer]);
    this.#waitingBytes += sizeBytes;
    return new Promise((resolve, reject) => this.#waiting.push({ sizeBytes, resolve, reject }));
  }

  #begin(): Worker {
    const thread = this.#start();
    // The thread only reads: the process may exit without it, and a new thread can replace it.
    thread.unref();
    thread.on("message", (value: unknown) => {
      const answered = this.#waiting.shift();
      this.#waitingBytes -= answered?.sizeBytes ?? 0;
      answered?.resolve(value);
      if (this.#waiting.length === 0) this.#stopLater();
    });
    thread.on("error", (error) => {
      if (this.#thread === thread) this.#fail(new SpoolUnavailable(`the thread stopped: ${error.message}`));
    });
    return thread;
  }

  #stopLater(): void {
    this.#idle = setTimeout(() => {
      void this.#thread?.terminate();
      this.#thread = null;
    }, IDLE_MS);
    this.#idle.unref();
  }

  #fail(error: Error): void {
    if (this.#idle !== null) clearTimeout(this.#idle);
    this.#thread = null;
    this.#waitingBytes = 0;
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }
}

/** A Buffer arrives from the thread as a plain array of bytes, alone or as `bytes` of a file. */
function buffersIn(value: unknown): unknown {
  if (value instanceof Uint8Array) return bufferOf(value);
  if (value === null || typeof value !== "object" || !("bytes" in value)) return value;
  return { ...value, bytes: buffersIn(value.bytes) };
}
