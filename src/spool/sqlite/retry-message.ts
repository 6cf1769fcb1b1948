/**
 * An operator's retry of one message: makes its pending and unknown recipients due now. A quarantined message that can be
 * read again is released first. The caller holds the transaction. retry-failed.ts retries failed recipients.
 */
import type { Database } from "better-sqlite3";
import { TOUCH_MESSAGE } from "./attempts.ts";
import { prepareDeadlines } from "./deadlines.ts";
import type { HistoryWriter } from "./history-writer.ts";
import type { RecipientKey } from "./recipient-key.ts";
import type { Soundness } from "./soundness.ts";
import type { WriterParts } from "./writer-parts.ts";
import type { Written } from "./written.ts";

export interface RetryArgs {
  accountId: string;
  messageId: string;
  /** Retries this recipient alone. */
  email?: string;
  nowMs: number;
}

interface OpenRow extends RecipientKey {
  email: string;
  domain: string;
  attempts: number;
}

export class RetryMessage {
  readonly #parts;
  readonly #liftDeadline;
  readonly #seqOf;
  readonly #open;
  readonly #setDue;
  readonly #touch;

  constructor(
    db: Database,
    parts: Pick<WriterParts, "scheduler" | "hotQueue" | "quarantine" | "outbox"> & {
      history: HistoryWriter;
      soundness: Soundness;
    },
  ) {
    this.#parts = parts;
    this.#liftDeadline = prepareDeadlines(db);
    this.#seqOf = db
      .prepare<[string, string], number>("SELECT seq FROM messages WHERE id = ? AND account_id = ?")
      .pluck();
    this.#open = db.prepare<[string, string], OpenRow>(
      `SELECT seq, position, email, domain, attempts FROM recipients
         WHERE seq = (SELECT seq FROM messages WHERE id = ? AND account_id = ?) AND state IN ('pending', 'unknown')`,
    );
    this.#setDue = db.prepare(
      `UPDATE recipients SET state = 'pending', next_attempt_at_ms = ?, updated_at_ms = ?
         WHERE seq = ? AND position = ? AND state IN ('pending', 'unknown')`,
    );
    this.#touch = db.prepare(TOUCH_MESSAGE);
  }

  /** Returns how many recipients are due now. Throws the damage of a quarantined message that still cannot be read. */
  retry({ accountId, messageId, email, nowMs }: RetryArgs): Written<number> {
    const { scheduler, hotQueue, quarantine } = this.#parts;
    const releasedSeq = this.#releaseQuarantined(accountId, messageId);
    const open = this.#open.all(messageId, accountId);
    const rows = open.filter((row) => email === undefined || row.email === email);
    for (const row of rows) this.#makeDue(row, { accountId, nowMs });
    const committed = (): void => {
      if (releasedSeq !== null) quarantine.released(releasedSeq);
      // As new messages: an operator waits for them.
      for (const row of rows) scheduler.enqueue(accountId, row.domain, nowMs);
      hotQueue.clear();
    };
    return { value: rows.length, committed };
  }

  #makeDue(row: OpenRow, { accountId, nowMs }: { accountId: string; nowMs: number }): void {
    const { history, outbox } = this.#parts;
    const { seq, position } = row;
    this.#setDue.run(nowMs, nowMs, seq, position);
    this.#liftDeadline(seq, nowMs, (run) => history.run(seq, run));
    this.#touch.run(nowMs, seq);
    history.addRetried(row, nowMs);
    outbox.addRecipient(row, { accountId, atMs: nowMs, result: "pending" });
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
