/**
 * Reads the events of one order key in their order: those of a message, or those of an account's domains. An event that cannot
 * be decoded is passed over, and reported.
 */
import type { Database } from "better-sqlite3";
import type { EventFilter, OutboxEvent } from "../../../port/events.ts";
import type { EventRange } from "../../session.ts";
import type { DamageReports } from "../files/damage.ts";
import { type EventRow, eventOf, matches, SELECT_EVENTS } from "./outbox-reads.ts";

interface RangeOfAccount extends EventRange {
  accountId: string;
}

/** A message belongs to one account. */
export const EVENTS_OF_MESSAGE = `${SELECT_EVENTS}
  WHERE o.seq = @orderKey AND o.number >= @from AND o.number <= @to ORDER BY o.sequence`;

/** All accounts share this order key, and have an index of their own events with it. */
export const EVENTS_OF_DOMAINS = `${SELECT_EVENTS}
  WHERE o.account_id = @accountId AND o.number IN (
    SELECT number FROM outbox INDEXED BY outbox_of_domains
      WHERE account_id = @accountId AND seq = 0 AND number >= @from AND number <= @to)
  ORDER BY o.number`;

export class OrderedEvents {
  readonly #damage: DamageReports;
  readonly #ofMessage;
  readonly #ofDomains;
  #rowsRead = 0;

  constructor(db: Database, damage: DamageReports) {
    this.#damage = damage;
    this.#ofMessage = db.prepare<Omit<RangeOfAccount, "accountId">, EventRow>(EVENTS_OF_MESSAGE);
    this.#ofDomains = db.prepare<Omit<RangeOfAccount, "orderKey">, EventRow>(EVENTS_OF_DOMAINS);
  }

  /** How many rows have been read so far. */
  get rowsRead(): number {
    return this.#rowsRead;
  }

  /** Returns the first event that the filter selects; null if there is none. */
  first(range: RangeOfAccount, filter: EventFilter): OutboxEvent | null {
    for (const row of this.#rows(range)) {
      this.#rowsRead += 1;
      const event = matches(row, filter) ? eventOf(row, this.#damage) : null;
      if (event !== null) return event;
    }
    return null;
  }

  #rows({ accountId, orderKey, from, to }: RangeOfAccount): IterableIterator<EventRow> {
    return orderKey === 0
      ? this.#ofDomains.iterate({ accountId, from, to })
      : this.#ofMessage.iterate({ orderKey, from, to });
  }
}
