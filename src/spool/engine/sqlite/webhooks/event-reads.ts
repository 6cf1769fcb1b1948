/**
 * Reads the events of an account in the order of their numbers. Each read looks at a bounded number of rows, because it runs on the thread
 * that serves HTTP. A part of the events that cannot be read is passed over and reported.
 */
import type { Database } from "better-sqlite3";
import { type EventFilter, type EventPage, type EventQuery, type OutboxEvent, selects } from "../../../port/events.ts";
import { type EventRow, eventOf, FEEDBACK_KINDS } from "../../../records/event-row.ts";
import { routeOf } from "../../../records/test-routes.ts";
import { EVENT_TEXT_MAX, EVENTS_READ_MAX } from "../../../records/webhook-limits.ts";
import { type DamageReports, isDamage, RowDamaged, readable } from "../files/damage.ts";
import { GREATEST_NUMBER } from "../mail/event-writer.ts";

/** After damage: the rows that are read one by one, each by its number. */
const CAREFUL_ROWS = 200;

/** A row of SELECT_EVENTS. `test` is 0 or 1; `route` is the stored domain of the recipient. */
export type StoredEvent = Omit<EventRow, "sequence" | "test"> & { test: number | null; route: string | null };

/** Selects rows of the table `events e` with what their events show; WHERE follows. */
export const SELECT_EVENTS = `
  SELECT e.account_id AS accountId, e.number, e.id, e.at_ms AS atMs, e.type, e.seq AS orderKey, e.domain AS ownDomain,
         coalesce(e.domain, d.name) AS domain, e.result, e.reason, e.category, e.attempts, e.smtp, r.email, r.domain AS route,
         (SELECT detail FROM feedback f WHERE f.seq = e.seq AND f.position = e.position AND f.kind = CASE e.type ${FEEDBACK_KINDS} END)
           AS feedback,
         m.id AS messageId, m.key_id AS keyId, m.tags, m.metadata, m.test
    FROM events e LEFT JOIN messages m ON m.seq = e.seq LEFT JOIN domains d ON d.id = m.domain_id
    LEFT JOIN recipients r ON r.seq = e.seq AND r.position = e.position`;

/** Returns the event of a row of SELECT_EVENTS; null if it cannot be shown. */
export type EventDecoding = (row: StoredEvent) => OutboxEvent | null;

/** Returns a function that begins a decoding of rows in the order of their numbers. */
export function prepareDecoding(db: Database, damage: DamageReports): () => EventDecoding {
  const shown = db
    .prepare<[number, number, number], number>(
      "SELECT count(*) FROM events INDEXED BY events_message WHERE seq = ? AND number > ? AND number <= ? AND type IS NOT NULL",
    )
    .pluck();
  return () => {
    const former = new Map<number, { number: number; sequence: number }>();
    const sequenceOf = ({ orderKey, number, type }: StoredEvent): number => {
      const from = former.get(orderKey) ?? { number: 0, sequence: 0 };
      // A message's first event is its acceptance.
      const isFirst = type === "message.accepted";
      const sequence = isFirst ? 1 : from.sequence + (shown.get(orderKey, from.number, number) ?? 0);
      former.set(orderKey, { number, sequence });
      return sequence;
    };
    return (row) => {
      if (row.type === null) return null;
      const sequence = row.ownDomain === null ? sequenceOf(row) : null;
      const event = isAtItsDomain(row) ? eventOf({ ...row, sequence, test: row.test === 1 }) : null;
      const problem = "it cannot be decoded, or its message is missing";
      if (event === null) damage.note(`the event ${row.id}`, new RowDamaged(problem));
      return event;
    };
  };
}

/** Whether a recipient's address is one at its stored domain, as acceptance stores them. */
const isAtItsDomain = ({ email, accountId, test, route }: StoredEvent): boolean =>
  email === null || routeOf(email, { accountId, isTest: test === 1 }) === route;

export function prepareEventReads(db: Database, damage: DamageReports) {
  const pruned = db.prepare<[string], number>("SELECT number FROM events_pruned WHERE account_id = ?").pluck();
  const pageAfter = preparePageAfter(db, damage);
  const greatest = db.prepare<[], number>(GREATEST_NUMBER).pluck();
  const isExpired = (accountId: string, afterNumber: number): boolean => (pruned.get(accountId) ?? 0) > afterNumber;
  /** Its number was given by a spool that this one does not know: nothing would ever follow it. Not if that cannot be read. */
  const isAhead = (afterNumber: number): boolean => afterNumber > (readable(() => greatest.get()) ?? afterNumber);
  return {
    /** As Events.events, but an expired query reads on. */
    eventsAfter: (query: EventQuery): EventPage => pageAfter(query),
    events(query: EventQuery): EventPage | "expired" {
      const { accountId, afterNumber } = query;
      if (afterNumber !== null && isExpired(accountId, afterNumber)) return "expired";
      const page = pageAfter(query);
      const isEmpty = page.events.length === 0 && page.throughNumber === afterNumber;
      return isEmpty && isAhead(afterNumber) ? "expired" : page;
    },
  };
}

function preparePageAfter(db: Database, damage: DamageReports): (query: EventQuery) => EventPage {
  const rowsAfter = db.prepare<[string, number, number], StoredEvent>(
    `${SELECT_EVENTS} WHERE e.account_id = ? AND e.number > ? ORDER BY e.number LIMIT ?`,
  );
  const newDecoding = prepareDecoding(db, damage);
  const readCarefully = prepareCarefulRead(db);
  return (query) => {
    const { accountId } = query;
    const afterNumber = query.afterNumber ?? 0;
    const page = new PageReader(query, newDecoding());
    try {
      for (const row of rowsAfter.iterate(accountId, afterNumber, EVENTS_READ_MAX)) if (!page.add(row)) break;
      return page.end(EVENTS_READ_MAX);
    } catch (error) {
      if (!isDamage(error)) throw error;
      damage.note(`the events of the account ${accountId}`, error);
      return readCarefully(query, page);
    }
  };
}

/** Reads the rows after the page's last one by their numbers, and passes over those that cannot be read. */
function prepareCarefulRead(db: Database): (query: EventQuery, page: PageReader) => EventPage {
  const numbered = db.prepare<[string, number], StoredEvent>(
    `${SELECT_EVENTS} WHERE +e.account_id = ? AND e.number = ?`,
  );
  // Only from the index, as far as it can be read.
  const numbers = db
    .prepare<[string, number, number], number>(
      `SELECT number FROM events INDEXED BY events_account WHERE account_id = ? AND number > ? ORDER BY number LIMIT ?`,
    )
    .pluck();
  const greatest = db.prepare<[], number | null>("SELECT max(number) FROM events").pluck();
  return ({ accountId }, page) => {
    const indexed = readable(() => numbers.all(accountId, page.throughNumber, CAREFUL_ROWS));
    // If the greatest number cannot be read either, the last rows are damaged, and no later event exists.
    const last = indexed === undefined ? (readable(() => greatest.get()) ?? page.throughNumber) : null;
    const next = indexed ?? numbersAfter(page.throughNumber, last ?? page.throughNumber);
    for (const number of next) {
      const takesMore = readable(() => {
        const row = numbered.get(accountId, number);
        return row === undefined || page.add(row);
      });
      page.skip(number);
      if (takesMore === false) break;
    }
    return page.endAt(last, next.length);
  };
}

const numbersAfter = (number: number, last: number): number[] =>
  Array.from({ length: Math.max(0, Math.min(CAREFUL_ROWS, last - number)) }, (_, i) => number + 1 + i);

/** Gathers the events of a page from rows in the order of their numbers. */
class PageReader {
  readonly #query: EventQuery;
  readonly #decode: EventDecoding;
  readonly #events: OutboxEvent[] = [];
  throughNumber: number;
  #rows = 0;
  #textLength = 0;
  #isFull = false;

  constructor(query: EventQuery, decode: EventDecoding) {
    this.#query = query;
    this.#decode = decode;
    this.throughNumber = query.afterNumber ?? 0;
  }

  /** Returns whether the page takes more rows. */
  add(row: StoredEvent): boolean {
    const { filter, withDomains, limit } = this.#query;
    if (matches(row, filter) && (withDomains || row.ownDomain === null)) {
      const event = this.#decode(row);
      if (event !== null) this.#events.push(event);
    }
    this.#rows += 1;
    this.#textLength += textLengthOf(row);
    this.throughNumber = row.number;
    this.#isFull = this.#events.length >= limit || this.#textLength >= EVENT_TEXT_MAX;
    return !this.#isFull;
  }

  skip(number: number): void {
    this.throughNumber = number;
  }

  end(rowsMax: number): EventPage {
    const isEnd = !this.#isFull && this.#rows < rowsMax;
    return { events: this.#events, throughNumber: this.throughNumber, isEnd };
  }

  /** `rowsRead`: of CAREFUL_ROWS at most; `lastNumber`: of all events, null if only those of the account were read. */
  endAt(lastNumber: number | null, rowsRead: number): EventPage {
    const isEnd = lastNumber === null ? !this.#isFull && rowsRead < CAREFUL_ROWS : this.throughNumber >= lastNumber;
    return { events: this.#events, throughNumber: this.throughNumber, isEnd };
  }
}

const textLengthOf = ({ smtp, tags, metadata }: StoredEvent): number =>
  (smtp?.length ?? 0) + (tags?.length ?? 0) + (metadata?.length ?? 0);

/** Whether the filter selects the row's event. */
export const matches = ({ type, keyId, domain }: StoredEvent, filter: EventFilter): boolean =>
  type !== null && selects(filter, { type, keyId, domain: filter.domains === null ? null : domain });
