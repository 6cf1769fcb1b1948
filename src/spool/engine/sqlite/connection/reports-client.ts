/**
 * The client of the reports thread: starts it with the first query, and decides the order of the queries. The thread runs
 * one query at a time, in slices. Accounts are served in round robin, so a long search delays each other account by at
 * most one slice.
 */

import type { Worker } from "node:worker_threads";
import { bufferOf } from "../../../../lib/buffer-of.ts";
import { errorText } from "../../../../lib/error-text.ts";
import { FairQueue } from "../../../../lib/fair-queue.ts";
import { startThread } from "../../../../lib/thread.ts";
import type { FileContent } from "../../../../message/reading/attached-files.ts";
import type { MessageBodies } from "../../../../message/reading/message-bodies.ts";
import type { ReadableContent } from "../../../../message/reading/readable-content.ts";
import { SpoolUnavailable } from "../../../port/errors.ts";
import { type Reports, TooManyReports } from "../../../port/reports.ts";
import type { Damage } from "../../../port/store.ts";
import { REPORTS_WAITING_MAX, reportOwner } from "../../../records/report-limits.ts";
import { accountOf } from "../../operations.ts";
import type { ReportQuery, SliceResult } from "./reports-thread.ts";

interface PendingQuery {
  owner: string;
  query: ReportQuery;
  resolve: (value: unknown) => void;
  reject: (error: Error) => void;
}

/** A Buffer arrives from the thread as a plain array of bytes. */
type SentFile = Omit<FileContent, "bytes"> & { bytes: Uint8Array };

export class ReportsClient implements Reports {
  #dataDir: string;
  #onDamage: (damage: Damage) => void = () => {};
  #startThread: typeof startThread;
  #thread: Worker | null = null;
  #closed = false;
  #queue = new FairQueue<PendingQuery>(REPORTS_WAITING_MAX);
  /** The query that the thread runs. */
  #current: PendingQuery | null = null;
  #lastId = 0;

  constructor(dataDir: string, start = startThread) {
    this.#dataDir = dataDir;
    this.#startThread = start;
  }

  /** Calls `listener` with the damage that reports of the store meet. */
  onDamage(listener: (damage: Damage) => void): void {
    this.#onDamage = listener;
  }

  find(filter: Parameters<Reports["find"]>[0]): ReturnType<Reports["find"]> {
    return this.#query(filter.accountId, "find", filter);
  }

  findActed(filter: Parameters<Reports["findActed"]>[0]): ReturnType<Reports["findActed"]> {
    return this.#query(filter.accountId, "findActed", filter);
  }

  /** Reading the pages takes as little. */
  countActed(): Promise<null> {
    return Promise.resolve(null);
  }

  findRecipients(filter: Parameters<Reports["findRecipients"]>[0]): ReturnType<Reports["findRecipients"]> {
    return this.#query(filter.accountId, "findRecipients", filter);
  }

  count(filter: Parameters<Reports["count"]>[0]): ReturnType<Reports["count"]> {
    return this.#query(filter.accountId, "count", filter);
  }

  contentOf(accountId: string, messageId: string): Promise<Buffer | null> {
    return this.#queryBytes("contentOf", accountId, messageId);
  }

  htmlOf(accountId: string, messageId: string): Promise<Buffer | null> {
    return this.#queryBytes("htmlOf", accountId, messageId);
  }

  viewOf(accountId: string, messageId: string): Promise<ReadableContent | null> {
    return this.#query(accountId, "viewOf", { accountId, messageId });
  }

  async attachmentOf(accountId: string, messageId: string, part: number): Promise<FileContent | null> {
    const file = await this.#query<SentFile | null>(accountId, "attachmentOf", { accountId, messageId, part });
    return file === null ? null : { ...file, bytes: bufferOf(file.bytes) };
  }

  bodiesOf(accountId: string, messageId: string): Promise<MessageBodies | null> {
    return this.#query(accountId, "bodiesOf", { accountId, messageId });
  }

  activity(filter: Parameters<Reports["activity"]>[0]): ReturnType<Reports["activity"]> {
    return this.#query(reportOwner(filter.accountId), "activity", filter);
  }

  waiting(filter: Parameters<Reports["waiting"]>[0]): ReturnType<Reports["waiting"]> {
    return this.#query(reportOwner(filter.accountId), "waiting", [filter]);
  }

  failures(filter: Parameters<Reports["failures"]>[0]): ReturnType<Reports["failures"]> {
    return this.#query(reportOwner(filter.accountId), "failures", filter);
  }

  /** Runs a report of the store. */
  run(name: string, args: unknown[]): Promise<unknown> {
    return this.#query(reportOwner(accountOf(args)), name, args);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#thread?.terminate();
    this.#fail("the spool is closed");
  }

  async #queryBytes(operation: string, accountId: string, messageId: string): Promise<Buffer | null> {
    const bytes = await this.#query<Uint8Array | null>(accountId, operation, { accountId, messageId });
    return bytes === null ? null : bufferOf(bytes);
  }

  #query<T>(owner: string, operation: string, args: unknown): Promise<T> {
    if (this.#closed) return Promise.reject(new SpoolUnavailable("the spool is closed"));
    this.#lastId += 1;
    const query = { id: this.#lastId, operation, args };
    return new Promise<T>((resolve, reject) => {
      const pending = { owner, query, resolve: resolve as (value: unknown) => void, reject };
      this.#queue.add(owner, pending)?.reject(new TooManyReports());
      this.#send();
    });
  }

  #send(): void {
    if (this.#current !== null) return;
    this.#current = this.#queue.next();
    if (this.#current === null) return;
    try {
      this.#thread ??= this.#start();
    } catch (error) {
      // No descriptors or memory for a thread now. The next query tries again.
      this.#fail(`the reports thread cannot be started: ${errorText(error)}`);
      return;
    }
    this.#thread.postMessage(this.#current.query);
  }

  #start(): Worker {
    const thread = this.#startThread(new URL("./reports-thread.ts", import.meta.url), { dataDir: this.#dataDir });
    // The thread only reads: the process may exit without it, and a new thread can replace it.
    thread.unref();
    thread.on("message", (result: SliceResult) => this.#receive(result));
    thread.on("error", (error) => {
      this.#thread = null;
      this.#fail(`the reports thread stopped: ${error.message}`);
    });
    return thread;
  }

  #receive({ reply, damage }: SliceResult): void {
    for (const found of damage) this.#onDamage(found);
    const current = this.#current;
    this.#current = null;
    if (current !== null && reply === null) {
      // The thread has kept the query: it needs no arguments to continue.
      this.#queue.requeue(current.owner, { ...current, query: { ...current.query, args: null } });
    } else if (reply?.ok) {
      current?.resolve(reply.value);
    } else if (reply !== null) {
      current?.reject(reply.unavailable ? new SpoolUnavailable(reply.error) : new Error(reply.error));
    }
    this.#send();
  }

  #fail(message: string): void {
    const failed = this.#current === null ? this.#queue.clear() : [this.#current, ...this.#queue.clear()];
    this.#current = null;
    for (const { reject } of failed) reject(new SpoolUnavailable(message));
  }
}
