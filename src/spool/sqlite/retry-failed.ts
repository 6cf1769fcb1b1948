/**
 * Failed recipients back into the queue, in steps: after a delisting there may be a hundred thousand, and each step is a
 * transaction that other writes wait for. The caller holds the transaction.
 */
import type { Database } from "better-sqlite3";
import type { Category } from "../../message/category.ts";
import type { FailedFilter, RetriedFailed, RetryFailedStep, SpoolEvent } from "../spool.ts";
import type { ActivityLog } from "./activity.ts";
import type { Lanes } from "./lanes.ts";
import type { Newcomers } from "./newcomers.ts";
import type { Written } from "./writer.ts";

/** Longer than all steps take: what failed still later did so while the clock was ahead. */
const PASS_MAX_MS = 3_600_000;

interface FailedRow {
  seq: number;
  position: number;
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
}

/** In the order of acceptance: what was accepted first is due first. */
export const FAILED = `
  SELECT r.seq, r.position, r.email, r.domain, r.reason, r.category, r.attempts, r.updated_at_ms AS failedAtMs,
         m.id AS messageId, m.deadline_ms AS deadlineMs, EXISTS (SELECT 1 FROM contents c WHERE c.seq = r.seq) AS hasContent
    FROM recipients r INDEXED BY recipients_failed CROSS JOIN messages m ON m.seq = r.seq
    WHERE r.state = 'failed' AND r.account_id = @accountId AND (r.seq, r.position) > (@seq, @position)
      AND r.seq <= @lastSeq
    ORDER BY r.seq, r.position LIMIT @limit`;

export function prepareRetryFailed(db: Database, { lanes, newcomers, activity }: RetryFailedParts) {
  const failed = db.prepare<Range, FailedRow>(FAILED);
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
    const { seq, position, attempts: attempt } = row;
    activity.retryingFailed({ accountId, failedAtMs: row.failedAtMs });
    setDue.run({ nowMs, seq, position });
    renew.run({ nowMs, expiresAtMs, seq });
    const said = { attempt, reason: null, tries: [], next_attempt_at_ms: nowMs };
    const event: SpoolEvent = { at_ms: nowMs, type: "retried", ...said };
    addEvent.run({ seq, position, event: JSON.stringify(event) });
  }

  return {
    retryFailed(step: RetryFailedStep): Written<RetriedFailed> {
      const rows = failed.all(rangeOf(step));
      const meant = rows.filter((row) => isMeant(row, step));
      const withContent = meant.filter(({ hasContent }) => hasContent === 1);
      const due = withContent.filter(
        ({ deadlineMs }) => step.messageId !== undefined || !isOver(deadlineMs, step.nowMs),
      );
      if (!step.dryRun) for (const row of due) putBack(row, step);
      const last = rows.length === step.limit ? rows.at(-1) : undefined;
      const value: RetriedFailed = {
        recipients: due.map(({ messageId, email, category }) => ({ messageId, email, category })),
        contentDeleted: meant.length - withContent.length,
        pastDeadline: withContent.length - due.length,
        next: last === undefined ? null : `${last.seq} ${last.position}`,
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
