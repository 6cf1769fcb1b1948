/**
 * Shortens waits that are longer than allowed, because their times were set while the clock was ahead; a time that the sender has chosen
 * stays. A pass goes over all
 * pending recipients in the order of the work_waiting index, in steps, and skips damaged rows. The caller holds the
 * transaction.
 */

import type { Database } from "better-sqlite3";
import type { ShortenWaitsResult, ShortenWaitsStep, WaitCursor } from "../../../port/operations.ts";
import type { RecipientKey } from "../../session.ts";
import type { Written } from "../connection/uncommitted-result.ts";
import type { WriterParts } from "../connection/writer-parts.ts";
import { DamagedMessages } from "../files/damage.ts";
import { prepareAttempts } from "../files/soundness.ts";

interface PendingRow extends RecipientKey {
  accountId: string;
  domain: string;
  dueMs: number;
}

/** Only from the index: the rows of the recipients may be damaged. */
export const PENDING_AFTER = `
  SELECT account_id AS accountId, domain, due_ms AS dueMs, seq, position
    FROM work INDEXED BY work_waiting
    WHERE mark IS NULL AND (account_id, domain, due_ms, seq, position) > (?, ?, ?, ?, ?)
    ORDER BY account_id, domain, due_ms, seq, position LIMIT ?`;

const BEGINNING: WaitCursor = ["", "", 0, 0, 0];

export class OverlongWaits {
  readonly #parts;
  readonly #pendingAfter;
  readonly #attemptsOf;
  readonly #isScheduled;
  readonly #setDue;
  readonly #damaged: DamagedMessages;

  constructor(db: Database, parts: Pick<WriterParts, "scheduler" | "hotQueue" | "damage" | "rebuilding">) {
    const { damage, rebuilding } = parts;
    this.#parts = parts;
    this.#pendingAfter = db.prepare<[...WaitCursor, number], PendingRow>(PENDING_AFTER);
    this.#attemptsOf = prepareAttempts(db);
    this.#isScheduled = db.prepare<[number, number], 1>("SELECT 1 FROM messages WHERE seq = ? AND send_at_ms = ?");
    this.#setDue = db.prepare("UPDATE work SET due_ms = ? WHERE seq = ? AND position = ? AND mark IS NULL");
    this.#damaged = new DamagedMessages(damage, {
      place: (seq) => `the message in row ${seq}, which is pending`,
      rebuilding,
    });
  }

  /** Runs one step of a pass over the pending recipients. */
  shortenWaits({ nowMs, longestMs, after, limit }: ShortenWaitsStep): Written<ShortenWaitsResult> {
    const rows = this.#pendingAfter.all(...(after ?? BEGINNING), limit);
    const later = rows.filter(({ dueMs }) => dueMs > nowMs);
    const bounded = this.#damaged.readEach(later, (row) => {
      const waitMs = longestMs[Math.min(this.#attemptsOf(row), longestMs.length - 1)] ?? 0;
      return { ...row, latestMs: nowMs + waitMs };
    });
    const overlong = this.#damaged
      .readEach(
        bounded.filter((row) => row.dueMs > row.latestMs),
        (row) => ({ ...row, isScheduled: this.#isScheduled.get(row.seq, row.dueMs) !== undefined }),
      )
      .filter(({ isScheduled }) => !isScheduled);
    for (const { seq, position, latestMs } of overlong) {
      this.#damaged.run(seq, () => this.#setDue.run(latestMs, seq, position));
    }
    const next = rows.length === limit ? endOf(rows) : null;
    const committed = (): void => {
      this.#damaged.clear();
      if (overlong.length > 0) this.#schedule(overlong, nowMs);
    };
    return { value: { recipients: overlong.length, next }, committed };
  }

  #schedule(overlong: (PendingRow & { latestMs: number })[], nowMs: number): void {
    const { scheduler, hotQueue } = this.#parts;
    hotQueue.clear();
    scheduler.removeArrivalsAfter(nowMs);
    for (const row of overlong) scheduler.schedule(row.accountId, row.domain, row.latestMs);
  }
}

function endOf(rows: PendingRow[]): WaitCursor | null {
  const last = rows.at(-1);
  return last === undefined ? null : [last.accountId, last.domain, last.dueMs, last.seq, last.position];
}
