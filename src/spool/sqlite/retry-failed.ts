/**
 * Failed recipients back into the queue, in steps: after a delisting there may be a hundred thousand, and each step is a
 * transaction that other writes wait for. A recipient that cannot be read or changed is passed over. The caller holds the
 * transaction.
 */
import type { Database } from "better-sqlite3";
import type { Category } from "../../message/category.ts";
import type { FailedFilter, RetriedFailed, RetryFailedStep, SpoolEvent } from "../spool.ts";
import type { ActivityLog } from "./activity.ts";
import { type DamageLog, isDamage, RowDamaged } from "./damage.ts";
import type { Lanes } from "./lanes.ts";
import type { Newcomers } from "./newcomers.ts";
import type { Rebuilding } from "./rebuilding.ts";
import type { Written } from "./writer.ts";

/** Longer than all steps take: what failed still later did so while the clock was ahead. */
const PASS_MAX_MS = 3_600_000;

interface Place {
  seq: number;
  position: number;
}

interface FailedRow extends Place {
  email: string;
  domain: string;
  reason: string | null;
  category: Category | null;
  attempts: number;
  failedAtMs: number;
  messageId: string;
  deadlineMs: number | null;
  hasContent: 0 | 1;
}

interface Range {
  accountId: string;
  /** Behind this recipient. */
  seq: number;
  position: number;
  lastSeq: number;
  limit: number;
}

export interface RetryFailedParts {
  lanes: Lanes;
  newcomers: Newcomers;
  activity: ActivityLog;
  damage: DamageLog;
  rebuilding: Rebuilding;
}

/** In the order of acceptance: what was accepted first is due first. From the index alone: their rows may be damaged. */
export const FAILED = `
  SELECT seq, position FROM recipients INDEXED BY recipients_failed
    WHERE state = 'failed' AND account_id = @accountId AND (seq, position) > (@seq, @position) AND seq <= @lastSeq
    ORDER BY seq, position LIMIT @limit`;

const ROW = `
  SELECT r.seq, r.position, r.email, r.domain, r.reason, r.category, r.attempts, r.updated_at_ms AS failedAtMs,
         m.id AS messageId, m.deadline_ms AS deadlineMs, EXISTS (SELECT 1 FROM contents c WHERE c.seq = r.seq) AS hasContent
    FROM recipients r CROSS JOIN messages m ON m.seq = r.seq
    WHERE r.seq = @seq AND r.position = @position AND r.state = 'failed'`;

export function prepareRetryFailed(db: Database, parts: RetryFailedParts) {
  const { lanes, newcomers, activity, damage, rebuilding } = parts;
  const failed = db.prepare<Range, Place>(FAILED);
  const rowAt = db.prepare<Place, FailedRow>(ROW);
  const seqOf = db.prepare<[string], number>("SELECT seq FROM messages WHERE id = ?").pluck();
  const setDue = db.prepare(
    `UPDATE recipients SET state = 'pending', reason = NULL, category = NULL, smtp = NULL, next_attempt_at_ms = @nowMs,
       updated_at_ms = @nowMs WHERE seq = @seq AND position = @position`,
  );
  const renew = db.prepare(
    `UPDATE messages SET updated_at_ms = @nowMs, expires_at_ms = max(expires_at_ms, @expiresAtMs),
       deadline_ms = iif(deadline_ms <= @nowMs, NULL, deadline_ms) WHERE seq = @seq`,
  );
  const addEvent = db.prepare(
    `INSERT INTO events (seq, position, number, event) VALUES (@seq, @position,
       (SELECT coalesce(max(number), 0) + 1 FROM events WHERE seq = @seq AND position = @position), @event)`,
  );

  function rangeOf({ accountId, messageId, after, limit }: RetryFailedStep): Range {
    const only = messageId === undefined ? null : (seqOf.get(messageId) ?? 0);
    const [seq, position] = after === null ? [only ?? 0, -1] : after.split(" ").map(Number);
    return { accountId, seq: seq ?? 0, position: position ?? -1, lastSeq: only ?? Number.MAX_SAFE_INTEGER, limit };
  }

  function putBack(row: FailedRow, { accountId, nowMs, expiresAtMs }: RetryFailedStep): void {
    const { seq, position } = row;
    activity.retryingFailed({ accountId, failedAtMs: row.failedAtMs });
    setDue.run({ nowMs, seq, position });
    renew.run({ nowMs, expiresAtMs, seq });
  }

  /** A damaged history does not keep the recipient from being tried. */
  function record({ seq, position, attempts: attempt }: FailedRow, nowMs: number): void {
    if (withoutHistory.has(seq)) return;
    const said = { attempt, reason: null, tries: [], next_attempt_at_ms: nowMs };
    const event: SpoolEvent = { at_ms: nowMs, type: "retried", ...said };
    try {
      addEvent.run({ seq, position, event: JSON.stringify(event) });
    } catch (error) {
      if (!isDamage(error)) throw error;
      damage.note("the histories", error);
      withoutHistory.add(seq);
      damage.avoid();
      throw error;
    }
  }

  /** Recipients that were found damaged. */
  const unreadable = new Set<string>();
  /** Messages whose history cannot be written. */
  const withoutHistory = new Set<number>();

  /** What `run` returns. Throws where it meets damage: the transaction must be done again, without this recipient. */
  function passing<T>({ seq, position }: Place, run: () => T): T {
    try {
      return run();
    } catch (error) {
      // Else it may be an index that cannot be changed.
      if (!isDamage(error) || !rebuilding.hasTriedIndexes) throw error;
      damage.note(`the message in row ${seq}, whose failed recipients are retried`, error);
      unreadable.add(placeName({ seq, position }));
      damage.avoid();
      throw error;
    }
  }

  function read(place: Place): FailedRow {
    const row = rowAt.get(place);
    if (row === undefined) throw new RowDamaged("the index lists a failed recipient that is missing");
    return row;
  }

  return {
    retryFailed(step: RetryFailedStep): Written<RetriedFailed> {
      const places = failed.all(rangeOf(step));
      const sound = places.filter((place) => !unreadable.has(placeName(place)));
      const rows = sound.map((place) => passing(place, () => read(place)));
      const meant = rows.filter((row) => isMeant(row, step));
      const withContent = meant.filter(({ hasContent }) => hasContent === 1);
      const due = withContent.filter(
        ({ deadlineMs }) => step.messageId !== undefined || !isOver(deadlineMs, step.nowMs),
      );
      for (const row of step.dryRun ? [] : due) {
        passing(row, () => putBack(row, step));
        record(row, step.nowMs);
      }
      const last = places.length === step.limit ? places.at(-1) : undefined;
      const value: RetriedFailed = {
        recipients: due.map(({ messageId, email, category }) => ({ messageId, email, category })),
        contentDeleted: meant.length - withContent.length,
        pastDeadline: withContent.length - due.length,
        unreadable: places.length - sound.length,
        next: last === undefined ? null : placeName(last),
      };
      const committed = (): void => {
        if (step.dryRun || due.length === 0) return;
        for (const domain of new Set(due.map((row) => row.domain))) lanes.dueAgain(step.accountId, domain, step.nowMs);
        newcomers.clear();
      };
      return { value, committed };
    },
  };
}

const placeName = ({ seq, position }: Place): string => `${seq} ${position}`;

const isOver = (deadlineMs: number | null, nowMs: number): boolean => deadlineMs !== null && deadlineMs <= nowMs;

function isMeant(row: FailedRow, { nowMs, ...filter }: FailedFilter & { nowMs: number }): boolean {
  const { email, reason, category, domain, sinceMs = 0 } = filter;
  const isSince = row.failedAtMs > nowMs && row.failedAtMs <= nowMs + PASS_MAX_MS;
  if (isSince || row.failedAtMs < sinceMs) return false;
  if (reason === undefined ? row.reason === "suppressed" : row.reason !== reason) return false;
  if (category !== undefined && row.category !== category) return false;
  if (domain !== undefined && row.domain !== domain) return false;
  return email === undefined || row.email === email;
}
