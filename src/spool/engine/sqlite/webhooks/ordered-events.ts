/**
 * Reads the events of one order key in their order: those of a message, or those of an account's domains. An event that cannot
 * be decoded is passed over, and reported.
 */
import type { Database } from "better-sqlite3";
import type { EventFilter, OutboxEvent } from "../../../port/events.ts";
import type { EventRange } from "../../session.ts";
import type { DamageReports } from "../files/damage.ts";
import { type EventDecoding, matches, prepareDecoding, SELECT_EVENTS, type StoredEvent } from "./event-reads.ts";

interface RangeOfAccount extends EventRange {
  accountId: string;
}

/** The numbers come only from an index, and the rows in their order, so that only those before the first selected event are read. */
const eventsNumbered = (numbers: string): string =>
  `${SELECT_EVENTS} WHERE e.number IN (${numbers} AND number >= @from AND number <= @to) ORDER BY e.number`;

/** A message belongs to one account. */
export const EVENTS_OF_MESSAGE = eventsNumbered(
  "SELECT number FROM events INDEXED BY events_message WHERE seq = @orderKey",
);

/** All accounts share this order key, and have an index of their events with it. */
export const EVENTS_OF_DOMAINS = eventsNumbered(
  "SELECT number FROM events INDEXED BY events_of_domains WHERE account_id = @accountId AND domain IS NOT NULL",
);

export class OrderedEvents {
  readonly #newDecoding: () => EventDecoding;
  readonly #ofMessage;
  readonly #ofDomains;
  #rowsRead = 0;

  constructor(db: Database, damage: DamageReports) {
    this.#newDecoding = prepareDecoding(db, damage);
    this.#ofMessage = db.prepare<Omit<RangeOfAccount, "accountId">, StoredEvent>(EVENTS_OF_MESSAGE);
    this.#ofDomains = db.prepare<Omit<RangeOfAccount, "orderKey">, StoredEvent>(EVENTS_OF_DOMAINS);
  }

  /** How many rows have been read so far. */
  get rowsRead(): number {
    return this.#rowsRead;
  }

  /** Returns the first event that the filter selects; null if there is none. */
  first(range: RangeOfAccount, filter: EventFilter): OutboxEvent | null {
    const decode = this.#newDecoding();
    for (const row of this.#rows(range)) {
      this.#rowsRead += 1;
      const event = matches(row, filter) ? decode(row) : null;
      if (event !== null) return event;
    }
    return null;
  }

  #rows({ accountId, orderKey, from, to }: RangeOfAccount): IterableIterator<StoredEvent> {
    return orderKey === 0
      ? this.#ofDomains.iterate({ accountId, from, to })
      : this.#ofMessage.iterate({ orderKey, from, to });
  }
}
