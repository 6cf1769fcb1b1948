/**
 * Writes the events of recipients. A result is worth more than its history: where a message's history is damaged, the
 * transaction is done again without it. Which events there are is the callers' decision; histories.ts reads them.
 */
import type { Database } from "better-sqlite3";
import { DamagedMessages, type DamageLog } from "./damage.ts";

/** Messages whose histories the transaction is done again for; at more, all histories are left out. */
const WRITES_MAX = 200;

export class HistoryWriter {
  readonly #add;
  readonly #events;
  /** Messages whose history cannot be read, and others whose history cannot be written. */
  readonly #unreadable: DamagedMessages;
  readonly #unwritable: DamagedMessages;

  constructor(db: Database, damage: DamageLog) {
    this.#add = db.prepare(
      `INSERT INTO events (seq, position, number, event) VALUES (?, ?,
         (SELECT coalesce(max(number), 0) + 1 FROM events WHERE seq = ? AND position = ?), ?)`,
    );
    this.#events = db.prepare<[number]>("SELECT count(*) FROM events WHERE seq = ?");
    const place = (): string => "the histories";
    this.#unreadable = new DamagedMessages(damage, { place });
    this.#unwritable = new DamagedMessages(damage, { place });
  }

  /** Before many histories are written: finds those that cannot be read, so that the transaction is done again once. */
  look(places: readonly { seq: number }[]): void {
    this.#unreadable.readEach(places, ({ seq }) => this.#events.get(seq));
  }

  /** Appends an event, as JSON. */
  add(seq: number, position: number, event: string): void {
    this.run(seq, () => void this.#add.run(seq, position, seq, position, event));
  }

  /** Runs a write to a message's history. Throws the damage that it meets; when the transaction is done again, it is left out. */
  run(seq: number, write: () => void): void {
    if (this.#unreadable.has(seq) || this.#unwritable.has(seq) || this.#unwritable.size >= WRITES_MAX) return;
    this.#unwritable.attempt(seq, write);
  }

  /** Tries all histories again. */
  clear(): void {
    this.#unreadable.clear();
    this.#unwritable.clear();
  }
}
