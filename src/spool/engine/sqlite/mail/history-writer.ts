/**
 * Writes the events of recipients. A result is worth more than its history: if a message's history is damaged, the
 * transaction is repeated without it. The callers decide which events there are; histories.ts reads them.
 */

import type { Database } from "better-sqlite3";
import { retriedEntry } from "../../../records/retried-entry.ts";
import { NUMBER } from "../connection/parameters.ts";
import { DamagedMessages, type DamageLog } from "../files/damage.ts";
import type { RecipientKey } from "./recipient-key.ts";

/** Messages with unwritable histories for which a transaction is repeated. Beyond this number all histories are left out. */
const WRITES_MAX = 200;

export class HistoryWriter {
  readonly #add;
  readonly #events;
  /** Messages whose history cannot be read, and those whose history cannot be written. */
  readonly #unreadable: DamagedMessages;
  readonly #unwritable: DamagedMessages;

  constructor(db: Database, damage: DamageLog) {
    this.#add = db.prepare(
      `INSERT INTO events (seq, position, number, event) VALUES (?, ?,
         (SELECT coalesce(max(number), 0) + 1 FROM events WHERE seq = ${NUMBER} AND position = ${NUMBER}), ?)`,
    );
    this.#events = db.prepare<[number]>("SELECT count(*) FROM events WHERE seq = ?");
    const place = (): string => "the histories";
    this.#unreadable = new DamagedMessages(damage, { place });
    this.#unwritable = new DamagedMessages(damage, { place });
  }

  /** Before many histories are written: finds the unreadable ones, so that the transaction is repeated only once. */
  findUnreadable(recipients: readonly { seq: number }[]): void {
    this.#unreadable.readEach(recipients, ({ seq }) => this.#events.get(seq));
  }

  /** Appends an event in JSON. */
  add(seq: number, position: number, event: string): void {
    this.run(seq, () => void this.#add.run(seq, position, seq, position, event));
  }

  /** Appends the event of a person's retry, after which the recipient is due at `nowMs`. */
  addRetried(
    { seq, position, attempts }: RecipientKey & { attempts: number },
    retry: Parameters<typeof retriedEntry>[1],
  ): void {
    this.add(seq, position, JSON.stringify(retriedEntry(attempts, retry)));
  }

  /** Runs a write to a message's history. If it throws damage, the repeated transaction skips it. */
  run(seq: number, write: () => void): void {
    if (this.#unreadable.has(seq) || this.#unwritable.has(seq) || this.#unwritable.size >= WRITES_MAX) return;
    this.#unwritable.run(seq, write);
  }

  /** Forgets all damage, so that all histories are tried again. */
  clear(): void {
    this.#unreadable.clear();
    this.#unwritable.clear();
  }
}
