/**
 * Shortening waits that are longer than they may be: the times were set while the clock was ahead. A pass goes over all that
 * waits in the order of the recipients_waiting index, a step at a time, and passes over damaged rows. The caller holds the
 * transaction.
 */
import type { Database } from "better-sqlite3";
import type { ShortenWaitsResult, ShortenWaitsStep, WaitCursor } from "../port/operations.ts";
import type { FairScheduler } from "../scheduler/fair-scheduler.ts";
import type { HotQueue } from "../scheduler/hot-queue.ts";
import { DamagedMessages, type DamageLog } from "./damage.ts";
import type { Rebuilding } from "./rebuilding.ts";
import { prepareAttempts } from "./soundness.ts";
import type { Written } from "./written.ts";

interface WaitingRow {
  accountId: string;
  domain: string;
  dueMs: number;
  seq: number;
  position: number;
}

/** From the index alone: the rows of the recipients may be damaged. */
export const WAITING_AFTER = `
  SELECT account_id AS accountId, domain, next_attempt_at_ms AS dueMs, seq, position
    FROM recipients INDEXED BY recipients_waiting
    WHERE state = 'pending' AND (account_id, domain, next_attempt_at_ms, seq, position) > (?, ?, ?, ?, ?)
    ORDER BY account_id, domain, next_attempt_at_ms, seq, position LIMIT ?`;

const BEGINNING: WaitCursor = ["", "", 0, 0, 0];

export interface OverlongWaitsParts {
  scheduler: FairScheduler;
  hotQueue: HotQueue;
  damage: DamageLog;
  rebuilding: Rebuilding;
}

export function prepareOverlongWaits(db: Database, { scheduler, hotQueue, damage, rebuilding }: OverlongWaitsParts) {
  const waitingAfter = db.prepare<[...WaitCursor, number], WaitingRow>(WAITING_AFTER);
  const attemptsOf = prepareAttempts(db);
  const setDue = db.prepare(
    "UPDATE recipients SET next_attempt_at_ms = ? WHERE seq = ? AND position = ? AND state = 'pending'",
  );
  const setCheck = db.prepare(
    "UPDATE domains SET next_check_at_ms = ? WHERE removed_at_ms IS NULL AND next_check_at_ms > ?",
  );
  const damaged = new DamagedMessages(damage, { place: (seq) => `the message in row ${seq}, which waits`, rebuilding });

  return {
    shortenWaits({ nowMs, longestMs, after, limit }: ShortenWaitsStep): Written<ShortenWaitsResult> {
      const latestMs = (row: WaitingRow): number =>
        nowMs + (longestMs[Math.min(attemptsOf(row), longestMs.length - 1)] ?? 0);
      const rows = waitingAfter.all(...(after ?? BEGINNING), limit);
      const later = rows.filter(({ dueMs }) => dueMs > nowMs);
      const bounded = damaged.readEach(later, (row) => ({ ...row, latestMs: latestMs(row) }));
      const overlong = bounded.filter((row) => row.dueMs > row.latestMs);
      for (const row of overlong) {
        damaged.attempt(row.seq, () => setDue.run(row.latestMs, row.seq, row.position));
      }
      const last = rows.length === limit ? rows.at(-1) : undefined;
      const next: WaitCursor | null =
        last === undefined ? null : [last.accountId, last.domain, last.dueMs, last.seq, last.position];
      const committed = (): void => {
        damaged.clear();
        if (overlong.length === 0) return;
        hotQueue.clear();
        scheduler.forgetFreshAfter(nowMs);
        for (const row of overlong) scheduler.dueAgain(row.accountId, row.domain, row.latestMs);
      };
      return { value: { recipients: overlong.length, next }, committed };
    },

    shortenCheckWaits({ nowMs, longestMs }: { nowMs: number; longestMs: number }): Written<number> {
      return { value: setCheck.run(nowMs, nowMs + longestMs).changes };
    },
  };
}
