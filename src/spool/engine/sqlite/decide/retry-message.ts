/**
 * An operator's retry of one message: makes its pending and unknown recipients due now. A quarantined message that can be
 * read again is released first. The caller holds the transaction. retry-failed.ts retries failed recipients.
 */
import type { Database } from "better-sqlite3";
import type { Category } from "../../../../message/result/category.ts";
import { isTestRoute } from "../../../../message/test-route.ts";
import type { RetryFilter } from "../../../port/operations.ts";
import { retriedEntry } from "../../../records/retried-entry.ts";
import type { Written } from "../connection/uncommitted-result.ts";
import type { WriterParts } from "../connection/writer-parts.ts";
import type { Soundness } from "../files/soundness.ts";
import { prepareDeadlines } from "../mail/deadlines.ts";
import type { RecipientKey } from "../mail/recipient-key.ts";
import { RecipientStates } from "../mail/recipient-states.ts";

interface OpenRow extends RecipientKey {
  email: string;
  domain: string;
  attempts: number;
  result: "pending" | "unknown";
  reason: string | null;
  category: Category | null;
  updatedAtMs: number;
}

export class RetryMessage {
  readonly #parts;
  readonly #liftDeadline;
  readonly #seqOf;
  readonly #open;
  readonly #states: RecipientStates;

  constructor(
    db: Database,
    parts: Pick<WriterParts, "scheduler" | "hotQueue" | "quarantine" | "activity" | "events"> & {
      soundness: Soundness;
    },
  ) {
    this.#parts = parts;
    this.#liftDeadline = prepareDeadlines(db);
    this.#seqOf = db
      .prepare<[string, string], number>("SELECT seq FROM messages WHERE id = ? AND account_id = ?")
      .pluck();
    this.#open = db.prepare<[string, string], OpenRow>(
      `SELECT seq, position, email, domain, attempts, state AS result, reason, category, updated_at_ms AS updatedAtMs FROM recipients
         WHERE seq = (SELECT seq FROM messages WHERE id = ? AND account_id = ?) AND state IN ('pending', 'unknown')`,
    );
    this.#states = new RecipientStates(db);
  }

  /** Returns how many recipients are due now. Throws the damage of a quarantined message that still cannot be read. */
  retry(filter: RetryFilter): Written<number> {
    const { scheduler, hotQueue, quarantine } = this.#parts;
    const { accountId, messageId, nowMs } = filter;
    const releasedSeq = this.#releaseQuarantined(accountId, messageId);
    const rows = this.#open.all(messageId, accountId).filter((row) => selects(filter, row));
    for (const row of rows) this.#makeDue(row, filter);
    const committed = (): void => {
      if (releasedSeq !== null) quarantine.released(releasedSeq);
      // As new messages: an operator waits for them.
      for (const row of rows) scheduler.enqueue(accountId, row.domain, nowMs);
      hotQueue.clear();
    };
    return { value: rows.length, committed };
  }

  #makeDue(row: OpenRow, filter: RetryFilter): void {
    const { events, activity } = this.#parts;
    const { seq, domain, result, reason, category, updatedAtMs } = row;
    const { accountId, nowMs } = filter;
    if (result === "unknown" && !isTestRoute(domain)) activity.unknownNoLonger(accountId, updatedAtMs);
    this.#states.set(row, { result: "pending", reason, category, dueMs: nowMs, keepsReply: true, nowMs });
    this.#states.touch(seq, nowMs);
    this.#liftDeadline(seq, nowMs, (run) => events.change(seq, run));
    const history = retriedEntry(row.attempts, filter);
    events.addRecipient(row, { accountId, atMs: nowMs, result: "pending", history });
  }

  /** Returns the released message; null if it was not quarantined. Throws if it still cannot be read. */
  #releaseQuarantined(accountId: string, messageId: string): number | null {
    const { quarantine, soundness } = this.#parts;
    const seq = this.#seqOf.get(messageId, accountId);
    if (seq === undefined || !quarantine.has(seq)) return null;
    soundness.checkRows(seq);
    soundness.checkContent(seq);
    quarantine.remove(seq);
    return seq;
  }
}

const selects = ({ email, positions, result }: RetryFilter, row: OpenRow): boolean =>
  (email === undefined || row.email === email) &&
  (positions === undefined || positions.includes(row.position)) &&
  (result === undefined || row.result === result);
