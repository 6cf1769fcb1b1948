/**
 * How delivery shuts down: which attempts may continue once a shutdown has begun, and for how long. address-attempt.ts
 * and attempt.ts decide what an aborted attempt means for its recipients.
 *
 * 1. Nothing new begins: an attempt outside a transaction ends at once.
 * 2. A transaction may still reach its final dot for a few seconds. After that no dot leaves any more.
 * 3. A transaction whose dot has left waits for the reply: nothing else shows whether the host accepted the message.
 */
import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../lib/log.ts";
import { RFC_TIMEOUTS } from "../smtp/timeouts.ts";

/** The progress of an attempt. Only in `final_dot` may the host have accepted the message without a reply so far. */
export type AttemptPhase = "outside" | "transaction" | "final_dot";

/** An attempt, as the shutdown sees it. */
export interface Stoppable {
  readonly phase: AttemptPhase;
  /** Recipients of the transaction under way. */
  readonly recipients: number;
  /** Ends the attempt as soon as its results so far can be stored. */
  abort(): void;
}

export interface ShutdownOptions {
  clock: Clock;
  log: Logger;
  /** How long final replies are awaited. */
  replyWaitMs: number;
  /** Resolves when every attempt has ended and its results are stored. */
  ended: () => Promise<void>;
}

/** How long a transaction under way may take to reach its final dot. */
const HANDOVER_MS = 3000;
/** How long the results of aborted attempts may take to be stored. */
const STORING_MS = 5000;

/** The longest time that delivery takes to stop: storing results, the state snapshot, and QUIT on open connections. */
export function deliveryStopLimitMs(replyWaitMs: number): number {
  return handoverMs(replyWaitMs) + replyWaitMs + 2 * STORING_MS + RFC_TIMEOUTS.quit;
}

/** A dot that leaves during the shutdown gets the whole wait for its reply, so without a wait none may leave. */
function handoverMs(replyWaitMs: number): number {
  return Math.min(HANDOVER_MS, replyWaitMs);
}

export class Shutdown {
  readonly #attempts = new Set<Stoppable>();
  #hasBegun = false;

  /** Whether nothing new may begin. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Returns a function that removes the attempt again. */
  register(attempt: Stoppable): () => void {
    this.#attempts.add(attempt);
    return () => void this.#attempts.delete(attempt);
  }

  /** Stops all attempts, step by step. Returns the number of recipients left without a reply to their final dot. */
  async run({ clock, log, replyWaitMs, ended: whenEnded }: ShutdownOptions): Promise<number> {
    this.#hasBegun = true;
    const ended = whenEnded();
    const within = (limitMs: number): Promise<void> => endedWithin(ended, limitMs, clock);
    this.#abort((phase) => phase === "outside");
    await within(handoverMs(replyWaitMs));
    this.#abort((phase) => phase !== "final_dot");
    const recipients = this.#atFinalDot();
    if (recipients > 0 && replyWaitMs > 0) log.info({ recipients, waitMs: replyWaitMs }, "waiting for final replies");
    await within(replyWaitMs);
    const left = this.#atFinalDot();
    this.#abort(() => true);
    await within(STORING_MS);
    return left;
  }

  #atFinalDot(): number {
    let recipients = 0;
    for (const attempt of this.#attempts) if (attempt.phase === "final_dot") recipients += attempt.recipients;
    return recipients;
  }

  #abort(matches: (phase: AttemptPhase) => boolean): void {
    for (const attempt of [...this.#attempts]) if (matches(attempt.phase)) attempt.abort();
  }
}

function endedWithin(ended: Promise<void>, limitMs: number, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(limitMs, resolve);
    void ended.then(() => {
      cancel();
      resolve();
    });
  });
}
