/**
 * The numbers of copied messages. Each form of the spool numbers messages in its own way, so rows that refer to a message by its number get
 * the new one. Only numbers that occur in such rows are remembered: a spool may have many millions of messages.
 */
import { firstNumberAt } from "../engine/postgres/mail/message-number.ts";
import { PAUSE_ENTRY, parsePause } from "../port/delivery-pause.ts";
import type { Row } from "../records/column-types.ts";
import type { TRANSLATED } from "./copied-tables.ts";

/** Numbers messages in the order of their times, those of a millisecond one after the other. */
export class NewNumbers {
  /** The numbers of domains' events. */
  readonly #reserved = new Set<number>();
  #last = Number.NEGATIVE_INFINITY;

  /** Returns a number for an event of a domain. To be called before all calls of `next`. */
  reserve(atMs: number): number {
    let number = firstNumberAt(atMs);
    while (this.#reserved.has(number)) number += 1;
    this.#reserved.add(number);
    return number;
  }

  /** Returns a number for a message; `createdAtMs` is not before that of the call before. */
  next(createdAtMs: number): number {
    let number = Math.max(this.#last + 1, firstNumberAt(createdAtMs));
    while (this.#reserved.has(number)) number += 1;
    this.#last = number;
    return number;
  }
}

/** Rows by their tables. Their `seq` is 0 for the events of domains. Entries have a number in the text of the delivery pause. */
export type NumberedRows = Record<(typeof TRANSLATED)[number], readonly Row[]>;

export class TranslatedNumbers {
  readonly #rows: NumberedRows;
  readonly #numbers = new Map<unknown, number | null>();
  readonly #quarantined: ReadonlySet<unknown>;
  /** The newest message that the pause concerns. */
  readonly #newestHeld: number;
  #newestHeldTranslated = 0;

  constructor(rows: NumberedRows) {
    this.#rows = rows;
    this.#quarantined = new Set(rows.quarantined.map(({ seq }) => seq));
    for (const { seq } of [...rows.endpoint_retries, ...rows.quarantined, ...rows.feedback]) {
      this.#numbers.set(seq, null);
    }
    const pause = rows.key_values.find(({ name }) => name === PAUSE_ENTRY);
    this.#newestHeld = pause === undefined ? 0 : parsePause(pause.text as string).newestSeq;
  }

  /** To be called for each message. */
  add(seq: number, translated: number): void {
    if (this.#numbers.has(seq)) this.#numbers.set(seq, translated);
    if (seq <= this.#newestHeld) this.#newestHeldTranslated = Math.max(this.#newestHeldTranslated, translated);
  }

  /** Whether the message with this number in the files is in quarantine there. */
  isQuarantined(seq: number): boolean {
    return this.#quarantined.has(seq);
  }

  /** The rows of a table with the new numbers; with one that no message has, of a message that is gone. */
  rowsOf(table: keyof NumberedRows): Row[] {
    return this.#rows[table].map((row) => {
      if (table === "key_values") return row.name === PAUSE_ENTRY ? this.#translatedPause(row) : row;
      return { ...row, seq: this.#numbers.get(row.seq) ?? 0 - (row.seq as number) };
    });
  }

  /** A pause that cannot be decoded concerns all messages. */
  #translatedPause(row: Row): Row {
    const { backupAtMs } = parsePause(row.text as string);
    if (backupAtMs === null) return row;
    return { ...row, text: JSON.stringify({ backupAtMs, newestSeq: this.#newestHeldTranslated }) };
  }
}
