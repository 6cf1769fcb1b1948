/**
 * The stored order keys of an endpoint that wait for another attempt. records/endpoint-retries.ts decides what a settlement makes
 * of them. The caller holds the transaction of a write.
 */
import type { Database } from "better-sqlite3";
import type { Endpoint, WebhookSettlement } from "../port/webhooks.ts";
import { type Retry, type RetryRange, settleRetries } from "../records/endpoint-retries.ts";
import { DamagedMessages, type DamageLog } from "./damage.ts";
import { OrderedEvents } from "./ordered-events.ts";

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
    const { find, store, remove, makeDue } = this.#statements;
    const { id, position } = endpoint;
    // First, so that a failure in this settlement waits for its own time.
    if (settlement.isRecovered) makeDue.run(settlement.atMs, id);
    const retries = {
      find: (orderKey: number) => find.get(id, orderKey),
      store: (orderKey: number, retry: Retry) => void store.run({ id, orderKey, ...retry }),
      remove: (orderKey: number) => void remove.run(id, orderKey),
      hasWanted: (orderKey: number, range: RetryRange) => this.#hasWanted(endpoint, orderKey, range),
    };
    settleRetries(retries, settlement, isOutdated ? position : null);
  }

  /** Damaged events are not to be sent. */
  #hasWanted(endpoint: Endpoint, orderKey: number, { next, last }: RetryRange): boolean {
    if (this.#damaged.has(orderKey)) return false;
    const range = { accountId: endpoint.accountId, orderKey, from: next, to: last };
    return this.#damaged.run(orderKey, () => this.#events.first(range, endpoint)) !== null;
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
