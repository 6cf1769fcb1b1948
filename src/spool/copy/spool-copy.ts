/**
 * Copies the spool in SQLite files into a PostgreSQL database: in which order the parts of both forms of the spool are copied,
 * how numbers of messages are translated, and whether the counts of both sides agree. The files are not changed.
 *
 * Each form numbers messages in its own way. The few other rows that refer to a message by its number are read first, and are
 * written once its new number is known.
 */
import { performance } from "node:perf_hooks";
import { countCopied } from "../engine/postgres/copy/copy-counts.ts";
import { CopiedNumbers, MessageCopier } from "../engine/postgres/copy/copy-messages.ts";
import { type Filling, fillDatabase } from "../engine/postgres/copy/copy-target.ts";
import { CopyWriter } from "../engine/postgres/copy/copy-writer.ts";
import { countSource, noteOrphans } from "../engine/sqlite/copy/copy-counts.ts";
import type { PlacedMessage } from "../engine/sqlite/copy/copy-order.ts";
import { CopySource } from "../engine/sqlite/copy/copy-source.ts";
import { MASTER_KEY_ENTRY } from "../engine/sqlite/files/backup.ts";
import { PAUSE_ENTRY, UNREADABLE_PAUSE } from "../port/delivery-pause.ts";
import { NODE_ENTRIES } from "../port/key-value.ts";
import type { CopiedCount, CopyReport } from "../port/spool-copy.ts";
import type { CopiedMessage } from "../records/copied-message.ts";
import {
  COPIED_TABLES,
  type CopiedTable,
  ENDPOINT_RETRIES,
  FEEDBACK,
  KEY_VALUES,
  NODE_VALUES,
  QUARANTINED,
  type Row,
} from "../records/copied-tables.ts";
import { compareCounts } from "./compared-counts.ts";
import { TranslatedNumbers } from "./translated-numbers.ts";

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
  const source = new CopySource(options.dataDir);
  try {
    const copy = new SpoolCopy(source, options);
    const isComplete = await fillDatabase(options, (filling) => copy.fill(filling));
    return { ...copy.report(), isComplete, durationMs: Math.round(performance.now() - startedMs) };
  } finally {
    source.close();
  }
}

class SpoolCopy {
  readonly #source: CopySource;
  readonly #options: SpoolCopyOptions;
  readonly #numbers = new CopiedNumbers();
  readonly #translated: TranslatedNumbers;
  /** Messages that are not in quarantine in the files, and must be. */
  readonly #found: Row[] = [];
  /** Entries of the key-value store that the files do not have. */
  readonly #addedEntries: Row[] = [];
  #counts: CopiedCount[] = [];

  constructor(source: CopySource, options: SpoolCopyOptions) {
    this.#source = source;
    this.#options = options;
    this.#translated = new TranslatedNumbers({
      retries: [...source.rows(ENDPOINT_RETRIES)],
      quarantined: [...source.rows(QUARANTINED)],
      feedback: [...source.rows(FEEDBACK)],
      entries: [...source.rows(KEY_VALUES)],
    });
  }

  /** Returns whether the counts of both sides agree. */
  async fill({ client, session, makeDay, finish }: Filling): Promise<boolean> {
    const writer = new CopyWriter(client);
    let greatestEvent = this.#greatestEventNumber();
    try {
      for (const table of COPIED_TABLES) await this.#copyTable(writer, table);
      const newEventNumber = (): number => {
        greatestEvent += 1;
        return greatestEvent;
      };
      await this.#copyMessages(new MessageCopier({ writer, newEventNumber, makeDay }));
      await this.#copyTranslated(writer);
      await writer.settled();
    } finally {
      await writer.idle();
    }
    await finish({ greatestEvent });
    const target = await countCopied(session);
    this.#counts = this.#compare(target);
    if (this.#counts.some(({ differs }) => differs)) {
      noteOrphans(this.#source.db, this.#source.damage);
      this.#counts = this.#compare(target);
    }
    if (this.#source.hasChanged()) {
      throw new Error("a command has changed the spool during the copy: run spool copy again");
    }
    return !this.#counts.some(({ differs }) => differs);
  }

  report(): Omit<CopyReport, "isComplete" | "durationMs"> {
    const { damage } = this.#source;
    const quarantined = this.#translated.quarantined.length + this.#found.length;
    return {
      counts: this.#counts,
      unreadable: damage.places,
      unreadableCount: damage.count,
      quarantined,
    };
  }

  async #copyTable(writer: CopyWriter, table: CopiedTable, rows = this.#source.rows(table)): Promise<void> {
    for (const row of rows) {
      writer.add(table.name, table.columns, row);
      if (writer.isFull) await writer.write();
    }
    if (REQUIRED.includes(table.name) && this.#source.damage.concerns(table.source)) {
      throw new Error(`the table ${table.source} of the spool is damaged: restore a backup, and copy that`);
    }
  }

  /** If it cannot be read, it is less than the microseconds since the epoch (see event-writer.ts of SQLite). */
  #greatestEventNumber(): number {
    return this.#source.greatestEventNumber() ?? this.#options.nowMs * 1000;
  }

  async #copyMessages(copier: MessageCopier): Promise<void> {
    const domainEvents = this.#source.domainEvents();
    for (const event of domainEvents) await copier.addDomainEvent(event, this.#numbers.reserve(event.at_ms));
    const damaged: PlacedMessage[] = [];
    const newNumbers = new Map<number, number>();
    for (const placed of this.#source.messagesInOrder()) {
      const number = this.#numbers.next(placed.createdAtMs);
      this.#translated.add(placed.seq, number);
      const message = this.#source.message(placed);
      if (message !== null) {
        await this.#copyMessage(copier, message, number);
        continue;
      }
      damaged.push(placed);
      newNumbers.set(placed.seq, number);
    }
    if (damaged.length === 0) return;
    for (const message of this.#source.salvage(damaged)) {
      await this.#copyMessage(copier, message, newNumbers.get(message.seq) as number);
    }
  }

  async #copyMessage(copier: MessageCopier, copied: CopiedMessage, number: number): Promise<void> {
    await copier.add(copied, number);
    const { message, damage } = copied;
    if (damage !== null && !this.#translated.isQuarantined(copied.seq)) {
      this.#found.push([number, message.id, message.account_id, this.#options.nowMs, damage.part, damage.error]);
    }
  }

  /** Writes the rows that refer to messages by their numbers. */
  async #copyTranslated(writer: CopyWriter): Promise<void> {
    const { retries, quarantined, feedback, entries } = this.#translated;
    const isOfNode = ([name]: Row): boolean => (Object.values(NODE_ENTRIES) as unknown[]).includes(name);
    const { nodeName, nowMs } = this.#options;
    const ofNode = entries.filter(isOfNode).map(([name, text]) => [nodeName, name, text, nowMs]);
    // The key is in CERTS_DIR.
    const shared = entries.filter((row) => row[0] !== MASTER_KEY_ENTRY && !isOfNode(row));
    if (this.#mayLackPause(shared)) this.#addedEntries.push([PAUSE_ENTRY, UNREADABLE_PAUSE]);
    await this.#copyTable(writer, ENDPOINT_RETRIES, retries);
    await this.#copyTable(writer, QUARANTINED, [...quarantined, ...this.#found]);
    await this.#copyTable(writer, FEEDBACK, feedback);
    await this.#copyTable(writer, KEY_VALUES, [...shared, ...this.#addedEntries]);
    await this.#copyTable(writer, NODE_VALUES, ofNode);
  }

  /** Whether it cannot be read if delivery is paused, or which messages an operator could not hold. */
  #mayLackPause(entries: readonly Row[]): boolean {
    const { damage } = this.#source;
    const isUncertain = damage.concerns(KEY_VALUES.source) || damage.concerns(QUARANTINED.source);
    return isUncertain && !entries.some(([name]) => name === PAUSE_ENTRY);
  }

  #compare(target: ReadonlyMap<string, number>): CopiedCount[] {
    const { damage, db } = this.#source;
    const added = { [QUARANTINED.name]: this.#found.length, [KEY_VALUES.name]: this.#addedEntries.length };
    return compareCounts(countSource(db), target, { added, isDamaged: (table) => damage.concerns(table) });
  }
}
