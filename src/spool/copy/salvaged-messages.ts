/**
 * Reads from the indexes what they have of messages whose rows, recipients or places cannot be read: ids, accounts, keys, addresses, and
 * pending and unknown recipients. A message without its row must not be sent, so its content gets a wrong checksum.
 */

import type { Database } from "better-sqlite3";
import { readable } from "../engine/sqlite/files/damage.ts";
import type { Row } from "../records/column-types.ts";
import { routeOf } from "../records/test-routes.ts";
import { type CopiedTable, MAIL_TABLES, type MailTable } from "./copied-tables.ts";
import type { CopyDamage } from "./copy-damage.ts";
import type { PlacedMessage } from "./message-order.ts";
import { type CopiedMessage, type MessageReader, type MessageRows, wrongChecksum } from "./message-rows.ts";

/** What of each table's rows is elsewhere. Of a message, the rows complete one another. */
const COPIES: readonly [table: MailTable, sql: string][] = [
  ["messages", "SELECT seq, id FROM messages INDEXED BY sqlite_autoindex_messages_1"],
  ["messages", "SELECT seq, account_id, key_id FROM messages INDEXED BY messages_by_key"],
  ["recipients", "SELECT seq, position, email FROM recipients INDEXED BY recipients_by_email"],
  ["work", "SELECT seq, position, due_ms FROM work INDEXED BY work_waiting WHERE mark IS NULL"],
  ["work", "SELECT seq, position, '' AS mark FROM work INDEXED BY work_marked WHERE mark IS NOT NULL"],
  [
    "unknown_recipients",
    "SELECT seq, position FROM unknown_recipients INDEXED BY unknown_recipients_account WHERE result IS NULL",
  ],
];

const EVENTS = "SELECT * FROM events NOT INDEXED ORDER BY number";

/** Messages whose rows are held in memory. */
const CHUNK_MESSAGES = 10_000;

const NO_ROW = "the message's row cannot be read";

export class SalvagedMessages {
  readonly #db: Database;
  readonly #damage: CopyDamage;
  readonly #tables: ReadonlyMap<string, CopiedTable>;
  readonly #reader: MessageReader;

  constructor(
    db: Database,
    parts: { tables: ReadonlyMap<string, CopiedTable>; damage: CopyDamage; reader: MessageReader },
  ) {
    this.#db = db;
    this.#damage = parts.damage;
    this.#tables = parts.tables;
    this.#reader = parts.reader;
  }

  /** Returns what can be read of each of these messages; nothing of those without an id. */
  *read(damaged: readonly PlacedMessage[]): Generator<CopiedMessage> {
    for (let from = 0; from < damaged.length; from += CHUNK_MESSAGES) {
      yield* this.#readChunk(damaged.slice(from, from + CHUNK_MESSAGES));
    }
  }

  /** Reads whole indexes, and keeps the rows of these messages. */
  *#readChunk(damaged: readonly PlacedMessage[]): Generator<CopiedMessage> {
    const salvaged = new Map(damaged.map(({ seq }) => [seq, noRows()]));
    for (const [table, sql] of COPIES) this.#addRows(salvaged, table, sql);
    this.#addEvents(salvaged);
    for (const placed of damaged) {
      const copied = this.#complete(placed, salvaged.get(placed.seq) as MessageRows);
      if (copied !== null) yield copied;
    }
  }

  /** Returns null without the id of the message. */
  #complete({ seq, createdAtMs }: PlacedMessage, salvaged: MessageRows): CopiedMessage | null {
    const rows = noRows();
    const lost = new Set<MailTable>();
    for (const table of MAIL_TABLES) {
      const read = this.#reader.rowsOf(table, seq);
      if (read === null) lost.add(table);
      rows[table] = read ?? salvaged[table].map((row) => this.#withDefaults(table, row));
    }
    const hasRow = !lost.has("messages");
    if (!hasRow) rows.messages = mergedMessage(rows.messages, createdAtMs);
    const [message] = rows.messages;
    if (message === undefined) {
      this.#damage.note("messages", { place: `the message in row ${seq}`, error: `${NO_ROW}, nor its id` });
      return null;
    }
    this.#noteLost(lost, `the message ${message.id}`);
    const route = { accountId: message.account_id as string, isTest: message.test === 1 };
    if (lost.has("recipients")) {
      rows.recipients = rows.recipients.map((row) => ({ ...row, domain: routeOf(row.email, route) ?? "" }));
    }
    if (lost.has("work")) rows.work = withNewest(rows.work, rows.events, message);
    if (lost.has("unknown_recipients")) {
      rows.unknown_recipients = withNewest(rows.unknown_recipients, rows.events, message);
    }
    const copied = this.#reader.withContent(seq, rows, hasRow ? null : { part: "message", error: NO_ROW });
    if (!hasRow && copied.content !== null) copied.content.crc32 = wrongChecksum(copied.content.crc32);
    return copied;
  }

  #noteLost(lost: ReadonlySet<MailTable>, place: string): void {
    if (lost.has("messages")) this.#damage.note("messages", { place, error: NO_ROW });
    if (lost.has("recipients")) {
      this.#damage.note("recipients", { place, error: "its recipients were read from an index" });
    }
    for (const table of ["work", "unknown_recipients"] as const) {
      const error = "what waits and what is unknown was read from indexes, without attempts and marks";
      if (lost.has(table)) this.#damage.note(table, { place, error });
    }
  }

  #addRows(salvaged: ReadonlyMap<number, MessageRows>, table: MailTable, sql: string): void {
    readable(() => {
      for (const row of this.#db.prepare<[], Row>(sql).iterate()) salvaged.get(row.seq as number)?.[table].push(row);
    });
  }

  /** The events of messages whose numbers are on a damaged page of the index, in the order of their numbers. */
  #addEvents(salvaged: ReadonlyMap<number, MessageRows>): void {
    const lost = new Map([...salvaged].filter(([seq]) => this.#reader.rowsOf("events", seq) === null));
    if (lost.size === 0) return;
    this.#damage.unlessDamaged(
      () => {
        for (const row of this.#db.prepare<[], Row>(EVENTS).iterate()) lost.get(row.seq as number)?.events.push(row);
      },
      undefined,
      { table: "events", place: "the table events" },
    );
  }

  /** Of a row of which an index has some columns. */
  #withDefaults(table: MailTable, row: Row): Row {
    const columns = Object.entries(this.#tables.get(table)?.columns ?? {});
    const empty = columns.map(([name, type]) => [name, type.endsWith("?") ? null : type === "text" ? "" : 0]);
    return { ...Object.fromEntries(empty), ...row };
  }
}

const noRows = (): MessageRows => ({ messages: [], recipients: [], work: [], unknown_recipients: [], events: [] });

/** A message with what indexes have of it, of which each has other columns; without rows if none has its id. */
function mergedMessage(rows: readonly Row[], createdAtMs: number): Row[] {
  const known = rows.flatMap((row) => Object.entries(row).filter(([, value]) => value));
  const merged: Row = { ...rows[0], ...Object.fromEntries(known) };
  return merged.id ? [{ ...merged, created_at_ms: createdAtMs, expires_at_ms: createdAtMs }] : [];
}

/** Places that were read from indexes, with what the newest events say of them. */
function withNewest(places: readonly Row[], events: readonly Row[], message: Row): Row[] {
  const newest = new Map(events.map((event) => [event.position, event]));
  return places.map((place) => {
    const { attempts = 0, at_ms = message.created_at_ms } = newest.get(place.position) ?? {};
    return { ...place, attempts: attempts ?? 0, at_ms };
  });
}
