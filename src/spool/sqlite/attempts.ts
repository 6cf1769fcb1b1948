/**
 * The writes of a delivery attempt: the mark before the final dot, the settlement, and the release of a lease without an
 * attempt. The caller holds the transaction. Work that must follow the commit is returned as `committed`.
 */

import type { Database } from "better-sqlite3";
import { refusalKey } from "../../message/suppression.ts";
import type { Mark, ReleasedJob } from "../port/mail.ts";
import type { StoredSettlement, StoredSettlements } from "./codec.ts";
import { unlessDamaged } from "./damage.ts";
import type { HistoryWriter } from "./history-writer.ts";
import type { LeasedMessage, LeasedRecipient } from "./leases.ts";
import { RefusalHistory } from "./refusal-history.ts";
import type { WriterParts } from "./writer-parts.ts";
import type { Written } from "./written.ts";

/** Settles one pending or marked recipient. */
export const SETTLE = `
  UPDATE recipients SET state = ?, reason = ?, category = ?, attempts = attempts + ?, next_attempt_at_ms = ?, updated_at_ms = ?,
    smtp = coalesce(?, CASE WHEN ? <> 'unknown' THEN smtp END), mark = NULL
    WHERE seq = ? AND position = ? AND state IN ('pending', 'marked')`;

export const TOUCH_MESSAGE = "UPDATE messages SET updated_at_ms = ? WHERE seq = ?";

interface RecipientRow {
  domain: string;
  attempts: number;
  next_attempt_at_ms: number | null;
}

export class Attempts {
  readonly #parts;
  readonly #history: HistoryWriter;
  readonly #refusals;
  readonly #message;
  readonly #leasedRecipient;
  readonly #recipient;
  readonly #mark;
  readonly #settle;
  readonly #touch;

  constructor(
    db: Database,
    parts: Pick<WriterParts, "scheduler" | "hotQueue" | "leases" | "activity" | "outbox" | "damage"> & {
      history: HistoryWriter;
    },
  ) {
    this.#parts = parts;
    this.#history = parts.history;
    this.#refusals = new RefusalHistory(db, parts.damage);
    this.#message = db.prepare<[string], LeasedMessage>(
      "SELECT seq, account_id AS accountId, created_at_ms AS createdAtMs FROM messages WHERE id = ?",
    );
    this.#leasedRecipient = db.prepare<[number, number], LeasedRecipient>(
      "SELECT email, domain, attempts FROM recipients WHERE seq = ? AND position = ?",
    );
    this.#recipient = db.prepare<[number, number], RecipientRow>(
      "SELECT domain, attempts, next_attempt_at_ms FROM recipients WHERE seq = ? AND position = ?",
    );
    this.#mark = db.prepare(
      `UPDATE recipients SET state = 'marked', next_attempt_at_ms = NULL, mark = ?
         WHERE seq = ? AND position = ? AND state IN ('pending', 'marked')`,
    );
    this.#settle = db.prepare(SETTLE);
    this.#touch = db.prepare(TOUCH_MESSAGE);
  }

  /** Throws if there is no such message. */
  messageOf(messageId: string): LeasedMessage {
    const found = this.#parts.leases.messageOf(messageId) ?? this.#message.get(messageId);
    if (found === undefined) throw new Error(`no message ${messageId} in the spool`);
    return found;
  }

  mark(mark: Mark): Written<void> {
    const { seq } = this.messageOf(mark.messageId);
    const areLeased = this.#parts.leases.holds(seq, mark.positions);
    const evidence = JSON.stringify({ at_ms: mark.atMs, mx: mark.mx, ip: mark.ip });
    for (const position of mark.positions) {
      const { changes } = this.#mark.run(evidence, seq, position);
      if (changes !== 1) throw new Error(`recipient ${position} of ${mark.messageId} cannot be marked: it is final`);
    }
    return { value: undefined, committed: () => this.#clearHotUnless(areLeased) };
  }

  settle({ messageId, atMs, settlements }: StoredSettlements): Written<void> {
    const message = this.messageOf(messageId);
    const { seq, accountId } = message;
    const positions = settlements.map(({ position }) => position);
    const areLeased = this.#parts.leases.holds(seq, positions);
    const deferred: { domain: string; dueMs: number }[] = [];
    for (const settlement of settlements) {
      const recipient = this.#settleOne(message, settlement, atMs);
      const { nextAttemptAtMs: dueMs } = settlement;
      if (recipient !== null && dueMs !== null) deferred.push({ domain: recipient.domain, dueMs });
    }
    this.#touch.run(atMs, seq);
    const committed = (): void => {
      for (const { domain, dueMs } of deferred) this.#parts.scheduler.schedule(accountId, domain, dueMs);
      this.#endLease(message, positions);
      this.#clearHotUnless(areLeased);
    };
    return { value: undefined, committed };
  }

  /** Returns leased recipients to the queue unchanged. */
  release({ messageId, positions, ...job }: ReleasedJob): void {
    const { scheduler, leases, hotQueue, damage } = this.#parts;
    const message = this.messageOf(messageId);
    const { seq, accountId } = message;
    const destination = job.destination ?? null;
    for (const position of positions) {
      const row = unlessDamaged(() => this.#recipient.get(seq, position), undefined, {
        log: damage,
        place: "recipients",
      });
      const domain = row?.domain ?? leases.recipientOf(seq, position)?.domain;
      if (domain === undefined) continue;
      const acceptedMs = row?.attempts === 0 ? row.next_attempt_at_ms : null;
      if (acceptedMs !== null) hotQueue.drop({ accountId, domain, acceptedMs });
      scheduler.requeue({ accountId, domain }, { destination, acceptedMs });
    }
    this.#endLease(message, positions);
  }

  /** Returns the recipient; null if it was final already or does not exist. */
  #settleOne(message: LeasedMessage, s: StoredSettlement, atMs: number): LeasedRecipient | null {
    const { seq } = message;
    const { position, result, reason, category, smtp } = s;
    const recipient = this.#parts.leases.recipientOf(seq, position) ?? this.#leasedRecipient.get(seq, position);
    const attempts = s.untried ? 0 : 1;
    const dueMs = s.nextAttemptAtMs;
    const { changes } = this.#settle.run(result, reason, category, attempts, dueMs, atMs, smtp, result, seq, position);
    if (recipient === undefined || changes === 0) return null;
    this.#parts.activity.settled(message, atMs, result);
    this.#updateRefusals(message.accountId, recipient, s);
    this.#record(seq, s, { atMs, attempt: recipient.attempts + attempts });
    this.#parts.outbox.addRecipient({ seq, position }, { accountId: message.accountId, atMs, result });
    return recipient;
  }

  /** A delivery clears the refusals of the address; some refusals are added to them. */
  #updateRefusals(accountId: string, { email, domain }: LeasedRecipient, { result, refusal }: StoredSettlement): void {
    if (result !== "delivered" && refusal === null) return;
    const address = refusalKey(email, domain);
    if (refusal === null) this.#refusals.clear(accountId, address);
    else this.#refusals.add(accountId, address, refusal);
  }

  /** Writes the attempt into the recipient's history, from JSON that the settlement already contains. */
  #record(seq: number, s: StoredSettlement, { atMs, attempt }: { atMs: number; attempt: number }): void {
    const type = s.outcome === "deferred" && s.result === "failed" ? "expired" : s.outcome;
    const cause = `"reason":${JSON.stringify(s.reason)},"category":${JSON.stringify(s.category)}`;
    const head = `{"at_ms":${atMs},"type":"${type}","attempt":${attempt},${cause}`;
    const event = `${head},"tries":${s.tries},"next_attempt_at_ms":${s.nextAttemptAtMs}}`;
    this.#history.add(seq, s.position, event);
  }

  /** Clears the hot queue unless the recipients were leased: one that was not may still be in it. */
  #clearHotUnless(areLeased: boolean): void {
    if (!areLeased) this.#parts.hotQueue.clear();
  }

  /** Recipients that fell due during the lease are scheduled again, however long they have been due. */
  #endLease({ seq, accountId }: LeasedMessage, positions: number[]): void {
    const { scheduler, leases } = this.#parts;
    for (const domain of leases.end(seq, positions)) scheduler.schedule(accountId, domain, 0);
  }
}
