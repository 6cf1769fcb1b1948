/**
 * Reads from the indexes what they have of messages whose rows, recipients or places cannot be read: ids, accounts, keys, addresses, and
 * what waits or is unknown. A message without its row must not be sent, and its content must not pass for sound.
 */
import type { Database } from "better-sqlite3";
import type { CopiedMessage, EventRow, Places, RecipientRow } from "../../../records/copied-message.ts";
import { MESSAGE_COLUMNS, type MessageRow } from "../../../records/message-columns.ts";
import { routeOf } from "../../../records/test-routes.ts";
import type { CopyDamage } from "./copy-damage.ts";
import { type CopyMessages, EVENT_COLUMNS, readOrNull, wrongChecksum } from "./copy-messages.ts";
import type { PlacedMessage } from "./copy-order.ts";

type NameRow = Pick<MessageRow, "id" | "account_id" | "key_id">;

interface AddressRow {
  seq: number;
  position: number;
  email: string;
}

interface PlaceRow {
  seq: number;
  position: number;
  timeMs: number;
}

const IDS = "SELECT seq, id FROM messages INDEXED BY sqlite_autoindex_messages_1";
const OWNERS = "SELECT seq, account_id, key_id FROM messages INDEXED BY messages_by_key";
const ADDRESSES = "SELECT seq, position, email FROM recipients INDEXED BY recipients_by_email";

const WAITING = "SELECT seq, position, due_ms AS timeMs FROM work INDEXED BY work_waiting WHERE mark IS NULL";
const MARKED = "SELECT seq, position, 0 AS timeMs FROM work INDEXED BY work_marked WHERE mark IS NOT NULL";
const UNKNOWN =
  "SELECT seq, position, 0 AS timeMs FROM unknown_recipients INDEXED BY unknown_recipients_account WHERE result IS NULL";

const EVENTS = `SELECT seq, ${EVENT_COLUMNS} FROM events NOT INDEXED ORDER BY number`;

/** Messages whose rows are held in memory. */
const CHUNK_MESSAGES = 10_000;

const NO_ROW = "the message's row cannot be read";

export class CopySalvage {
  readonly #db: Database;
  readonly #damage: CopyDamage;
  readonly #messages: CopyMessages;

  constructor(db: Database, parts: { damage: CopyDamage; messages: CopyMessages }) {
    this.#db = db;
    this.#damage = parts.damage;
    this.#messages = parts.messages;
  }

  /** Returns what can be read of each of these messages; nothing of those without an id. */
  *read(damaged: readonly PlacedMessage[]): Generator<CopiedMessage> {
    for (let from = 0; from < damaged.length; from += CHUNK_MESSAGES) {
      yield* this.#readChunk(damaged.slice(from, from + CHUNK_MESSAGES));
    }
  }

  /** Reads whole indexes, and keeps the rows of these messages. */
  *#readChunk(damaged: readonly PlacedMessage[]): Generator<CopiedMessage> {
    const seqs = new Set(damaged.map(({ seq }) => seq));
    const names = this.#names(seqs);
    const recipients = this.#recipients(seqs);
    const places = this.#places(seqs);
    const events = this.#events(damaged);
    for (const placed of damaged) {
      const { seq } = placed;
      const known = this.#messages.messageIfReadable(seq);
      const name = names.get(seq);
      if (known === null && name === undefined) {
        this.#damage.note("messages", { place: `the message in row ${seq}`, error: `${NO_ROW}, nor its id` });
        continue;
      }
      const message = known ?? withoutRow(name as NameRow, placed);
      const salvaged = {
        recipients: recipients.get(seq) ?? [],
        ...(places.get(seq) ?? { work: [], unknown: [] }),
        events: events.get(seq) ?? [],
      };
      yield this.#copied(seq, message, { hasRow: known !== null, salvaged });
    }
  }

  #copied(
    seq: number,
    message: MessageRow,
    { hasRow, salvaged }: { hasRow: boolean; salvaged: Pick<CopiedMessage, "recipients" | "events" | keyof Places> },
  ): CopiedMessage {
    const place = `the message ${message.id}`;
    const recipients = this.#messages.recipientsIfReadable(seq);
    const events = this.#messages.eventsIfReadable(seq) ?? salvaged.events;
    if (!hasRow) this.#damage.note("messages", { place, error: NO_ROW });
    if (recipients === null) {
      this.#damage.note("recipients", { place, error: "its recipients were read from an index" });
      for (const recipient of salvaged.recipients) {
        const route = { accountId: message.account_id, isTest: message.test === 1 };
        recipient.domain = routeOf(recipient.email, route) ?? "";
      }
    }
    const places = this.#messages.placesIfReadable(seq);
    if (places === null) {
      const error = "what waits and what is unknown was read from indexes, without attempts and marks";
      this.#damage.note("work", { place, error });
      this.#damage.note("unknown_recipients", { place, error });
      addNewest(salvaged, { message, events });
    }
    const damage = hasRow ? null : ({ part: "message", error: NO_ROW } as const);
    const { work, unknown } = places ?? salvaged;
    const readable = { message, recipients: recipients ?? salvaged.recipients, work, unknown, events, damage };
    const copied = this.#messages.withContent(seq, readable);
    if (!hasRow && copied.content !== null) copied.content.crc32 = wrongChecksum(copied.content.crc32);
    return copied;
  }

  /** The events of messages whose numbers are on a damaged page of the index, in the order of their numbers. */
  #events(damaged: readonly PlacedMessage[]): Map<number, EventRow[]> {
    const lost = damaged.filter(({ seq }) => this.#messages.eventsIfReadable(seq) === null);
    const events = new Map<number, EventRow[]>(lost.map(({ seq }) => [seq, []]));
    if (lost.length === 0) return events;
    const { rows, isComplete } = this.#rowsOf<EventRow & { seq: number }>(EVENTS, new Set(events.keys()));
    if (!isComplete) this.#damage.note("events", { place: "the table events", error: "it cannot be read in full" });
    for (const { seq, ...event } of rows) events.get(seq)?.push(event);
    return events;
  }

  #names(seqs: ReadonlySet<number>): Map<number, NameRow> {
    const names = new Map<number, NameRow>();
    const ids = this.#rowsOf<{ seq: number; id: string }>(IDS, seqs);
    for (const { seq, id } of ids.rows) names.set(seq, { id, account_id: "", key_id: "" });
    const owners = this.#rowsOf<Omit<NameRow, "id"> & { seq: number }>(OWNERS, seqs);
    for (const { seq, ...owner } of owners.rows) {
      const name = names.get(seq);
      if (name !== undefined) names.set(seq, { ...name, ...owner });
    }
    return names;
  }

  #recipients(seqs: ReadonlySet<number>): Map<number, RecipientRow[]> {
    const recipients = new Map<number, RecipientRow[]>();
    const { rows } = this.#rowsOf<AddressRow>(ADDRESSES, seqs);
    for (const { seq, position, email } of rows.sort((a, b) => a.position - b.position)) {
      const own = recipients.get(seq) ?? [];
      recipients.set(seq, own);
      own.push({ position, email, domain: "", field: null });
    }
    return recipients;
  }

  #places(seqs: ReadonlySet<number>): Map<number, Places> {
    const places = new Map<number, Places>([...seqs].map((seq) => [seq, { work: [], unknown: [] }]));
    const add = (sql: string, row: (places: Places, row: PlaceRow) => void): void => {
      for (const found of this.#rowsOf<PlaceRow>(sql, seqs).rows) row(places.get(found.seq) as Places, found);
    };
    add(WAITING, ({ work }, { position, timeMs }) => work.push({ position, due_ms: timeMs, attempts: 0, mark: null }));
    add(MARKED, ({ work }, { position }) => work.push({ position, due_ms: 0, attempts: 0, mark: "" }));
    add(UNKNOWN, ({ unknown }, { position }) =>
      unknown.push({ position, attempts: 0, at_ms: 0, result: null, reason: null, category: null, smtp: null }),
    );
    return places;
  }

  /** The rows of these messages, as far as they can be read. */
  #rowsOf<Found extends { seq: number }>(
    sql: string,
    seqs: ReadonlySet<number>,
  ): { rows: Found[]; isComplete: boolean } {
    const rows: Found[] = [];
    const end = readOrNull(() => {
      for (const row of this.#db.prepare<[], Found>(sql).iterate()) if (seqs.has(row.seq)) rows.push(row);
      return true;
    });
    return { rows, isComplete: end !== null };
  }
}

/** Adds what the newest events say of places that were read from indexes. */
function addNewest({ work, unknown }: Places, { message, events }: Pick<CopiedMessage, "message" | "events">): void {
  const newest = new Map(events.map((event) => [event.position, event]));
  for (const place of [...work, ...unknown]) place.attempts = newest.get(place.position)?.attempts ?? 0;
  for (const place of unknown) place.at_ms = newest.get(place.position)?.at_ms ?? message.created_at_ms;
}

/** A message with what indexes have of it. */
function withoutRow(name: NameRow, { createdAtMs }: PlacedMessage): MessageRow {
  const empty = MESSAGE_COLUMNS.map(([column, type]) => [column, type.endsWith("?") ? null : type === "text" ? "" : 0]);
  return {
    ...(Object.fromEntries(empty) as MessageRow),
    ...name,
    created_at_ms: createdAtMs,
    expires_at_ms: createdAtMs,
  };
}
