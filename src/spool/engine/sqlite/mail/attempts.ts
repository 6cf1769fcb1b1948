/**
 * The writes of a delivery attempt: the mark before the final dot, the settlement, and the release of a lease without an
 * attempt. Each is for the recipients under the caller's lease alone; leases.ts knows which these are. The caller holds the
 * transaction. Work that must follow the commit is returned as `committed`.
 */

import type { Database } from "better-sqlite3";
import { refusalKey } from "../../../../message/result/suppression.ts";
import { isTestRoute } from "../../../../message/test-route.ts";
import type { Lease, Mark, MarkResult, ReleasedJob } from "../../../port/mail.ts";
import { attemptEntry } from "../../../records/attempt-entry.ts";
import type { Written } from "../connection/uncommitted-result.ts";
import type { WriterParts } from "../connection/writer-parts.ts";
import { unlessDamaged } from "../files/damage.ts";
import { RefusalHistory } from "../incoming/refusal-history.ts";
import type { LeasedMessage, LeasedRecipient, RecoveredRecipient } from "./leases.ts";
import type { StoredSettlement, StoredSettlements } from "./mail-codec.ts";
import type { RecipientKey } from "./recipient-key.ts";
import { TOUCH_MESSAGE } from "./recipient-states.ts";

const SET_RESULT = `
  UPDATE recipients SET state = ?, reason = ?, category = ?, attempts = attempts + ?, next_attempt_at_ms = ?, updated_at_ms = ?,
    smtp = coalesce(?, CASE WHEN ? <> 'unknown' THEN smtp END), mark = NULL
    WHERE seq = ? AND position = ?`;

/** Settles one pending or marked recipient. */
export const SETTLE = `${SET_RESULT} AND state IN ('pending', 'marked')`;

/** Settles one unknown recipient that has not been changed since it was recovered. */
const SETTLE_RECOVERED = `${SET_RESULT} AND state = 'unknown' AND attempts = ? AND updated_at_ms = ?`;

type Recipient = Pick<LeasedRecipient, "email" | "domain" | "attempts">;

/** When an attempt was settled, and under which lease. */
interface SettledAttempt {
  lease: Lease;
  atMs: number;
}

export class Attempts {
  readonly #parts;
  readonly #refusals;
  readonly #message;
  readonly #recipient;
  readonly #nextAttempt;
  readonly #mark;
  readonly #settle;
  readonly #settleRecovered;
  readonly #touch;

  constructor(
    db: Database,
    parts: Pick<WriterParts, "scheduler" | "hotQueue" | "leases" | "activity" | "events" | "damage">,
  ) {
    this.#parts = parts;
    this.#refusals = new RefusalHistory(db, parts.damage);
    this.#message = db.prepare<[string], LeasedMessage>(
      "SELECT seq, account_id AS accountId, created_at_ms AS createdAtMs FROM messages WHERE id = ?",
    );
    this.#recipient = db.prepare<[number, number], Recipient>(
      "SELECT email, domain, attempts FROM recipients WHERE seq = ? AND position = ?",
    );
    this.#nextAttempt = db
      .prepare<[number, number], number | null>(
        "SELECT next_attempt_at_ms FROM recipients WHERE seq = ? AND position = ?",
      )
      .pluck();
    this.#mark = db.prepare(
      `UPDATE recipients SET state = 'marked', next_attempt_at_ms = NULL, mark = ?
         WHERE seq = ? AND position = ? AND state IN ('pending', 'marked')`,
    );
    this.#settle = db.prepare(SETTLE);
    this.#settleRecovered = db.prepare(SETTLE_RECOVERED);
    this.#touch = db.prepare(TOUCH_MESSAGE);
  }

  /** Throws if there is no such message. */
  messageOf(messageId: string): LeasedMessage {
    const found = this.#parts.leases.messageOf(messageId) ?? this.#message.get(messageId);
    if (found === undefined) throw new Error(`no message ${messageId} in the spool`);
    return found;
  }

  mark({ messageId, positions, lease, atMs, mx, ip }: Mark): Written<MarkResult> {
    const { leases } = this.#parts;
    const { seq } = leases.messageOf(messageId) ?? {};
    if (seq === undefined || leases.hasExpired(lease)) return { value: "lease_lost" };
    if (!positions.every((position) => leases.heldUnder(lease, { seq, position }) !== undefined)) {
      return { value: "lease_lost" };
    }
    const evidence = JSON.stringify({ at_ms: atMs, mx, ip });
    let marked = 0;
    for (const position of positions) marked += this.#mark.run(evidence, seq, position).changes;
    // A recipient that was cancelled is not pending. Another process may have done that.
    if (marked === positions.length) return { value: "marked" };
    return { value: marked === 0 ? "lease_lost" : "partly_lost" };
  }

  settle({ messageId, atMs, settlements, lease }: StoredSettlements): Written<"settled" | "lease_lost"> {
    const message = this.#parts.leases.messageOf(messageId) ?? this.#message.get(messageId);
    if (message === undefined) return { value: "lease_lost" };
    const { seq, accountId } = message;
    const settled: Recipient[] = [];
    const deferred: { domain: string; dueMs: number }[] = [];
    for (const settlement of settlements) {
      const recipient = this.#settleOne(message, settlement, { lease, atMs });
      if (recipient === null) continue;
      settled.push(recipient);
      const { nextAttemptAtMs: dueMs } = settlement;
      if (dueMs !== null) deferred.push({ domain: recipient.domain, dueMs });
    }
    if (settled.length > 0) this.#touch.run(atMs, seq);
    const committed = (): void => {
      for (const { domain, dueMs } of deferred) {
        this.#parts.scheduler.schedule(accountId, domain, dueMs);
        this.#parts.scheduler.noteDeferred(accountId, domain, atMs);
      }
      const positions = settlements.map(({ position }) => position);
      this.#endLease(message, positions, lease);
      this.#parts.leases.forgetRecovered(lease, seq, positions);
    };
    return { value: settled.length > 0 ? "settled" : "lease_lost", committed };
  }

  /** Returns leased recipients to the queue unchanged. */
  release({ messageId, positions, lease, ...job }: ReleasedJob): void {
    const { scheduler, leases, hotQueue } = this.#parts;
    const message = leases.messageOf(messageId);
    if (message === undefined) return;
    const { seq, accountId } = message;
    const destination = job.destination ?? null;
    for (const position of positions) {
      const recipient = leases.heldUnder(lease, { seq, position });
      if (recipient === undefined) continue;
      const { domain } = recipient;
      const acceptedMs = recipient.attempts === 0 ? this.#nextAttemptOf({ seq, position }) : null;
      if (acceptedMs !== null) hotQueue.drop({ accountId, domain, acceptedMs });
      scheduler.requeue({ accountId, domain }, { destination, acceptedMs });
    }
    this.#endLease(message, positions, lease);
  }

  /** Returns null if the recipient is marked, or damaged. */
  #nextAttemptOf({ seq, position }: RecipientKey): number | null {
    const known = { log: this.#parts.damage, place: "recipients" };
    return unlessDamaged(() => this.#nextAttempt.get(seq, position) ?? null, null, known);
  }

  /** Returns the recipient; null if nothing was stored. */
  #settleOne(message: LeasedMessage, settlement: StoredSettlement, attempt: SettledAttempt): Recipient | null {
    const { leases } = this.#parts;
    const key = { seq: message.seq, position: settlement.position };
    const leased = leases.heldUnder(attempt.lease, key);
    if (leased !== undefined) return this.#settleLeased(message, settlement, { ...attempt, leased });
    const recovered = leases.recoveredUnder(attempt.lease, key);
    if (recovered !== undefined) return this.#settleLate(message, settlement, { ...attempt, recovered });
    return null;
  }

  #settleLeased(
    message: LeasedMessage,
    settlement: StoredSettlement,
    { leased, atMs }: SettledAttempt & { leased: LeasedRecipient },
  ): Recipient | null {
    this.#parts.leases.endInTransaction(leased);
    const attempts = settlement.untried ? 0 : 1;
    const { changes } = this.#settle.run(...resultOf(settlement, { attempts, atMs }), message.seq, settlement.position);
    if (changes === 0) return null;
    this.#recordResult(message, settlement, { recipient: leased, atMs, attempt: leased.attempts + attempts });
    return leased;
  }

  /** Settles a recipient that was recovered as unknown. Its attempt is counted already. */
  #settleLate(
    message: LeasedMessage,
    settlement: StoredSettlement,
    { recovered, atMs }: SettledAttempt & { recovered: RecoveredRecipient },
  ): Recipient | null {
    const { seq, accountId } = message;
    const { position } = settlement;
    const { attempts, updatedAtMs } = recovered;
    const recipient = this.#recipient.get(seq, position);
    const result = resultOf(settlement, { attempts: 0, atMs });
    const { changes } = this.#settleRecovered.run(...result, seq, position, attempts, updatedAtMs);
    if (recipient === undefined || changes === 0) return null;
    if (!isTestRoute(recipient.domain)) this.#parts.activity.unknownNoLonger(accountId, updatedAtMs);
    this.#recordResult(message, settlement, { recipient, atMs, attempt: attempts });
    return recipient;
  }

  /** Adds what follows from a stored result: counts, refusals and the event. */
  #recordResult(
    message: LeasedMessage,
    settlement: StoredSettlement,
    { recipient, atMs, attempt }: { recipient: Recipient; atMs: number; attempt: number },
  ): void {
    const { seq, accountId } = message;
    const { position, result, attemptReason: reason } = settlement;
    if (!isTestRoute(recipient.domain)) {
      this.#parts.activity.settled(message, atMs, result);
      this.#updateRefusals(accountId, recipient, settlement);
    }
    const history = attemptEntry({ ...settlement, reason, atMs, attempt });
    this.#parts.events.addRecipient({ seq, position }, { accountId, atMs, result, history });
  }

  /** A delivery clears the refusals of the address; some refusals are added to them. */
  #updateRefusals(accountId: string, { email, domain }: Recipient, { result, refusal }: StoredSettlement): void {
    if (result !== "delivered" && refusal === null) return;
    const address = refusalKey(email, domain);
    if (refusal === null) this.#refusals.clearByDelivery(accountId, address);
    else this.#refusals.add(accountId, address, refusal);
  }

  /** Recipients that fell due during the lease are scheduled again, however long they have been due. */
  #endLease({ seq, accountId }: LeasedMessage, positions: number[], lease: Lease): void {
    const { scheduler, leases } = this.#parts;
    for (const domain of leases.end(lease, seq, positions)) scheduler.schedule(accountId, domain, 0);
  }
}

/** The first parameters of SETTLE and SETTLE_RECOVERED. */
function resultOf(
  { result, reason, category, nextAttemptAtMs, smtp }: StoredSettlement,
  { attempts, atMs }: { attempts: number; atMs: number },
) {
  return [result, reason, category, attempts, nextAttemptAtMs, atMs, smtp, result] as const;
}
