/**
 * The order keys of an endpoint that wait for another attempt, and what each result of an attempt makes of them. A row covers
 * the events of its order key from `next` to `last`; the first of them that the endpoint's filter selects is sent next. The
 * caller holds the transaction of a write.
 */
import type { Database } from "better-sqlite3";
import type { Endpoint, WebhookResult, WebhookSettlement } from "../port/webhooks.ts";
import { DamagedMessages, type DamageLog } from "./damage.ts";
import { OrderedEvents } from "./ordered-events.ts";

interface Retry {
  next: number;
  last: number;
  /** Attempts at the event that is sent next. */
  attempts: number;
  dueMs: number;
}

interface Outcome {
  orderKey: number;
  number: number;
}

export class EndpointRetries {
  readonly #statements;
  readonly #events: OrderedEvents;
  /** By order key. */
  readonly #damaged: DamagedMessages;

  constructor(db: Database, damage: DamageLog) {
    this.#statements = prepareStatements(db);
    this.#events = new OrderedEvents(db, damage);
    this.#damaged = new DamagedMessages(damage, { place: (orderKey) => `the events with the order key ${orderKey}` });
  }

  /** Applies what a settlement says about retries. `isOutdated`: a new sender meets all events after the position again. */
  settle(endpoint: Endpoint, settlement: WebhookSettlement, isOutdated: boolean): void {
    const { atMs, results, blocked, gone, isRecovered } = settlement;
    const isLeft = (outcome: Outcome): boolean => isOutdated && this.#isLeftToNewSender(endpoint, outcome);
    // First, so that a failure in this settlement waits for its own time.
    if (isRecovered) this.#statements.makeDue.run(atMs, endpoint.id);
    for (const result of results) if (!isLeft(result.event)) this.#settleResult(endpoint, result, atMs);
    for (const outcome of blocked) if (!isLeft(outcome)) this.#block(endpoint, outcome, atMs);
    for (const orderKey of gone) this.#removeGone(endpoint, orderKey);
  }

  /** Whether the new sender reads earlier events of the order key: a row for this event would also cover those. */
  #isLeftToNewSender(endpoint: Endpoint, { orderKey, number }: Outcome): boolean {
    if (this.#find(endpoint, orderKey) !== undefined) return false;
    return this.#hasWanted(endpoint, orderKey, { next: endpoint.position + 1, last: number - 1 });
  }

  #settleResult(endpoint: Endpoint, { event, attempt, outcome }: WebhookResult, atMs: number): void {
    const { orderKey, number } = event;
    const retry = this.#find(endpoint, orderKey);
    if (outcome.type === "deferred") {
      const deferred = { attempts: attempt.attempt, dueMs: outcome.nextAttemptAtMs };
      this.#defer(endpoint, { orderKey, number, retry }, deferred);
    } else if (retry !== undefined && number >= retry.next && this.#isNext(endpoint, { orderKey, number }, retry)) {
      if (number >= retry.last) this.#remove(endpoint, orderKey);
      else this.#store(endpoint, orderKey, { next: number + 1, last: retry.last, attempts: 0, dueMs: atMs });
    }
  }

  #defer(
    endpoint: Endpoint,
    { retry, ...outcome }: Outcome & { retry: Retry | undefined },
    deferred: Pick<Retry, "attempts" | "dueMs">,
  ): void {
    const { orderKey, number } = outcome;
    const last = Math.max(number, retry?.last ?? number);
    const waitsForEarlier = retry !== undefined && number > retry.next && !this.#isNext(endpoint, outcome, retry);
    this.#store(endpoint, orderKey, waitsForEarlier ? { ...retry, last } : { next: number, last, ...deferred });
  }

  #block(endpoint: Endpoint, { orderKey, number }: Outcome, atMs: number): void {
    const retry = this.#find(endpoint, orderKey);
    if (retry === undefined) {
      this.#store(endpoint, orderKey, { next: number, last: number, attempts: 0, dueMs: atMs });
    } else if (number < retry.next) this.#store(endpoint, orderKey, { ...retry, next: number, attempts: 0 });
    else if (number > retry.last) this.#store(endpoint, orderKey, { ...retry, last: number });
  }

  /** A person may have changed the filter, or asked for an event again, since the sender found nothing to send. */
  #removeGone(endpoint: Endpoint, orderKey: number): void {
    const retry = this.#find(endpoint, orderKey);
    if (retry !== undefined && !this.#hasWanted(endpoint, orderKey, retry)) this.#remove(endpoint, orderKey);
  }

  /** Whether the retry is at this event. While it was sent, a person may have asked for an earlier one again. */
  #isNext(endpoint: Endpoint, { orderKey, number }: Outcome, { next, last }: Retry): boolean {
    return number === next || !this.#hasWanted(endpoint, orderKey, { next, last: Math.min(last, number - 1) });
  }

  /** Whether an event of the order key from `next` to `last` is to be sent. Damaged ones are not. */
  #hasWanted(endpoint: Endpoint, orderKey: number, { next, last }: Pick<Retry, "next" | "last">): boolean {
    if (this.#damaged.has(orderKey)) return false;
    const range = { accountId: endpoint.accountId, orderKey, from: next, to: last };
    return this.#damaged.run(orderKey, () => this.#events.first(range, endpoint)) !== null;
  }

  #find(endpoint: Endpoint, orderKey: number): Retry | undefined {
    return this.#statements.find.get(endpoint.id, orderKey);
  }

  #store({ id }: Endpoint, orderKey: number, retry: Retry): void {
    this.#statements.store.run({ id, orderKey, ...retry });
  }

  #remove({ id }: Endpoint, orderKey: number): void {
    this.#statements.remove.run(id, orderKey);
  }
}

function prepareStatements(db: Database) {
  return {
    find: db.prepare<[string, number], Retry>(
      `SELECT next_number AS next, last_number AS last, attempts, next_attempt_at_ms AS dueMs
         FROM endpoint_retries WHERE endpoint_id = ? AND seq = ?`,
    ),
    store: db.prepare<Retry & { id: string; orderKey: number }>(
      `INSERT OR REPLACE INTO endpoint_retries (endpoint_id, seq, next_number, last_number, attempts, next_attempt_at_ms)
         VALUES (@id, @orderKey, @next, @last, @attempts, @dueMs)`,
    ),
    remove: db.prepare<[string, number]>("DELETE FROM endpoint_retries WHERE endpoint_id = ? AND seq = ?"),
    makeDue: db.prepare<[number, string]>(
      "UPDATE endpoint_retries SET next_attempt_at_ms = min(next_attempt_at_ms, ?) WHERE endpoint_id = ?",
    ),
  };
}
