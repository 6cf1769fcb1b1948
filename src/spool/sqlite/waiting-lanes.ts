/**
 * When each lane's next recipient falls due, read from the recipients_waiting index at start and after another process
 * wrote. Where the index is damaged it is rebuilt from its table; where that fails too, the lanes are read from both ends
 * of the index up to the damage, so that only mail whose place cannot be read stands still.
 */
import type { Database } from "better-sqlite3";
import { type DamageLog, isDamage } from "./damage.ts";
import type { Rebuilding } from "./rebuilding.ts";

interface LaneRow {
  account_id: string;
  domain: string;
  due_ms: number;
}

export type DueAgain = (accountId: string, domain: string, dueMs: number) => void;

/** Sorts after every account's id. */
const LAST_ID = "\u{10ffff}";

export interface WaitingLanes {
  /** At start: as `load`, after a rebuild where an index that this reads, or `alsoRead` does, is damaged. */
  open(dueAgain: DueAgain, alsoRead: () => unknown): void;
  load(dueAgain: DueAgain): void;
}

export function prepareWaitingLanes(
  db: Database,
  { damage, rebuilding }: { damage: DamageLog; rebuilding: Rebuilding },
): WaitingLanes {
  const all = db.prepare<[], LaneRow>(
    `SELECT account_id, domain, min(next_attempt_at_ms) AS due_ms FROM recipients
       WHERE state = 'pending' GROUP BY account_id, domain`,
  );
  const steps = (["ASC", "DESC"] as const).map((order) => {
    const [side, from] = order === "ASC" ? [">", ""] : ["<", LAST_ID];
    const next = db.prepare<[string, string], Omit<LaneRow, "due_ms">>(
      `SELECT account_id, domain FROM recipients INDEXED BY recipients_waiting
         WHERE state = 'pending' AND (account_id, domain) ${side} (?, ?)
         ORDER BY account_id ${order}, domain ${order} LIMIT 1`,
    );
    return { next, from };
  });
  function loadAll(dueAgain: DueAgain): void {
    for (const row of all.iterate()) dueAgain(row.account_id, row.domain, row.due_ms);
  }

  /** Due at once: the claim finds out, and a time from the end of a lane would be too late. */
  function loadReadable(dueAgain: DueAgain): void {
    for (const { next, from } of steps) {
      try {
        let row = next.get(from, "");
        while (row !== undefined) {
          dueAgain(row.account_id, row.domain, 0);
          row = next.get(row.account_id, row.domain);
        }
      } catch (error) {
        if (!isDamage(error)) throw error;
      }
    }
  }

  function load(dueAgain: DueAgain): void {
    try {
      loadAll(dueAgain);
    } catch (error) {
      if (!isDamage(error)) throw error;
      damage.note("the index of waiting recipients", error);
      loadReadable(dueAgain);
    }
  }

  function open(dueAgain: DueAgain, alsoRead: () => unknown): void {
    try {
      alsoRead();
      loadAll(dueAgain);
    } catch (error) {
      if (!isDamage(error)) throw error;
      rebuilding.indexes();
      load(dueAgain);
    }
  }

  return { open, load };
}
