/**
 * Reads one message after the other with everything that belongs to it, for a copy of the spool. A message of which a row cannot be read is
 * left to salvaged-messages.ts. Damage of its content or of an event is noted, and the rest of the message is read.
 */
import type { Database } from "better-sqlite3";
import { isDamage, RowDamaged, readable } from "../engine/sqlite/files/damage.ts";
import { PARTS_SPAN } from "../engine/sqlite/mail/content-parts.ts";
import type { QuarantinedMessage } from "../port/quarantine.ts";
import type { Row } from "../records/column-types.ts";
import { contentChecksum } from "../records/content-checksum.ts";
import { type CopiedTable, fitsColumns, MAIL_TABLES, type MailTable } from "./copied-tables.ts";
import type { CopyDamage } from "./copy-damage.ts";

/** The first part of a content, with its checksum, its body hash and the number of later parts. */
interface ContentRow {
  first: Buffer;
  crc32: number;
  bodyHash: string | null;
  /** Null for none. */
  laterParts: number | null;
}

interface PartRow {
  part: number;
  content: Buffer;
  crc32: number;
}

/** The rows of a message in each table, with the columns that SQLite has. */
export type MessageRows = Record<MailTable, Row[]>;

export interface CopiedMessage {
  /** Its number in SQLite. */
  seq: number;
  message: Row;
  /** Those of the events in the order of their numbers. */
  rows: MessageRows;
  /** Null if it was deleted, or cannot be read. */
  content: ContentRow | null;
  /** The later parts of the content, read one at a time. */
  parts: Iterable<PartRow>;
  /** Why it must not be sent; null unless something of it was found damaged. */
  damage: Pick<QuarantinedMessage, "part" | "error"> | null;
}

interface StoredContent extends Omit<ContentRow, "first" | "crc32"> {
  first: unknown;
  crc32: number | null;
  tail: number | null;
}

const ORDERS: Record<MailTable, string> = {
  messages: "seq",
  recipients: "position",
  work: "position",
  unknown_recipients: "position",
  events: "number",
};

export class MessageReader {
  readonly #tables: ReadonlyMap<string, CopiedTable>;
  readonly #damage: CopyDamage;
  readonly #statements;

  constructor(db: Database, { tables, damage }: { tables: ReadonlyMap<string, CopiedTable>; damage: CopyDamage }) {
    this.#tables = tables;
    this.#damage = damage;
    this.#statements = prepareStatements(db);
  }

  /** Returns null if a row of the message cannot be read, except for those of events. */
  read(seq: number): CopiedMessage | null {
    const rows: Partial<MessageRows> = {};
    for (const table of MAIL_TABLES) {
      const read = this.rowsOf(table, seq);
      if (read === null) return null;
      rows[table] = read;
    }
    return this.withContent(seq, rows as MessageRows, null);
  }

  /** The rows of a message in a table; null if they cannot be read, or are missing. Of events, those that can be read. */
  rowsOf(table: MailTable, seq: number): Row[] | null {
    const rows = readable(() => this.#statements.rows[table].all(seq));
    if (rows?.every((row) => this.#fits(table, row))) {
      const isRequired = table === "messages" || table === "recipients";
      return isRequired && rows.length === 0 ? null : rows;
    }
    return table === "events" ? this.#readableEvents(seq) : null;
  }

  #fits(table: MailTable, row: Row): boolean {
    return fitsColumns(row, this.#tables.get(table)?.columns ?? {});
  }

  /** Each by its number; null if the index of their numbers cannot be read. */
  #readableEvents(seq: number): Row[] | null {
    const numbers = readable(() => this.#statements.eventNumbers.all(seq));
    return numbers?.flatMap((number) => this.#event(seq, number)) ?? null;
  }

  #event(seq: number, number: number): Row[] {
    const read = (): Row[] => {
      const event = this.#statements.event.get(number, seq);
      if (event === undefined || !this.#fits("events", event)) throw new RowDamaged("the event cannot be decoded");
      return [event];
    };
    return this.#damage.unlessDamaged(read, [], { table: "events", place: `the event ${number}` });
  }

  /** Reads the content of a message. */
  withContent(seq: number, rows: MessageRows, damage: CopiedMessage["damage"]): CopiedMessage {
    const [message = {}] = rows.messages;
    const copied: CopiedMessage = { seq, message, rows, content: null, parts: [], damage };
    try {
      this.#addContent(copied);
    } catch (error) {
      if (!isDamage(error)) throw error;
      this.#contentDamaged(copied, error as Error);
    }
    return copied;
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
}

/** A checksum that the content does not have. */
export const wrongChecksum = (checksum: number): number => (checksum ^ 0xffff_ffff) >>> 0;

function prepareStatements(db: Database) {
  const rowsOf = (table: MailTable) =>
    [table, db.prepare<[number], Row>(`SELECT * FROM ${table} WHERE seq = ? ORDER BY ${ORDERS[table]}`)] as const;
  return {
    rows: Object.fromEntries(MAIL_TABLES.map(rowsOf)) as Record<MailTable, ReturnType<typeof rowsOf>[1]>,
    eventNumbers: db
      .prepare<[number], number>("SELECT number FROM events INDEXED BY events_message WHERE seq = ? ORDER BY number")
      .pluck(),
    event: db.prepare<[number, number], Row>("SELECT * FROM events WHERE number = ? AND +seq = ?"),
    content: db.prepare<[number], StoredContent>(
      `SELECT content AS first, crc32, body_hash AS bodyHash, tail, later_parts AS laterParts FROM contents WHERE seq = ?`,
    ),
    part: db.prepare<[number], { content: unknown; crc32: number }>(
      "SELECT content, crc32 FROM content_parts WHERE number = ?",
    ),
  };
}
