/**
 * Postfix's policy with its default settings in the model of a day, as its documents describe the queue manager: a window of 5 to 20 for each
 * destination with feedback of 1/n, a destination that is suspended for 300 s once a cohort of sessions has failed, retries after
 * the age of the message, 300 s at least and 4,000 s at most, by a queue run every 300 s, and connections that are reused while
 * further messages wait. Its limits of processes and of the active queue are left out.
 */
import type { DayMessage, Policy, PolicyParts } from "./day.ts";
import { ModelConnections } from "./day-connections.ts";
import type { Refusal } from "./day-receivers.ts";
import { Fifo } from "./fifo.ts";

const INITIAL_CONCURRENCY = 5;
const CONCURRENCY_LIMIT = 20;
const FAILED_COHORT_LIMIT = 1;
const MINIMAL_BACKOFF_MS = 300_000;
const MAXIMAL_BACKOFF_MS = 4_000_000;
const QUEUE_RUN_MS = 300_000;
/** Of smtp_connection_cache_time_limit, smtp_connection_reuse_time_limit, and messages on one connection. */
const CACHE_MS = 2000;
const REUSE_MS = 300_000;
const REUSE_COUNT = 100;

class Destination {
  readonly active: Fifo<DayMessage> = new Fifo();
  readonly connections: ModelConnections;
  window = INITIAL_CONCURRENCY;
  busy = 0;
  success = 0;
  failure = 0;
  failedCohorts = 0;
  suspendedUntilMs = 0;

  constructor({ time, prng, receivers }: PolicyParts, receiver: number) {
    this.connections = new ModelConnections(time, prng, receivers[receiver] as PolicyParts["receivers"][number], {
      idleMs: CACHE_MS,
      mayReuse: ({ openedMs, carried }, nowMs) =>
        this.active.first !== undefined && nowMs - openedMs < REUSE_MS && carried < REUSE_COUNT,
      onEnd: () => {},
    });
  }

  /** After a message, whether it was delivered or not: the session worked. */
  grow(): void {
    this.failedCohorts = 0;
    if (this.window >= CONCURRENCY_LIMIT) return;
    this.success += 1 / this.window;
    if (this.success < 1) return;
    this.window += 1;
    this.success = 0;
    this.failure = 0;
  }

  /** After a session that did not open. Returns whether the destination is suspended now. */
  shrink(): boolean {
    this.failedCohorts += 1 / this.window;
    if (this.failedCohorts >= FAILED_COHORT_LIMIT) return true;
    this.failure += 1 / this.window;
    if (this.failure < 1) return false;
    this.window = Math.max(1, this.window - 1);
    this.failure = 0;
    this.success = 0;
    return false;
  }

  suspend(untilMs: number): void {
    this.suspendedUntilMs = untilMs;
    this.window = INITIAL_CONCURRENCY;
    this.success = 0;
    this.failure = 0;
    this.failedCohorts = 0;
  }
}

export class PostfixPolicy implements Policy {
  readonly #parts: PolicyParts;
  readonly #destinations: Destination[];
  /** What each queue run takes, by its time. */
  readonly #runs = new Map<number, DayMessage[]>();

  constructor(parts: PolicyParts) {
    this.#parts = parts;
    this.#destinations = parts.receivers.map((_, receiver) => new Destination(parts, receiver));
  }

  submit(message: DayMessage): void {
    const destination = this.#destinations[message.receiver] as Destination;
    if (this.#parts.time.nowMs < destination.suspendedUntilMs) this.#defer(message);
    else destination.active.push(message);
    this.#start(destination);
  }

  #start(destination: Destination): void {
    while (destination.busy < destination.window) {
      const message = destination.active.shift();
      if (message === undefined) return;
      destination.busy += 1;
      destination.connections.attempt((refusal) => {
        destination.busy -= 1;
        this.#settle(destination, message, refusal);
        this.#start(destination);
      });
    }
  }

  #settle(destination: Destination, message: DayMessage, refusal: Refusal | null): void {
    const { time, results } = this.#parts;
    if (refusal?.stage === "greeting") {
      this.#defer(message);
      if (time.nowMs >= destination.suspendedUntilMs && destination.shrink()) this.#suspend(destination);
      return;
    }
    destination.grow();
    if (refusal === null) results.deliver(message);
    else if (refusal.reply.code >= 500) results.fail(message);
    else this.#defer(message);
  }

  /** Its messages are deferred without an attempt. */
  #suspend(destination: Destination): void {
    destination.suspend(this.#parts.time.nowMs + MINIMAL_BACKOFF_MS);
    for (let next = destination.active.shift(); next !== undefined; next = destination.active.shift())
      this.#defer(next);
  }

  #defer(message: DayMessage): void {
    const { time } = this.#parts;
    const ageMs = time.nowMs - message.acceptedMs;
    const dueMs = time.nowMs + Math.min(MAXIMAL_BACKOFF_MS, Math.max(MINIMAL_BACKOFF_MS, ageMs));
    const runMs = Math.ceil(dueMs / QUEUE_RUN_MS) * QUEUE_RUN_MS;
    const due = this.#runs.get(runMs);
    if (due !== undefined) {
      due.push(message);
      return;
    }
    this.#runs.set(runMs, [message]);
    time.after(runMs - time.nowMs, () => this.#run(runMs));
  }

  #run(runMs: number): void {
    const due = this.#runs.get(runMs) ?? [];
    this.#runs.delete(runMs);
    for (const message of due) this.submit(message);
  }
}
