/**
 * Reads one message after the other with everything that belongs to it, for a copy of the spool. A message whose row or recipients
 * cannot be read is left to copy-salvage.ts. Damage of anything else is noted, and the rest of the message is read.
 */
import type { Database } from "better-sqlite3";
import { contentChecksum } from "../../../records/content-checksum.ts";
import {
  type ContentRow,
  type CopiedMessage,
  EVENT_NAMES,
  EVENT_TYPES,
  type EventRow,
  type PartRow,
  type Places,
  type RecipientRow,
  type UnknownRow,
  type WorkRow,
} from "../../../records/copied-message.ts";
import { type ColumnType, fitsColumn } from "../../../records/copied-tables.ts";
import { MESSAGE_COLUMN_NAMES, MESSAGE_TYPES, type MessageRow } from "../../../records/message-columns.ts";
import { isDamage, RowDamaged } from "../files/damage.ts";
import { PARTS_SPAN } from "../mail/content-parts.ts";
import type { CopyDamage } from "./copy-damage.ts";

interface StoredContent extends Omit<ContentRow, "first" | "crc32"> {
  first: unknown;
  crc32: number | null;
  tail: number | null;
}

const RECIPIENT_TYPES: Record<keyof RecipientRow, ColumnType> = {
  position: "int",
  email: "text",
  domain: "text",
  field: "text?",
};

const WORK_TYPES: Record<keyof WorkRow, ColumnType> = {
  position: "int",
  due_ms: "bigint",
  attempts: "int",
  mark: "text?",
};

const UNKNOWN_TYPES: Record<keyof UnknownRow, ColumnType> = {
  position: "int",
  attempts: "int",
  at_ms: "bigint",
  result: "text?",
  reason: "text?",
  category: "text?",
  smtp: "text?",
};

const fits = (row: object, types: Record<string, ColumnType>): boolean =>
  Object.entries(types).every(([name, type]) => fitsColumn((row as Record<string, unknown>)[name], type));

const isEvent = (row: EventRow): boolean => fits(row, EVENT_TYPES);

export class CopyMessages {
  readonly #damage: CopyDamage;
  readonly #statements;

  constructor(db: Database, damage: CopyDamage) {
    this.#damage = damage;
    this.#statements = { ...prepareMessage(db), ...prepareEvents(db) };
  }

  /** Returns null if the message's row, its recipients or their places cannot be read, or its events cannot be found. */
  read(seq: number): CopiedMessage | null {
    const message = this.messageIfReadable(seq);
    const recipients = this.recipientsIfReadable(seq);
    const places = this.placesIfReadable(seq);
    const events = this.eventsIfReadable(seq);
    if (message === null || recipients === null || places === null || events === null) return null;
    return this.withContent(seq, { message, recipients, ...places, events, damage: null });
  }

  /** Reads what else belongs to a message. */
  withContent(seq: number, read: Omit<CopiedMessage, "seq" | "content" | "parts">): CopiedMessage {
    const copied: CopiedMessage = { seq, ...read, content: null, parts: [] };
    try {
      this.#addContent(copied);
    } catch (error) {
      if (!isDamage(error)) throw error;
      this.#contentDamaged(copied, error as Error);
    }
    return copied;
  }

  recipientsIfReadable(seq: number): RecipientRow[] | null {
    return readOrNull(() => this.#recipients(seq));
  }

  placesIfReadable(seq: number): Places | null {
    return readOrNull(() => this.#places(seq));
  }

  messageIfReadable(seq: number): MessageRow | null {
    return readOrNull(() => this.#message(seq));
  }

  #message(seq: number): MessageRow {
    const row = this.#statements.message.get(seq);
    if (row === undefined || !fits(row, MESSAGE_TYPES)) throw new RowDamaged("the message cannot be decoded");
    return row;
  }

  #recipients(seq: number): RecipientRow[] {
    const rows = this.#statements.recipients.all(seq);
    const isSound = rows.length > 0 && rows.every((row) => fits(row, RECIPIENT_TYPES));
    if (!isSound) throw new RowDamaged("the recipients cannot be decoded");
    return rows;
  }

  #places(seq: number): Places {
    const work = this.#statements.work.all(seq);
    const unknown = this.#statements.unknown.all(seq);
    const isSound = work.every((row) => fits(row, WORK_TYPES)) && unknown.every((row) => fits(row, UNKNOWN_TYPES));
    if (!isSound) throw new RowDamaged("the places of the recipients cannot be decoded");
    return { work, unknown };
  }

  #addContent(copied: CopiedMessage): void {
    const row = this.#statements.content.get(copied.seq);
    if (row === undefined) return;
    const { first, crc32: stored, tail, ...beside } = row;
    if (!Buffer.isBuffer(first)) throw new RowDamaged("the content cannot be decoded");
    copied.content = { first, crc32: stored ?? this.#newChecksum(copied, first, beside), ...beside };
    if (tail !== null && beside.laterParts !== null) {
      copied.parts = this.#parts(copied, tail, beside.laterParts);
    }
  }

  /** A content of before checksums has only a length. One that has changed must not pass for sound. */
  #newChecksum(copied: CopiedMessage, first: Buffer, beside: Omit<ContentRow, "first" | "crc32">): number {
    const checksum = contentChecksum(first, beside);
    const { size_bytes: sizeBytes } = copied.message;
    if (beside.laterParts !== null || first.length === sizeBytes) return checksum;
    this.#contentDamaged(copied, new RowDamaged(`the content is not ${sizeBytes} bytes long`));
    return wrongChecksum(checksum);
  }

  *#parts(copied: CopiedMessage, tail: number, laterParts: number): Generator<PartRow> {
    for (let part = 1; part <= laterParts; part += 1) {
      try {
        const row = this.#statements.part.get(tail * PARTS_SPAN + part);
        if (!Buffer.isBuffer(row?.content)) throw new RowDamaged(`part ${part} of the content is missing`);
        yield { part, content: row.content, crc32: row.crc32 };
      } catch (error) {
        if (!isDamage(error)) throw error;
        this.#contentDamaged(copied, error as Error);
      }
    }
  }

  #contentDamaged(copied: CopiedMessage, { message: error }: Error): void {
    if (copied.damage?.part === "content") return;
    this.#damage.note("contents", { place: `the content of the message ${copied.message.id}`, error });
    copied.damage ??= { part: "content", error };
  }

  /** The events that can be read, each by its number if need be; null if the index of their numbers cannot be read. */
  eventsIfReadable(seq: number): EventRow[] | null {
    const all = readOrNull(() => this.#statements.events.all(seq));
    if (all?.every(isEvent)) return all;
    const numbers = readOrNull(() => this.#statements.eventNumbers.all(seq));
    return numbers?.flatMap((number) => this.#event(seq, number)) ?? null;
  }

  #event(seq: number, number: number): EventRow[] {
    const read = (): EventRow => {
      const event = this.#statements.event.get(number, seq);
      if (event === undefined || !isEvent(event)) throw new RowDamaged("the event cannot be decoded");
      return event;
    };
    const event = this.#damage.unlessDamaged(read, null, { table: "events", place: `the event ${number}` });
    return event === null ? [] : [event];
  }
}

/** A checksum that the content does not have. */
export const wrongChecksum = (checksum: number): number => (checksum ^ 0xffff_ffff) >>> 0;

/** Returns null if `read` throws damage. */
export function readOrNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (isDamage(error)) return null;
    throw error;
  }
}

function prepareMessage(db: Database) {
  return {
    message: db.prepare<[number], MessageRow>(`SELECT ${MESSAGE_COLUMN_NAMES} FROM messages WHERE seq = ?`),
    recipients: db.prepare<[number], RecipientRow>(
      "SELECT position, email, domain, field FROM recipients WHERE seq = ? ORDER BY position",
    ),
    work: db.prepare<[number], WorkRow>("SELECT position, due_ms, attempts, mark FROM work WHERE seq = ?"),
    unknown: db.prepare<[number], UnknownRow>(
      "SELECT position, attempts, at_ms, result, reason, category, smtp FROM unknown_recipients WHERE seq = ?",
    ),
    content: db.prepare<[number], StoredContent>(
      `SELECT content AS first, crc32, body_hash AS bodyHash, tail, later_parts AS laterParts FROM contents WHERE seq = ?`,
    ),
    part: db.prepare<[number], { content: unknown; crc32: number }>(
      "SELECT content, crc32 FROM content_parts WHERE number = ?",
    ),
  };
}

export const EVENT_COLUMNS = EVENT_NAMES.join(", ");

function prepareEvents(db: Database) {
  return {
    events: db.prepare<[number], EventRow>(`SELECT ${EVENT_COLUMNS} FROM events WHERE seq = ? ORDER BY number`),
    eventNumbers: db
      .prepare<[number], number>("SELECT number FROM events INDEXED BY events_message WHERE seq = ? ORDER BY number")
      .pluck(),
    event: db.prepare<[number, number], EventRow>(`SELECT ${EVENT_COLUMNS} FROM events WHERE number = ? AND +seq = ?`),
  };
}
