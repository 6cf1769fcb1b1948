/**
 * The caller's side of the reports' thread: starts it with the first question, and decides which question it works on.
 * The thread has one question at a time and gives it back after a slice. Accounts are served in turn, so a long search
 * delays the other accounts by a slice at most.
 */
import type { Worker } from "node:worker_threads";
import { FairQueue } from "../../lib/fair-queue.ts";
import { startThread } from "../../lib/thread.ts";
import type { ReadableContent } from "../../message/readable-content.ts";
import { SpoolUnavailable } from "../port/errors.ts";
import { type Reports, TooManyReports } from "../port/reports.ts";
import type { SuppressedAddress, SuppressionFilter } from "../port/suppressions.ts";
import type { Answer, Question } from "./reports-thread.ts";

/** Questions that wait for one account, and in all. Questions about all accounts have a queue of their own. */
const LIMITS = { ownerMax: 10, totalMax: 200 };
/** The owner of questions about all accounts. */
const ALL_ACCOUNTS = "";

interface Asked {
  owner: string;
  question: Question;
  resolve: (value: unknown) => void;
  reject: (error: Error) => void;
}

export class ReportsClient implements Reports {
  #dataDir: string;
  #thread: Worker | null = null;
  #closed = false;
  #queue = new FairQueue<Asked>(LIMITS);
  /** What the thread works on. */
  #current: Asked | null = null;
  #last = 0;

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
  }

  find(filter: Parameters<Reports["find"]>[0]): ReturnType<Reports["find"]> {
    return this.#ask(filter.accountId, "find", filter);
  }

  contentOf(accountId: string, messageId: string): Promise<Buffer | null> {
    return this.#askBytes("contentOf", accountId, messageId);
  }

  htmlOf(accountId: string, messageId: string): Promise<Buffer | null> {
    return this.#askBytes("htmlOf", accountId, messageId);
  }

  viewOf(accountId: string, messageId: string): Promise<ReadableContent | null> {
    return this.#ask(accountId, "viewOf", { accountId, messageId });
  }

  activity(filter: Parameters<Reports["activity"]>[0]): ReturnType<Reports["activity"]> {
    return this.#ask(filter.accountId ?? ALL_ACCOUNTS, "activity", filter);
  }

  waiting(filter: Parameters<Reports["waiting"]>[0]): ReturnType<Reports["waiting"]> {
    return this.#ask(filter.accountId ?? ALL_ACCOUNTS, "waiting", filter);
  }

  /** The spool port's question, answered here because an account may have many refused addresses. */
  suppressions(filter: SuppressionFilter): Promise<SuppressedAddress[]> {
    return this.#ask(filter.accountId, "suppressions", filter);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#thread?.terminate();
    this.#fail("the spool is closed");
  }

  async #askBytes(operation: string, accountId: string, messageId: string): Promise<Buffer | null> {
    const bytes = await this.#ask<Uint8Array | null>(accountId, operation, { accountId, messageId });
    return bytes === null ? null : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  #ask<T>(owner: string, operation: string, args: unknown): Promise<T> {
    if (this.#closed) return Promise.reject(new SpoolUnavailable("the spool is closed"));
    this.#last += 1;
    const question = { id: this.#last, operation, args };
    return new Promise<T>((resolve, reject) => {
      const asked = { owner, question, resolve: resolve as (value: unknown) => void, reject };
      this.#queue.add(owner, asked)?.reject(new TooManyReports());
      this.#send();
    });
  }

  #send(): void {
    if (this.#current !== null) return;
    this.#current = this.#queue.next();
    if (this.#current === null) return;
    this.#thread ??= this.#start();
    this.#thread.postMessage(this.#current.question);
  }

  #start(): Worker {
    const thread = startThread(new URL("./reports-thread.ts", import.meta.url), { dataDir: this.#dataDir });
    // It only reads: the process may end without it, and a new one can take its place.
    thread.unref();
    thread.on("message", (answer: Answer) => this.#receive(answer));
    thread.on("error", (error) => {
      this.#thread = null;
      this.#fail(`the reports' thread stopped: ${error.message}`);
    });
    return thread;
  }

  #receive({ reply }: Answer): void {
    const asked = this.#current;
    this.#current = null;
    if (asked !== null && reply === null) {
      // The thread has kept the question: it needs no arguments to go on.
      this.#queue.requeue(asked.owner, { ...asked, question: { ...asked.question, args: null } });
    } else if (reply?.ok) {
      asked?.resolve(reply.value);
    } else if (reply !== null) {
      asked?.reject(reply.unavailable ? new SpoolUnavailable(reply.error) : new Error(reply.error));
    }
    this.#send();
  }

  #fail(message: string): void {
    const failed = this.#current === null ? this.#queue.clear() : [this.#current, ...this.#queue.clear()];
    this.#current = null;
    for (const { reject } of failed) reject(new SpoolUnavailable(message));
  }
}
