/**
 * The spool in a data directory as the source of a copy: locked against a service, read in one snapshot, and never written to.
 * The order of reads is decided by the caller. What cannot be read is noted in `damage`.
 */
import type { Database } from "better-sqlite3";
import type { CopiedMessage, EventRow } from "../../../records/copied-message.ts";
import type { CopiedTable, Row } from "../../../records/copied-tables.ts";
import { SCHEMA_VERSION } from "../../../schema/sqlite.ts";
import { FIRST_VERSION, outdatedSchema } from "../../../schema/version.ts";
import { lockDataDir, openDatabase } from "../connection/database.ts";
import { enterSpool } from "../files/log-identity.ts";
import { GREATEST_NUMBER } from "../mail/event-writer.ts";
import { CopyDamage } from "./copy-damage.ts";
import { CopyMessages, EVENT_COLUMNS, readOrNull } from "./copy-messages.ts";
import { messagesInOrder, type PlacedMessage } from "./copy-order.ts";
import { CopySalvage } from "./copy-salvage.ts";
import { tableRows } from "./copy-tables.ts";

export class CopySource {
  readonly damage = new CopyDamage();
  readonly db: Database;
  readonly #messages: CopyMessages;
  readonly #release: () => void;
  readonly #version: unknown;

  /** Throws one line if a service runs, or if the spool is of another version. */
  constructor(dataDir: string) {
    const { db, release } = openLocked(dataDir);
    this.db = db;
    this.#release = release;
    try {
      requireSchema(db);
      this.#version = db.pragma("data_version", { simple: true });
      db.exec("BEGIN");
      this.#messages = new CopyMessages(db, this.damage);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  rows(table: CopiedTable): Iterable<Row> {
    return tableRows(this.db, table, this.damage);
  }

  messagesInOrder(): Iterable<PlacedMessage> {
    return messagesInOrder(this.db, this.damage);
  }

  /** Returns null for a message that is to be read with `salvage`. */
  message({ seq }: PlacedMessage): CopiedMessage | null {
    return this.#messages.read(seq);
  }

  salvage(messages: readonly PlacedMessage[]): Iterable<CopiedMessage> {
    return new CopySalvage(this.db, { damage: this.damage, messages: this.#messages }).read(messages);
  }

  /** The events of domains. */
  domainEvents(): EventRow[] {
    const read = (seq: string) => () =>
      this.db
        .prepare<[], EventRow>(`SELECT ${EVENT_COLUMNS} FROM events WHERE ${seq} = 0 ORDER BY account_id, number`)
        .all();
    const place = { table: "events", place: "the events of domains" };
    // With `+`, SQLite reads the table, and no index.
    return readOrNull(read("seq")) ?? this.damage.unlessDamaged(read("+seq"), [], place);
  }

  /** The greatest number of an event, of any account; null if it cannot be read. */
  greatestEventNumber(): number | null {
    const sql = `SELECT max((${GREATEST_NUMBER}),
                            (SELECT coalesce(max(position), 0) FROM endpoints),
                            (SELECT coalesce(max(last_number), 0) FROM endpoint_retries),
                            (SELECT coalesce(max(event_number), 0) FROM endpoint_attempts))`;
    return readOrNull(() => this.db.prepare<[], number>(sql).pluck().get() ?? 0);
  }

  /** Whether a command has written to the spool since it was opened. Ends the snapshot. */
  hasChanged(): boolean {
    // A transaction that has met damage cannot be committed.
    if (this.db.inTransaction) this.db.exec("ROLLBACK");
    return this.db.pragma("data_version", { simple: true }) !== this.#version;
  }

  close(): void {
    this.#release();
  }
}

function openLocked(dataDir: string): { db: Database; release: () => void } {
  const opened: (() => void)[] = [lockDataDir(dataDir)];
  const release = (): void => {
    for (const close of opened.splice(0).reverse()) close();
  };
  try {
    opened.push(enterSpool(dataDir, "service"));
    const db = openDatabase(dataDir, "read");
    opened.push(() => db.close());
    return { db, release };
  } catch (error) {
    release();
    throw error;
  }
}

function requireSchema(db: Database): void {
  const version = db.pragma("user_version", { simple: true }) as number;
  if (version === SCHEMA_VERSION) return;
  if (version < FIRST_VERSION) throw new Error(outdatedSchema(version));
  const how =
    version > SCHEMA_VERSION
      ? "run spool copy of the version that made it"
      : "start the service of this version once, which migrates it, and stop it";
  throw new Error(`the spool has schema ${version}, and spool copy reads schema ${SCHEMA_VERSION}: ${how}`);
}
