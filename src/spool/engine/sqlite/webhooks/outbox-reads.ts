/**
 * Reads the outbox: the events of an account in the order of their numbers. Each read looks at a bounded number of rows,
 * because it runs on the thread that serves HTTP. A part of the outbox that cannot be read is passed over and reported.
 */
import type { Database } from "better-sqlite3";
import {
  type EventFilter,
  type EventPage,
  type EventQuery,
  type EventRecipient,
  type EventType,
  type OutboxEvent,
  selects,
} from "../../../port/events.ts";
import { metadataOf, tagsOf } from "../../../records/message-labels.ts";
import { eventFeedback } from "../../../records/recipient-feedback.ts";
import { isObject, soundJson } from "../../../records/stored-json.ts";
import { EVENT_TEXT_MAX, EVENTS_READ_MAX } from "../../../records/webhook-limits.ts";
import { type DamageReports, isDamage, RowDamaged } from "../files/damage.ts";
import { PLACEHOLDER } from "../mail/outbox.ts";

/** After damage: the rows that are read one by one, each by its number. */
const CAREFUL_ROWS = 200;

export interface EventRow {
  accountId: string;
  number: number;
  id: string;
  seq: number;
  sequence: number;
  atMs: number;
  type: EventType | typeof PLACEHOLDER;
  detail: string | null;
  messageId: string | null;
  keyId: string | null;
  tags: string | null;
  metadata: string | null;
  /** Null for an event of a domain. */
  test: number | null;
  domain: string | null;
}

/** Selects rows of the table `outbox o` with what their events show of the message; WHERE follows. */
export const SELECT_EVENTS = `
  SELECT o.account_id AS accountId, o.number, o.id, o.seq, o.sequence, o.at_ms AS atMs, o.type, o.detail,
         m.id AS messageId, m.key_id AS keyId, m.tags, m.metadata, m.test, d.name AS domain
    FROM outbox o LEFT JOIN messages m ON m.seq = o.seq LEFT JOIN domains d ON d.id = m.domain_id`;

export function prepareEventReads(db: Database, damage: DamageReports) {
  const pruned = db.prepare<[string], number>("SELECT number FROM outbox_pruned WHERE account_id = ?").pluck();
  const pageAfter = preparePageAfter(db, damage);
  const greatest = db.prepare<[string], number | null>("SELECT max(number) FROM outbox WHERE account_id = ?").pluck();
  const isExpired = (accountId: string, afterNumber: number): boolean => (pruned.get(accountId) ?? 0) > afterNumber;
  /** Its number was given by a spool that this one does not know: nothing would ever follow it. Not if that cannot be read. */
  const isAhead = (accountId: string, afterNumber: number): boolean =>
    afterNumber > (undamaged(() => greatest.get(accountId) ?? 0) ?? afterNumber);
  return {
    /** As Events.events, but an expired query reads on. */
    eventsAfter: (query: EventQuery): EventPage => pageAfter(query),
    events(query: EventQuery): EventPage | "expired" {
      const { accountId, afterNumber } = query;
      if (afterNumber !== null && isExpired(accountId, afterNumber)) return "expired";
      const page = pageAfter(query);
      const isEmpty = page.events.length === 0 && page.throughNumber === afterNumber;
      return isEmpty && isAhead(accountId, afterNumber) ? "expired" : page;
    },
  };
}

function preparePageAfter(db: Database, damage: DamageReports): (query: EventQuery) => EventPage {
  const rowsAfter = db.prepare<[string, number, number], EventRow>(
    `${SELECT_EVENTS} WHERE o.account_id = ? AND o.number > ? ORDER BY o.number LIMIT ?`,
  );
  const readCarefully = prepareCarefulRead(db);
  return (query) => {
    const { accountId } = query;
    const afterNumber = query.afterNumber ?? 0;
    const page = new PageReader(query, damage);
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
  const numbered = db.prepare<[string, number], EventRow>(`${SELECT_EVENTS} WHERE o.account_id = ? AND o.number = ?`);
  const greatest = db.prepare<[string], number | null>("SELECT max(number) FROM outbox WHERE account_id = ?").pluck();
  return ({ accountId }, page) => {
    // If the greatest number cannot be read either, the account's last rows are damaged, and no later event exists.
    const last = undamaged(() => greatest.get(accountId)) ?? page.throughNumber;
    const end = Math.min(last, page.throughNumber + CAREFUL_ROWS);
    while (page.throughNumber < end) {
      const number = page.throughNumber + 1;
      const row = undamaged(() => numbered.get(accountId, number));
      if (row === undefined) page.skip(number);
      else if (!page.add(row)) break;
    }
    return page.endAt(last);
  };
}

function undamaged<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (isDamage(error)) return undefined;
    throw error;
  }
}

/** Gathers the events of a page from rows in the order of their numbers. */
class PageReader {
  readonly #query: EventQuery;
  readonly #damage: DamageReports;
  readonly #events: OutboxEvent[] = [];
  throughNumber: number;
  #rows = 0;
  #textLength = 0;
  #isFull = false;

  constructor(query: EventQuery, damage: DamageReports) {
    this.#query = query;
    this.#damage = damage;
    this.throughNumber = query.afterNumber ?? 0;
  }

  /** Returns whether the page takes more rows. */
  add(row: EventRow): boolean {
    this.#rows += 1;
    this.#textLength += textLengthOf(row);
    this.throughNumber = row.number;
    const { filter, withDomains, limit } = this.#query;
    if (matches(row, filter) && (withDomains || row.seq !== 0)) {
      const event = eventOf(row, this.#damage);
      if (event !== null) this.#events.push(event);
    }
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

  endAt(lastNumber: number): EventPage {
    return { events: this.#events, throughNumber: this.throughNumber, isEnd: this.throughNumber >= lastNumber };
  }
}

const textLengthOf = ({ detail, tags, metadata }: EventRow): number =>
  (detail?.length ?? 0) + (tags?.length ?? 0) + (metadata?.length ?? 0);

/** Whether the filter selects the row's event. */
export function matches(row: EventRow, filter: EventFilter): boolean {
  const { type, keyId } = row;
  if (type === PLACEHOLDER) return false;
  const domain = filter.domains === null ? null : row.seq === 0 ? soundJson(row.detail, isText) : row.domain;
  return selects(filter, { type, keyId, domain });
}

/** Returns null for a placeholder, and for a row that cannot be decoded, which is reported. */
export function eventOf(row: EventRow, damage: DamageReports): OutboxEvent | null {
  if (row.type === PLACEHOLDER) return null;
  const { accountId, number, id, atMs, type } = row;
  const shared = { accountId, number, id, atMs, type, orderKey: row.seq };
  const event = row.seq === 0 ? ofDomain(row) : ofMessage({ ...row, type });
  if (event !== null) return { ...shared, ...event };
  damage.note(`the event ${id}`, new RowDamaged("it cannot be decoded, or its message is missing"));
  return null;
}

/** `feedback`: the detail of the bounce or the complaint that the event reports. */
type StoredRecipient = EventRecipient & { feedback?: unknown };

type Own = Omit<OutboxEvent, "accountId" | "number" | "id" | "atMs" | "type" | "orderKey">;

function ofDomain({ detail }: EventRow): Own | null {
  const domain = soundJson(detail, isText);
  if (domain === null) return null;
  return { domain, sequence: null, messageId: null, keyId: null, recipient: null, tags: [], metadata: {}, test: false };
}

function ofMessage({
  sequence,
  messageId,
  keyId,
  detail,
  type,
  atMs,
  ...row
}: EventRow & { type: EventType }): Own | null {
  const stored = detail === null ? null : soundJson(detail, isRecipient);
  if (messageId === null || keyId === null || (detail !== null && stored === null)) return null;
  const { feedback = null, ...recipient } = stored ?? {};
  const labels = { tags: tagsOf(row.tags), metadata: metadataOf(row.metadata) };
  return {
    domain: row.domain ?? "",
    sequence,
    messageId,
    keyId,
    ...labels,
    test: row.test === 1,
    recipient: stored === null ? null : (recipient as EventRecipient),
    ...eventFeedback({ type, atMs }, feedback),
  };
}

const isText = (value: unknown): value is string => typeof value === "string";
const isRecipient = (value: unknown): value is StoredRecipient =>
  isObject(value) && typeof value.email === "string" && typeof value.result === "string";
