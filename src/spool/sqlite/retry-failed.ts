/**
 * Failed recipients back into the queue, in steps: after a delisting there may be a hundred thousand, and each step is a
 * transaction that other writes wait for. A recipient that cannot be read or changed is passed over. The caller holds the
 * transaction.
 */
import type { Database } from "better-sqlite3";
import type { Category } from "../../message/category.ts";
import type { FailedFilter, RetryFailedResult, RetryFailedStep } from "../port/operations.ts";
import type { SpoolEvent } from "../port/results.ts";
import type { FairScheduler } from "../scheduler/fair-scheduler.ts";
import type { HotQueue } from "../scheduler/hot-queue.ts";
import type { ActivityLog } from "./activity.ts";
import { type DamageLog, isDamage, RowDamaged } from "./damage.ts";
import { prepareDeadlines } from "./deadlines.ts";
import { HistoryWriter } from "./history-writer.ts";
import type { Quarantine } from "./quarantine.ts";
import type { Rebuilding } from "./rebuilding.ts";
import { prepareSoundness } from "./soundness.ts";
import type { Written } from "./written.ts";

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
  scheduler: FairScheduler;
  hotQueue: HotQueue;
  activity: ActivityLog;
  damage: DamageLog;
  rebuilding: Rebuilding;
  quarantine: Quarantine;
  /** Finds again what waits in a message that leaves quarantine. */
  loadLanes: () => void;
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
  const { scheduler, hotQueue, activity, damage, rebuilding, quarantine } = parts;
  const soundness = prepareSoundness(db);
  const failed = db.prepare<Range, Place>(FAILED);
  const rowAt = db.prepare<Place, FailedRow>(ROW);
  const seqOf = db.prepare<[string], number>("SELECT seq FROM messages WHERE id = ?").pluck();
  const setDue = db.prepare(
    `UPDATE recipients SET state = 'pending', reason = NULL, category = NULL, smtp = NULL, next_attempt_at_ms = @nowMs,
       updated_at_ms = @nowMs WHERE seq = @seq AND position = @position`,
  );
  const renew = db.prepare(
    `UPDATE messages SET updated_at_ms = @nowMs, expires_at_ms = max(expires_at_ms, @expiresAtMs) WHERE seq = @seq`,
  );
  const liftDeadline = prepareDeadlines(db);
  const history = new HistoryWriter(db, damage);

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

  function record({ seq, position, attempts: attempt }: FailedRow, nowMs: number): void {
    const said = { attempt, reason: null, tries: [], next_attempt_at_ms: nowMs };
    const event: SpoolEvent = { at_ms: nowMs, type: "retried", ...said };
    history.add(seq, position, JSON.stringify(event));
  }

  /** Recipients that were found damaged. */
  const unreadable = new Set<string>();

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

  /** Whether quarantine keeps the message from every attempt. One that is named leaves quarantine where it can be read again. */
  function isHeld({ seq }: Place, { messageId }: RetryFailedStep): boolean {
    if (!quarantine.has(seq)) return false;
    if (messageId === undefined) return true;
    try {
      soundness.checkRows(seq);
      soundness.content(seq);
      return false;
    } catch (error) {
      // What SQLite cannot read fails the transaction too.
      if (error instanceof RowDamaged) return true;
      throw error;
    }
  }

  const isSound = (place: Place, step: RetryFailedStep): boolean =>
    !unreadable.has(placeName(place)) && !passing(place, () => isHeld(place, step));

  return {
    retryFailed(step: RetryFailedStep): Written<RetryFailedResult> {
      const places = failed.all(rangeOf(step));
      const sound = places.filter((place) => isSound(place, step));
      const rows = sound.map((place) => passing(place, () => read(place)));
      const meant = rows.filter((row) => isMeant(row, step));
      const withContent = meant.filter(({ hasContent }) => hasContent === 1);
      const due = withContent.filter(
        ({ deadlineMs }) => step.messageId !== undefined || !isOver(deadlineMs, step.nowMs),
      );
      for (const row of step.dryRun ? [] : due) {
        passing(row, () => putBack(row, step));
        liftDeadline(row.seq, step.nowMs, (run) => history.run(row.seq, run));
        record(row, step.nowMs);
      }
      const released = new Set(step.dryRun ? [] : due.map(({ seq }) => seq).filter((seq) => quarantine.has(seq)));
      for (const seq of released) quarantine.remove(seq);
      const last = places.length === step.limit ? places.at(-1) : undefined;
      const value: RetryFailedResult = {
        recipients: due.map(({ messageId, email, category }) => ({ messageId, email, category })),
        contentDeleted: meant.length - withContent.length,
        pastDeadline: withContent.length - due.length,
        unreadable: places.length - sound.length,
        next: last === undefined ? null : placeName(last),
      };
      const committed = (): void => {
        if (step.dryRun || due.length === 0) return;
        for (const seq of released) quarantine.released(seq);
        if (released.size > 0) parts.loadLanes();
        for (const domain of new Set(due.map((row) => row.domain)))
          scheduler.dueAgain(step.accountId, domain, step.nowMs);
        hotQueue.clear();
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
