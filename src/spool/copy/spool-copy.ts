/**
 * Copies the spool in SQLite files into a PostgreSQL database, table by table, and the messages in the order of their times, which their new
 * numbers have. The files are not changed. At the end the counts of both sides are compared.
 */

import { performance } from "node:perf_hooks";
import { type Filling, fillDatabase } from "../engine/postgres/copy/copy-target.ts";
import { CopyWriter } from "../engine/postgres/copy/copy-writer.ts";
import { MASTER_KEY_ENTRY } from "../engine/sqlite/files/backup.ts";
import { readable } from "../engine/sqlite/files/damage.ts";
import { GREATEST_NUMBER } from "../engine/sqlite/mail/event-writer.ts";
import { PAUSE_ENTRY, UNREADABLE_PAUSE } from "../port/delivery-pause.ts";
import { NODE_ENTRIES } from "../port/key-value.ts";
import type { CopiedCount, CopyReport } from "../port/spool-copy.ts";
import type { Row } from "../records/column-types.ts";
import { compareCounts } from "./copied-counts.ts";
import { type CopiedTable, copiedTables, OF_MESSAGES, TRANSLATED } from "./copied-tables.ts";
import { CopyDamage } from "./copy-damage.ts";
import { MessageCopier } from "./message-copier.ts";
import { NewNumbers, type NumberedRows, TranslatedNumbers } from "./message-numbers.ts";
import { messagesInOrder, type PlacedMessage } from "./message-order.ts";
import { type CopiedMessage, MessageReader } from "./message-rows.ts";
import { SalvagedMessages } from "./salvaged-messages.ts";
import { SourceFiles } from "./source-files.ts";
import { tableRows } from "./table-rows.ts";

export interface SpoolCopyOptions {
  dataDir: string;
  /** The database, as DATABASE_URL. */
  url: string;
  nowMs: number;
  /** Of the master key; null if there is none yet. */
  fingerprint: string | null;
  /** The node to which entries of the key-value store belong that each node has for itself. */
  nodeName: string;
}

/** A copy of these tables without all rows would not be usable: other rows refer to them. */
const REQUIRED = ["accounts", "users", "domains", "endpoints"];

/** Rejects with one line if the copy cannot be made; then the database is marked as unfinished, or unchanged. */
export async function copySpool(options: SpoolCopyOptions): Promise<CopyReport> {
  const startedMs = performance.now();
  const files = new SourceFiles(options.dataDir);
  try {
    const copy = new SpoolCopy(files, options);
    const isComplete = await fillDatabase(options, (filling) => copy.fill(filling));
    return { ...copy.report(), isComplete, durationMs: Math.round(performance.now() - startedMs) };
  } finally {
    files.close();
  }
}

interface Target {
  writer: CopyWriter;
  tables: ReadonlyMap<string, CopiedTable>;
  /** The tables that are copied row by row. */
  whole: readonly CopiedTable[];
  makeDay: Filling["makeDay"];
}

class SpoolCopy {
  readonly #files: SourceFiles;
  readonly #options: SpoolCopyOptions;
  readonly #damage = new CopyDamage();
  readonly #numbers = new NewNumbers();
  /** Messages that are not in quarantine in the files, and must be. */
  readonly #found: Row[] = [];
  /** Entries of the key-value store that the files do not have. */
  readonly #addedEntries: Row[] = [];
  #quarantined = 0;
  #greatestEvent = 0;
  #counts: CopiedCount[] = [];

  constructor(files: SourceFiles, options: SpoolCopyOptions) {
    this.#files = files;
    this.#options = options;
  }

  /** Returns whether the counts of both sides agree. */
  async fill({ client, session, makeDay, finish }: Filling): Promise<boolean> {
    const { db } = this.#files;
    const tables = await copiedTables(session, db);
    // A table that only the target has has no key in the source.
    const whole = [...tables.values()].filter(({ name, key }) => key.length > 0 && !OF_MESSAGES.includes(name));
    const target = { writer: new CopyWriter(client), tables, whole, makeDay };
    this.#greatestEvent = this.#greatestEventNumber();
    try {
      await this.#copyAll(target);
      await target.writer.settled();
    } finally {
      await target.writer.idle();
    }
    await finish({ greatestEvent: this.#greatestEvent });
    const added = { quarantined: this.#found.length, key_values: this.#addedEntries.length };
    const counted = whole.filter(({ name }) => name !== "key_values");
    this.#counts = await compareCounts({ db, session, damage: this.#damage, tables: counted, added });
    if (this.#files.hasChanged()) {
      throw new Error("a command has changed the spool during the copy: run spool copy again");
    }
    return !this.#counts.some(({ differs }) => differs);
  }

  report(): Omit<CopyReport, "isComplete" | "durationMs"> {
    const { places: unreadable, count: unreadableCount } = this.#damage;
    return { counts: this.#counts, unreadable, unreadableCount, quarantined: this.#quarantined };
  }

  async #copyAll(target: Target): Promise<void> {
    const numbered = Object.fromEntries(TRANSLATED.map((name) => [name, this.#rows(target, name)])) as NumberedRows;
    const translated = new TranslatedNumbers(numbered);
    for (const { name } of target.whole) {
      if (!(name in numbered)) await this.#copyTable(target, name, this.#rows(target, name));
    }
    await this.#copyMessages(target, translated);
    await this.#copyTranslated(target, translated);
  }

  /** All rows at once, for tables that are small or are translated; others are iterated over. */
  #rows({ tables }: Target, name: string): Row[] | Iterable<Row> {
    const rows = tableRows(this.#files.db, tables.get(name) as CopiedTable, this.#damage);
    return (TRANSLATED as readonly string[]).includes(name) ? [...rows] : rows;
  }

  async #copyTable({ writer, tables }: Target, name: string, rows: Iterable<Row>): Promise<void> {
    const { columns } = tables.get(name) as CopiedTable;
    for (const row of rows) {
      writer.add(name, columns, row);
      if (writer.isFull) await writer.write();
    }
    if (REQUIRED.includes(name) && this.#damage.concerns(name)) {
      throw new Error(`the table ${name} of the spool is damaged: restore a backup, and copy that`);
    }
  }

  /** Of any account. If it cannot be read, it is less than the microseconds since the epoch (see event-writer.ts of SQLite). */
  #greatestEventNumber(): number {
    const sql = `SELECT max((${GREATEST_NUMBER}),
                            (SELECT coalesce(max(position), 0) FROM endpoints),
                            (SELECT coalesce(max(last_number), 0) FROM endpoint_retries),
                            (SELECT coalesce(max(event_number), 0) FROM endpoint_attempts))`;
    const read = () => this.#files.db.prepare<[], number>(sql).pluck().get();
    return readable(read) ?? this.#options.nowMs * 1000;
  }

  async #copyMessages({ writer, tables, makeDay }: Target, translated: TranslatedNumbers): Promise<void> {
    const newEventNumber = (): number => {
      this.#greatestEvent += 1;
      return this.#greatestEvent;
    };
    const copier = new MessageCopier({ writer, tables, newEventNumber, makeDay });
    const { db } = this.#files;
    for (const event of this.#domainEvents()) {
      await copier.addDomainEvent(event, this.#numbers.reserve(event.at_ms as number));
    }
    const reader = new MessageReader(db, { tables, damage: this.#damage });
    const damaged: PlacedMessage[] = [];
    const newNumbers = new Map<number, number>();
    const copy = (message: CopiedMessage, number: number) => this.#copyMessage(copier, message, { number, translated });
    for (const placed of messagesInOrder(db, this.#damage)) {
      const number = this.#numbers.next(placed.createdAtMs);
      translated.add(placed.seq, number);
      const message = reader.read(placed.seq);
      if (message !== null) {
        await copy(message, number);
        continue;
      }
      damaged.push(placed);
      newNumbers.set(placed.seq, number);
    }
    const salvaged = new SalvagedMessages(db, { tables, damage: this.#damage, reader });
    for (const message of salvaged.read(damaged)) await copy(message, newNumbers.get(message.seq) as number);
  }

  #domainEvents(): Row[] {
    const read = (seq: string) => () =>
      this.#files.db.prepare<[], Row>(`SELECT * FROM events WHERE ${seq} = 0 ORDER BY account_id, number`).all();
    const place = { table: "events", place: "the events of domains" };
    // With `+`, SQLite reads the table, and no index.
    return readable(read("seq")) ?? this.#damage.unlessDamaged(read("+seq"), [], place);
  }

  async #copyMessage(
    copier: MessageCopier,
    copied: CopiedMessage,
    { number, translated }: { number: number; translated: TranslatedNumbers },
  ): Promise<void> {
    await copier.add(copied, number);
    const { message, damage } = copied;
    if (damage === null || translated.isQuarantined(copied.seq)) return;
    const { id: message_id, account_id } = message;
    this.#found.push({ seq: number, message_id, account_id, found_at_ms: this.#options.nowMs, ...damage });
  }

  /** Writes the rows that refer to messages by their numbers. */
  async #copyTranslated(target: Target, translated: TranslatedNumbers): Promise<void> {
    const { nodeName, nowMs } = this.#options;
    const entries = translated.rowsOf("key_values");
    const isOfNode = ({ name }: Row): boolean => (Object.values(NODE_ENTRIES) as unknown[]).includes(name);
    // The key is in CERTS_DIR.
    const shared = entries.filter((row) => row.name !== MASTER_KEY_ENTRY && !isOfNode(row));
    if (this.#mayLackPause(shared)) this.#addedEntries.push({ name: PAUSE_ENTRY, text: UNREADABLE_PAUSE });
    const ofNode = entries.filter(isOfNode).map((row) => ({ ...row, node: nodeName, written_at: nowMs }));
    const quarantined = [...translated.rowsOf("quarantined"), ...this.#found];
    this.#quarantined = quarantined.length;
    await this.#copyTable(target, "endpoint_retries", translated.rowsOf("endpoint_retries"));
    await this.#copyTable(target, "quarantined", quarantined);
    await this.#copyTable(target, "feedback", translated.rowsOf("feedback"));
    await this.#copyTable(target, "key_values", [...shared, ...this.#addedEntries]);
    await this.#copyTable(target, "node_values", ofNode);
  }

  /** Whether it cannot be read if delivery is paused, or which messages an operator could not hold. */
  #mayLackPause(entries: readonly Row[]): boolean {
    const isUncertain = this.#damage.concerns("key_values") || this.#damage.concerns("quarantined");
    return isUncertain && !entries.some(({ name }) => name === PAUSE_ENTRY);
  }
}
