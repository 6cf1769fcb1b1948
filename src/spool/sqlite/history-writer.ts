/**
 * Writes the events of recipients. A result is worth more than its history: where a message's history is damaged, the
 * transaction is done again without it. Which events there are is the callers' decision; histories.ts reads them.
 */
import type { Database } from "better-sqlite3";
import { type DamageLog, isDamage } from "./damage.ts";

export class HistoryWriter {
  readonly #damage: DamageLog;
  readonly #add;
  /** Messages whose history cannot be written. */
  readonly #damaged = new Set<number>();

  constructor(db: Database, damage: DamageLog) {
    this.#damage = damage;
    this.#add = db.prepare(
      `INSERT INTO events (seq, position, number, event) VALUES (?, ?,
         (SELECT coalesce(max(number), 0) + 1 FROM events WHERE seq = ? AND position = ?), ?)`,
    );
  }

  /** Appends an event, as JSON. */
  add(seq: number, position: number, event: string): void {
    this.run(seq, () => void this.#add.run(seq, position, seq, position, event));
  }

  /** Runs a write to a message's history. Throws the damage that it meets; when the transaction is done again, it is left out. */
  run(seq: number, write: () => void): void {
    if (this.#damaged.has(seq)) return;
    try {
      write();
    } catch (error) {
      if (!isDamage(error)) throw error;
      this.#damage.note("the histories", error);
      this.#damaged.add(seq);
      this.#damage.avoid();
      throw error;
    }
  }

  /** Tries all histories again. */
  clear(): void {
    this.#damaged.clear();
  }
}
