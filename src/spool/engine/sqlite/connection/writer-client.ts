/**
 * The facade's side of the writer: gathers requests into batches and resolves them with the writer's replies. A batch is sent
 * once the one before is answered, so the requests that arrive meanwhile share a transaction.
 */
import { MessageDamaged, SpoolUnavailable } from "../../../port/errors.ts";
import type { Damage } from "../../../port/store.ts";
import { dense } from "../mail/mail-codec.ts";
import type { Writer } from "./open-writer.ts";
import type { OperationName, Operations, Request } from "./writer-operations.ts";
import type { FromWriter, Replies } from "./writer-protocol.ts";

/** Requests in one batch: bounds how long one transaction holds the file. */
const BATCH_MAX = 1000;

const CLOSED = "the spool is closed";

interface Waiting {
  request: Request;
  /** The ArrayBuffers of large contents in the argument. */
  transfer: ArrayBuffer[] | undefined;
  resolve: (value: unknown) => void;
  reject: (error: Error) => void;
}

export interface WriterEvents {
  /** The replies to a batch have arrived: it has committed. */
  committed: () => void;
  /** Recipients may be due because another process has committed. */
  due: () => void;
  /** How long a commit took on the disk. */
  synced: (ms: number) => void;
  /** Events of these accounts have been committed. */
  eventsAdded: (accountIds: string[]) => void;
  damaged: (damage: Damage) => void;
  /** The writer died of an error. */
  failed: (error: Error) => void;
}

export class WriterClient {
  readonly #writer: Writer;
  #waiting: Waiting[] = [];
  /** The batch under way. */
  #sent: Waiting[] | null = null;
  #isRefusing = false;
  #isDead = false;
  #idled: () => void = () => {};

  constructor(writer: Writer) {
    this.#writer = writer;
  }

  /** To be called once, before the first request. */
  listen(events: WriterEvents): void {
    this.#writer.listen({
      message: (message) => this.#take(message, events),
      failed: (error) => {
        this.#fail("the spool's writer stopped");
        events.failed(error);
      },
      ended: () => this.#fail(CLOSED),
    });
  }

  /**
   * Rejects with SpoolUnavailable, or with MessageDamaged if a stored part of the message cannot be read. ArrayBuffers in
   * `transfer` are not copied, and cannot be used afterwards.
   */
  request<N extends OperationName>(
    operation: N,
    argument: Operations[N]["argument"],
    transfer?: ArrayBuffer[],
  ): Promise<Operations[N]["value"]> {
    if (this.#isRefusing || this.#isDead) return Promise.reject(new SpoolUnavailable(CLOSED));
    return new Promise<Operations[N]["value"]>((resolve, reject) => {
      // The only casts: requests and values of all operations cross the port in one array. Both sides are checked against
      // the same declarations, and the values arrive in the order of the requests.
      const request = [operation, argument] as Request;
      this.#waiting.push({ request, transfer, resolve: resolve as (value: unknown) => void, reject });
      this.#send();
    });
  }

  /** Rejects all further requests. */
  refuse(): void {
    this.#isRefusing = true;
  }

  /** Resolves when every request is answered. */
  idle(): Promise<void> {
    if (this.#sent === null) return Promise.resolve();
    return new Promise((resolve) => {
      this.#idled = resolve;
    });
  }

  /** Resolves when the writer has closed the store. */
  async close(): Promise<void> {
    if (this.#isDead) return;
    this.#writer.post({ type: "close" });
    await this.#writer.ended;
  }

  #send(): void {
    if (this.#sent !== null || this.#waiting.length === 0 || this.#isDead) return;
    this.#sent = this.#waiting.splice(0, BATCH_MAX);
    const transfer: ArrayBuffer[] = [];
    for (const sent of this.#sent) if (sent.transfer !== undefined) transfer.push(...sent.transfer);
    this.#writer.post({ type: "batch", requests: dense(this.#sent.map((w) => w.request)) }, transfer);
  }

  #take(message: FromWriter, events: WriterEvents): void {
    if (message.type === "due") events.due();
    if (message.type !== "replies") return;
    for (const ms of message.syncsMs ?? []) events.synced(ms);
    for (const damage of message.damage ?? []) events.damaged(damage);
    events.committed();
    if (message.events !== undefined) events.eventsAdded(message.events);
    this.#resolve(message.replies);
  }

  #resolve({ values, failures }: Replies): void {
    const answered = this.#sent ?? [];
    this.#sent = null;
    this.#send();
    if (this.#sent === null) this.#idled();
    answered.forEach((waiting, i) => {
      const failure = failures.get(i);
      if (i >= values.length) waiting.reject(new Error("the spool's writer did not answer a request"));
      else if (failure === undefined) waiting.resolve(values[i]);
      else if (failure.damaged) waiting.reject(new MessageDamaged(failure.error));
      else if (failure.unavailable) waiting.reject(new SpoolUnavailable(failure.error));
      else waiting.reject(new Error(failure.error));
    });
  }

  #fail(message: string): void {
    this.#isDead = true;
    const waiting = [...(this.#sent ?? []), ...this.#waiting];
    this.#sent = null;
    this.#waiting = [];
    this.#idled();
    for (const { reject } of waiting) reject(new SpoolUnavailable(message));
  }
}
