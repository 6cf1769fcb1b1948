/**
 * Makes failed recipients pending again, in steps: after a delisting there may be a hundred thousand, and other writes wait
 * for each step's transaction. A recipient that cannot be read or changed is skipped. The caller holds the transaction.
 * retry-message.ts retries the pending and unknown recipients of one message.
 */

import type { Database } from "better-sqlite3";
import type { Result } from "../../../../message/result/outcome.ts";
import { isTestRoute } from "../../../../message/test-route.ts";
import type { RetryFailedResult, RetryFailedStep } from "../../../port/operations.ts";
import { type RetriableRecipient, selectRetried } from "../../../records/failed-filter.ts";
import { retriedEntry } from "../../../records/retried-entry.ts";
import type { RecipientKey } from "../../session.ts";
import type { Written } from "../connection/uncommitted-result.ts";
import type { WriterParts } from "../connection/writer-parts.ts";
import { isDamage, RowDamaged } from "../files/damage.ts";
import { Soundness } from "../files/soundness.ts";
import { prepareDeadlines } from "../mail/deadlines.ts";

interface FailedRow extends RecipientKey, RetriableRecipient {
  accountId: string;
  result: Result;
  attempts: number;
}

/** The recipients after (`seq`, `position`). */
interface SeqRange extends RecipientKey {
  accountId: string;
  lastSeq: number;
  limit: number;
}

interface RetryFailedParts
  extends Pick<
    WriterParts,
    "scheduler" | "hotQueue" | "quarantine" | "activity" | "events" | "states" | "damage" | "rebuilding"
  > {
  /** Schedules the pending recipients of messages released from quarantine. */
  loadQueues: () => void;
}

/**
 * In the order of acceptance, so that the oldest are due first. Also those that were retried since. From the index alone: the rows may be
 * damaged.
 */
export const FAILED = `
  SELECT DISTINCT seq, position FROM events INDEXED BY events_failed
    WHERE result = 'failed' AND account_id = @accountId AND (seq, position) > (@seq, @position) AND seq <= @lastSeq
    ORDER BY seq, position LIMIT @limit`;

const ROW = `
  SELECT r.seq, r.position, r.account_id AS accountId, r.email, r.domain, r.result, r.reason, r.category, r.attempts,
         r.at_ms AS failedAtMs, m.id AS messageId, m.deadline_ms AS deadlineMs, EXISTS (SELECT 1 FROM contents c WHERE c.seq = r.seq) AS hasContent
    FROM recipient_states r CROSS JOIN messages m ON m.seq = r.seq WHERE r.seq = @seq AND r.position = @position`;

export class RetryFailed {
  readonly #parts: RetryFailedParts;
  readonly #soundness: Soundness;
  readonly #failed;
  readonly #row;
  readonly #seqOf;
  readonly #renew;
  readonly #liftDeadline;
  /** The names of recipients that were found damaged. */
  readonly #unreadable = new Set<string>();

  constructor(db: Database, parts: RetryFailedParts) {
    this.#parts = parts;
    this.#soundness = new Soundness(db);
    this.#failed = db.prepare<SeqRange, RecipientKey>(FAILED);
    this.#row = db.prepare<RecipientKey, FailedRow>(ROW);
    this.#seqOf = db.prepare<[string], number>("SELECT seq FROM messages WHERE id = ?").pluck();
    this.#renew = db.prepare("UPDATE messages SET expires_at_ms = ? WHERE seq = ? AND expires_at_ms < ?");
    this.#liftDeadline = prepareDeadlines(db);
  }

  /** Runs one step. */
  retry(step: RetryFailedStep): Written<RetryFailedResult> {
    const failed = step.recipients === undefined ? this.#failed.all(this.#rangeOf(step)) : this.#named(step);
    const sound = failed.filter((key) => this.#isSound(key, step));
    const rows = sound
      .map((key) => this.#skippingDamaged(key, () => this.#read(key)))
      .filter(({ result: present }) => present === "failed");
    const { due, result } = selectRetried(step, rows);
    const released = step.dryRun ? new Set<number>() : this.#makeDue(due, step);
    const isEnd = step.recipients !== undefined || failed.length < step.limit;
    const last = isEnd ? undefined : failed.at(-1);
    const value: RetryFailedResult = {
      ...result,
      unreadable: failed.length - sound.length,
      next: last === undefined ? null : nameOf(last),
    };
    if (step.dryRun || due.length === 0) return { value };
    return { value, committed: () => this.#schedule(due, released, step) };
  }

  #rangeOf({ accountId, messageId, after, limit }: RetryFailedStep): SeqRange {
    const only = messageId === undefined ? null : (this.#seqOf.get(messageId) ?? 0);
    const [seq, position] = after === null ? [only ?? 0, -1] : after.split(" ").map(Number);
    return { accountId, seq: seq ?? 0, position: position ?? -1, lastSeq: only ?? Number.MAX_SAFE_INTEGER, limit };
  }

  /** Those of the step's recipients that have failed. From the index alone, as all. */
  #named({ accountId, recipients = [] }: RetryFailedStep): RecipientKey[] {
    return recipients.flatMap(({ messageId, positions }) => {
      const seq = this.#seqOf.get(messageId);
      if (seq === undefined) return [];
      const failed = this.#failed.all({ accountId, seq, position: -1, lastSeq: seq, limit: Number.MAX_SAFE_INTEGER });
      return failed.filter(({ position }) => positions.includes(position));
    });
  }

  #isSound(key: RecipientKey, step: RetryFailedStep): boolean {
    return !this.#unreadable.has(nameOf(key)) && !this.#skippingDamaged(key, () => this.#isHeld(key, step));
  }

  /** Whether the message stays in quarantine. If it is retried by name and can be read again, it is released. */
  #isHeld({ seq }: RecipientKey, { messageId }: RetryFailedStep): boolean {
    if (!this.#parts.quarantine.has(seq)) return false;
    if (messageId === undefined) return true;
    try {
      this.#soundness.checkRows(seq);
      this.#soundness.checkContent(seq);
      return false;
    } catch (error) {
      // A page that SQLite cannot read fails the transaction as well.
      if (error instanceof RowDamaged) return true;
      throw error;
    }
  }

  #read(key: RecipientKey): FailedRow {
    const row = this.#row.get(key);
    if (row === undefined) throw new RowDamaged("the index lists a failed recipient that is missing");
    return row;
  }

  /** Returns the result of `run`. If it throws damage, the transaction must be repeated, and skips the recipient then. */
  #skippingDamaged<T>(key: RecipientKey, run: () => T): T {
    try {
      return run();
    } catch (error) {
      const { damage, rebuilding } = this.#parts;
      // Before the indexes are checked, the damage may be an index's.
      if (!isDamage(error) || !rebuilding.hasTriedIndexes) throw error;
      damage.note(`the message in row ${key.seq}, whose failed recipients are retried`, error);
      this.#unreadable.add(nameOf(key));
      damage.avoid();
      throw error;
    }
  }

  /** Returns the messages that it released from quarantine. */
  #makeDue(rows: FailedRow[], step: RetryFailedStep): Set<number> {
    const { quarantine, events } = this.#parts;
    for (const row of rows) {
      this.#liftDeadline(row.seq, step.nowMs, (run) => events.change(row.seq, run));
      this.#skippingDamaged(row, () => this.#setPending(row, step));
    }
    const released = new Set(rows.map(({ seq }) => seq).filter((seq) => quarantine.has(seq)));
    for (const seq of released) quarantine.remove(seq);
    return released;
  }

  #setPending(row: FailedRow, step: RetryFailedStep): void {
    const { seq, domain, failedAtMs, attempts } = row;
    const { accountId, nowMs, expiresAtMs } = step;
    const { activity, states } = this.#parts;
    if (!isTestRoute(domain)) activity.retryingFailed({ accountId, failedAtMs });
    const fresh = { result: "pending", reason: null, category: null, smtp: null, dueMs: nowMs } as const;
    states.set(row, { ...fresh, attempts, atMs: nowMs, history: retriedEntry(attempts, step) });
    this.#renew.run(expiresAtMs, seq, expiresAtMs);
  }

  #schedule(rows: FailedRow[], released: Set<number>, { accountId, nowMs }: RetryFailedStep): void {
    const { scheduler, hotQueue, quarantine } = this.#parts;
    for (const seq of released) quarantine.released(seq);
    if (released.size > 0) this.#parts.loadQueues();
    for (const domain of new Set(rows.map((row) => row.domain))) scheduler.schedule(accountId, domain, nowMs);
    hotQueue.clear();
  }
}

const nameOf = ({ seq, position }: RecipientKey): string => `${seq} ${position}`;
