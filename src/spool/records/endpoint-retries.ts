/**
 * What each result of an attempt makes of the order keys of an endpoint that wait for another attempt. A retry covers the events
 * of its order key from `next` to `last`; the first of them that the endpoint's filter selects is sent next.
 */
import type { WebhookResult, WebhookSettlement } from "../port/webhooks.ts";

/** Numbers of events; both are included. */
export interface RetryRange {
  next: number;
  last: number;
}

export interface Retry extends RetryRange {
  /** Attempts at the event that is sent next. */
  attempts: number;
  dueMs: number;
}

/** The stored retries of one endpoint, by order key. */
export interface RetryStore {
  find(orderKey: number): Retry | undefined;
  store(orderKey: number, retry: Retry): void;
  remove(orderKey: number): void;
  /** Whether an event in the range is to be sent. */
  hasWanted(orderKey: number, range: RetryRange): boolean;
}

interface Outcome {
  orderKey: number;
  number: number;
}

/**
 * Applies the results of a settlement, what is blocked, and what is gone. `position` is set if the settlement is from before a
 * replay or an edit: a new sender reads all events after it.
 */
export function settleRetries(
  retries: RetryStore,
  { atMs, results, blocked, gone }: Pick<WebhookSettlement, "atMs" | "results" | "blocked" | "gone">,
  position: number | null,
): void {
  const settlement = new RetrySettlement(retries, atMs);
  const isLeft = (outcome: Outcome): boolean => position !== null && settlement.isLeftToNewSender(outcome, position);
  for (const result of results) if (!isLeft(result.event)) settlement.settleResult(result);
  for (const outcome of blocked) if (!isLeft(outcome)) settlement.block(outcome);
  for (const orderKey of gone) settlement.removeGone(orderKey);
}

class RetrySettlement {
  readonly #retries: RetryStore;
  readonly #atMs: number;

  constructor(retries: RetryStore, atMs: number) {
    this.#retries = retries;
    this.#atMs = atMs;
  }

  /** Whether the new sender reads earlier events of the order key: a retry of this event would also cover those. */
  isLeftToNewSender({ orderKey, number }: Outcome, position: number): boolean {
    if (this.#retries.find(orderKey) !== undefined) return false;
    return this.#retries.hasWanted(orderKey, { next: position + 1, last: number - 1 });
  }

  settleResult({ event, attempt, outcome }: WebhookResult): void {
    const { orderKey, number } = event;
    const retry = this.#retries.find(orderKey);
    if (outcome.type === "deferred") {
      this.#defer(event, retry, { attempts: attempt.attempt, dueMs: outcome.nextAttemptAtMs });
    } else if (retry !== undefined && number >= retry.next && this.#isNext(event, retry)) {
      if (number >= retry.last) this.#retries.remove(orderKey);
      else this.#retries.store(orderKey, { next: number + 1, last: retry.last, attempts: 0, dueMs: this.#atMs });
    }
  }

  block({ orderKey, number }: Outcome): void {
    const retry = this.#retries.find(orderKey);
    if (retry === undefined) {
      this.#retries.store(orderKey, { next: number, last: number, attempts: 0, dueMs: this.#atMs });
    } else if (number < retry.next) this.#retries.store(orderKey, { ...retry, next: number, attempts: 0 });
    else if (number > retry.last) this.#retries.store(orderKey, { ...retry, last: number });
  }

  /** A person may have changed the filter, or asked for an event again, since the sender found nothing to send. */
  removeGone(orderKey: number): void {
    const retry = this.#retries.find(orderKey);
    if (retry !== undefined && !this.#retries.hasWanted(orderKey, retry)) this.#retries.remove(orderKey);
  }

  #defer(outcome: Outcome, retry: Retry | undefined, deferred: Pick<Retry, "attempts" | "dueMs">): void {
    const { orderKey, number } = outcome;
    const last = Math.max(number, retry?.last ?? number);
    const waitsForEarlier = retry !== undefined && number > retry.next && !this.#isNext(outcome, retry);
    this.#retries.store(orderKey, waitsForEarlier ? { ...retry, last } : { next: number, last, ...deferred });
  }

  /** Whether the retry is at this event. While it was sent, a person may have asked for an earlier one again. */
  #isNext({ orderKey, number }: Outcome, { next, last }: Retry): boolean {
    return number === next || !this.#retries.hasWanted(orderKey, { next, last: Math.min(last, number - 1) });
  }
}
