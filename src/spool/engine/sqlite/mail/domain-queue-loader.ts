/**
 * Loads into the scheduler when each domain queue's next recipient falls due, from the work_waiting index: at start
 * and after another process has written. A damaged index is rebuilt from its table. If that fails too, the index is read
 * from both ends up to the damage, so that only recipients behind unreadable pages stay unscheduled.
 */
import type { Database } from "better-sqlite3";
import type { WriterParts } from "../connection/writer-parts.ts";
import { isDamage } from "../files/damage.ts";

interface QueueRow {
  account_id: string;
  domain: string;
  due_ms: number;
}

/** Sorts after every account id. */
const LAST_ID = "\u{10ffff}";

export class DomainQueueLoader {
  readonly #parts;
  readonly #all;
  readonly #directions;

  constructor(db: Database, parts: Pick<WriterParts, "scheduler" | "damage" | "rebuilding">) {
    this.#parts = parts;
    this.#all = db.prepare<[], QueueRow>(
      `SELECT account_id, domain, min(due_ms) AS due_ms FROM work
         WHERE mark IS NULL GROUP BY account_id, domain`,
    );
    this.#directions = (["ASC", "DESC"] as const).map((order) => {
      const [side, from] = order === "ASC" ? [">", ""] : ["<", LAST_ID];
      const next = db.prepare<[string, string], Omit<QueueRow, "due_ms">>(
        `SELECT account_id, domain FROM work INDEXED BY work_waiting
           WHERE mark IS NULL AND (account_id, domain) ${side} (?, ?)
           ORDER BY account_id ${order}, domain ${order} LIMIT 1`,
      );
      return { next, from };
    });
  }

  /** At start: as `load`, after rebuilding the indexes if this one, or what `alsoRead` reads, is damaged. */
  open(alsoRead: () => unknown): void {
    try {
      alsoRead();
      this.#loadAll();
    } catch (error) {
      if (!isDamage(error)) throw error;
      this.#parts.rebuilding.indexes();
      this.load();
    }
  }

  load(): void {
    try {
      this.#loadAll();
    } catch (error) {
      if (!isDamage(error)) throw error;
      this.#parts.damage.note("the index of waiting recipients", error);
      this.#loadReadable();
    }
  }

  #loadAll(): void {
    for (const row of this.#all.iterate()) this.#parts.scheduler.schedule(row.account_id, row.domain, row.due_ms);
  }

  /** Schedules each queue at once: a time read from the end of a queue would be too late, and the claim finds the right one. */
  #loadReadable(): void {
    for (const { next, from } of this.#directions) {
      try {
        let row = next.get(from, "");
        while (row !== undefined) {
          this.#parts.scheduler.schedule(row.account_id, row.domain, 0);
          row = next.get(row.account_id, row.domain);
        }
      } catch (error) {
        if (!isDamage(error)) throw error;
      }
    }
  }
}
