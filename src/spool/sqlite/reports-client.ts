/**
 * The caller's side of the reports' thread: starts it with the first question and pairs answers with questions.
 */
import type { Worker } from "node:worker_threads";
import { startThread } from "../../thread.ts";
import type { Reports } from "../reports.ts";
import { SpoolUnavailable } from "../spool.ts";
import type { Answer, Question } from "./reports-thread.ts";

interface Waiting {
  resolve: (value: unknown) => void;
  reject: (error: Error) => void;
}

/** Questions that may wait: a crowd of readers must not pile up behind a slow disk. */
const WAITING_MAX = 200;

export class ReportsClient implements Reports {
  #dataDir: string;
  #thread: Worker | null = null;
  #closed = false;
  #waiting = new Map<number, Waiting>();
  #last = 0;

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
  }

  find(filter: Parameters<Reports["find"]>[0]): ReturnType<Reports["find"]> {
    return this.#ask("find", filter);
  }

  async contentOf(accountId: string, messageId: string): Promise<Buffer | null> {
    const content = await this.#ask<Uint8Array | null>("contentOf", { accountId, messageId });
    return content === null ? null : Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  }

  activity(filter: Parameters<Reports["activity"]>[0]): ReturnType<Reports["activity"]> {
    return this.#ask("activity", filter);
  }

  waiting(filter: Parameters<Reports["waiting"]>[0]): ReturnType<Reports["waiting"]> {
    return this.#ask("waiting", filter);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#thread?.terminate();
    this.#fail("the spool is closed");
  }

  #ask<T>(operation: string, args: unknown): Promise<T> {
    if (this.#closed) return Promise.reject(new SpoolUnavailable("the spool is closed"));
    if (this.#waiting.size >= WAITING_MAX) return Promise.reject(new SpoolUnavailable("too many reports wait already"));
    this.#thread ??= this.#start();
    const thread = this.#thread;
    this.#last += 1;
    const id = this.#last;
    return new Promise<T>((resolve, reject) => {
      this.#waiting.set(id, { resolve: resolve as (value: unknown) => void, reject });
      thread.postMessage({ id, operation, args } satisfies Question);
    });
  }

  #start(): Worker {
    const thread = startThread(new URL("./reports-thread.ts", import.meta.url), { dataDir: this.#dataDir });
    // It only reads: the process may end without it, and a new one can take its place.
    thread.unref();
    thread.on("message", ({ id, reply }: Answer) => {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (reply.ok) waiting?.resolve(reply.value);
      else if (reply.unavailable) waiting?.reject(new SpoolUnavailable(reply.error));
      else waiting?.reject(new Error(reply.error));
    });
    thread.on("error", (error) => {
      this.#thread = null;
      this.#fail(`the reports' thread stopped: ${error.message}`);
    });
    return thread;
  }

  #fail(message: string): void {
    for (const { reject } of this.#waiting.values()) reject(new SpoolUnavailable(message));
    this.#waiting.clear();
  }
}
