/**
 * The load of a proof: messages at a steady rate while the service listens. A message without a 202 is sent again with its
 * idempotency key, as clients should. Everything is bounded: rate, requests at a time and messages.
 */
import { setTimeout as delay } from "node:timers/promises";
import { ProveFailure } from "./failure.ts";
import { sendRequest } from "./numbered-message.ts";

const PER_SECOND_MAX = 50;
const MESSAGES_MAX = 20_000;
/** Requests at a time. */
const WIDTH = 32;
const TICK_MS = 10;
const AGAIN_MS = 200;
const RESPONSE_MAX_MS = 30_000;

export interface LoadOptions {
  key: string;
  runMs: number;
  /** Aborts the load. */
  signal: AbortSignal;
}

export class Load {
  /** The ids of 202 responses by the message's number. */
  readonly accepted = new Map<number, Set<string>>();
  /** Of each 202, from the request to the response. */
  readonly answersMs: number[] = [];
  readonly #options: LoadOptions;
  readonly #perSecond: number;
  /** Messages whose last request had no 202. */
  readonly #again: number[] = [];
  #url: string | null = null;
  #next = 0;
  #inFlight = 0;
  #isEnding = false;
  #fault: ProveFailure | null = null;

  constructor(options: LoadOptions) {
    this.#options = options;
    this.#perSecond = Math.min(PER_SECOND_MAX, MESSAGES_MAX / (options.runMs / 1000));
  }

  /** The URL of the service; null while it does not listen. */
  set url(url: string | null) {
    this.#url = url;
  }

  /** Sends until `end`, and then what has no 202 yet. Rejects with a ProveFailure if a message is rejected permanently. */
  async run(): Promise<void> {
    const { signal } = this.#options;
    let due = 0;
    let lastMs = performance.now();
    while (!this.#isDone) {
      await delay(TICK_MS, undefined, { signal });
      if (this.#fault !== null) throw this.#fault;
      const nowMs = performance.now();
      // At most a second's messages at once, after the event loop was held up.
      due = Math.min(due + ((nowMs - lastMs) / 1000) * this.#perSecond, this.#perSecond);
      lastMs = nowMs;
      while (due >= 1 && this.#sendNext()) due -= 1;
    }
  }

  /** Begins no more messages. `run` resolves when each has its 202. */
  end(): void {
    this.#isEnding = true;
  }

  get #isDone(): boolean {
    return this.#isEnding && this.#inFlight === 0 && this.#again.length === 0;
  }

  /** Returns false if nothing can be sent now. */
  #sendNext(): boolean {
    const url = this.#url;
    if (url === null || this.#inFlight >= WIDTH) return false;
    const number = this.#again.shift() ?? this.#newNumber();
    if (number === null) return false;
    this.#inFlight += 1;
    void this.#send(number, url).finally(() => {
      this.#inFlight -= 1;
    });
    return true;
  }

  #newNumber(): number | null {
    if (this.#isEnding || this.#next >= MESSAGES_MAX) return null;
    this.#next += 1;
    return this.#next;
  }

  async #send(number: number, url: string): Promise<void> {
    const isAnswered = await this.#attempt(number, url).catch(() => false);
    if (isAnswered) return;
    // Also after a response of 503: a service that has just started is busy for a moment.
    await delay(AGAIN_MS);
    this.#again.push(number);
  }

  /** Returns false if the message has to be sent again. Rejects if the connection fails. */
  async #attempt(number: number, url: string): Promise<boolean> {
    const startMs = performance.now();
    const response = await fetch(`${url}/api/sending/send`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${this.#options.key}`,
        "Content-Type": "application/json",
        "Idempotency-Key": `prove-${number}`,
      },
      body: JSON.stringify(sendRequest(number)),
      signal: AbortSignal.timeout(RESPONSE_MAX_MS),
    });
    const body = (await response.json()) as { id?: unknown };
    if (response.status === 202 && typeof body.id === "string") {
      this.answersMs.push(performance.now() - startMs);
      this.accepted.set(number, (this.accepted.get(number) ?? new Set()).add(body.id));
      return true;
    }
    if (response.status === 503 || response.status === 429) return false;
    this.#fault = new ProveFailure(`a message was answered ${response.status}: ${JSON.stringify(body)}`);
    return true;
  }
}
