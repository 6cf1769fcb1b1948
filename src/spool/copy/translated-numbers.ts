/**
 * The rows of a spool that refer to messages by their numbers, while a copy gives the messages new ones. Only numbers that occur
 * here are remembered: a spool may have many millions of messages.
 */
import { PAUSE_ENTRY, parsePause } from "../port/delivery-pause.ts";
import type { Row } from "../records/copied-tables.ts";

export interface NumberedRows {
  /** The number of a message is the second value; 0 for the events of domains. */
  retries: readonly Row[];
  /** The number of a message is the first value. */
  quarantined: readonly Row[];
  /** Likewise. */
  feedback: readonly Row[];
  /** Name and text. The text of the delivery pause has the number of the newest message that it concerns. */
  entries: readonly Row[];
}

export class TranslatedNumbers {
  readonly #rows: NumberedRows;
  readonly #numbers = new Map<number, number | null>();
  readonly #quarantined: ReadonlySet<number>;
  readonly #newestHeld: number;
  #newestHeldTranslated = 0;

  constructor(rows: NumberedRows) {
    this.#rows = rows;
    this.#quarantined = new Set(rows.quarantined.map(([seq]) => seq as number));
    for (const [, seq] of rows.retries) this.#numbers.set(seq as number, null);
    for (const seq of this.#quarantined) this.#numbers.set(seq, null);
    for (const [seq] of rows.feedback) this.#numbers.set(seq as number, null);
    const [, pause = null] = rows.entries.find(([name]) => name === PAUSE_ENTRY) ?? [];
    this.#newestHeld = pause === null ? 0 : parsePause(pause as string).newestSeq;
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

  get retries(): Row[] {
    return this.#rows.retries.map(([endpoint, seq, ...others]) => [endpoint, this.#translated(seq), ...others]);
  }

  get quarantined(): Row[] {
    return this.#rows.quarantined.map(([seq, ...others]) => [this.#translated(seq), ...others]);
  }

  get feedback(): Row[] {
    return this.#rows.feedback.map(([seq, ...others]) => [this.#translated(seq), ...others]);
  }

  get entries(): Row[] {
    return this.#rows.entries.map(([name, text, ...others]) =>
      name === PAUSE_ENTRY ? [name, this.#translatedPause(text as string), ...others] : [name, text, ...others],
    );
  }

  /** Of a message that is gone, a number that no message has. */
  #translated(seq: unknown): number {
    return this.#numbers.get(seq as number) ?? 0 - (seq as number);
  }

  /** A pause that cannot be decoded concerns all messages. */
  #translatedPause(text: string): string {
    const { backupAtMs } = parsePause(text);
    return backupAtMs === null ? text : JSON.stringify({ backupAtMs, newestSeq: this.#newestHeldTranslated });
  }
}
