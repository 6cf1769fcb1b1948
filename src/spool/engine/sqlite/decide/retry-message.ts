/**
 * An operator's retry of one message: makes its pending and unknown recipients due now. A quarantined message that can be
 * read again is released first. The caller holds the transaction. retry-failed.ts retries failed recipients.
 */
import type { Database } from "better-sqlite3";
import { isTestRoute } from "../../../../message/test-route.ts";
import type { RetryFilter } from "../../../port/operations.ts";
import { retriedEntry } from "../../../records/retried-entry.ts";
import type { Written } from "../connection/uncommitted-result.ts";
import type { WriterParts } from "../connection/writer-parts.ts";
import type { Soundness } from "../files/soundness.ts";
import { prepareDeadlines } from "../mail/deadlines.ts";
import type { StoredState } from "../mail/recipient-states.ts";

export class RetryMessage {
  readonly #parts;
  readonly #liftDeadline;
  readonly #seqOf;

  constructor(
    db: Database,
    parts: Pick<WriterParts, "scheduler" | "hotQueue" | "quarantine" | "activity" | "events" | "states"> & {
      soundness: Soundness;
    },
  ) {
    this.#parts = parts;
    this.#liftDeadline = prepareDeadlines(db);
    this.#seqOf = db
      .prepare<[string, string], number>("SELECT seq FROM messages WHERE id = ? AND account_id = ?")
      .pluck();
  }

  /** Returns how many recipients are due now. Throws the damage of a quarantined message that still cannot be read. */
  retry(filter: RetryFilter): Written<number> {
    const { scheduler, hotQueue, quarantine, states } = this.#parts;
    const { accountId, messageId, nowMs } = filter;
    const seq = this.#seqOf.get(messageId, accountId);
    const releasedSeq = this.#releaseQuarantined(seq);
    const all = seq === undefined ? [] : states.ofMessage(seq);
    const rows = all.filter((row) => isOpen(row) && selects(filter, row));
    for (const row of rows) this.#makeDue(row, filter);
    const committed = (): void => {
      if (releasedSeq !== null) quarantine.released(releasedSeq);
      // As new messages: an operator waits for them.
      for (const row of rows) scheduler.enqueue(accountId, row.domain, nowMs);
      hotQueue.clear();
    };
    return { value: rows.length, committed };
  }

  #makeDue(row: StoredState, filter: RetryFilter): void {
    const { events, activity, states } = this.#parts;
    const { seq, domain, result, reason, category, attempts, smtp } = row;
    const { accountId, nowMs } = filter;
    if (result === "unknown" && !isTestRoute(domain)) activity.unknownNoLonger(accountId, row.atMs ?? 0);
    this.#liftDeadline(seq, nowMs, (run) => events.change(seq, run));
    const history = retriedEntry(attempts, filter);
    states.set(row, { result: "pending", reason, category, attempts, smtp, dueMs: nowMs, atMs: nowMs, history });
  }

  /** Returns the released message; null if it was not quarantined. Throws if it still cannot be read. */
  #releaseQuarantined(seq: number | undefined): number | null {
    const { quarantine, soundness } = this.#parts;
    if (seq === undefined || !quarantine.has(seq)) return null;
    soundness.checkRows(seq);
    soundness.checkContent(seq);
    quarantine.remove(seq);
    return seq;
  }
}

const isOpen = ({ result, mark }: StoredState): boolean =>
  result === "unknown" || (result === "pending" && mark === null);

const selects = ({ email, positions, result }: RetryFilter, row: StoredState): boolean =>
  (email === undefined || row.email === email) &&
  (positions === undefined || positions.includes(row.position)) &&
  (result === undefined || row.result === result);
