/**
 * The writes of a delivery attempt: the mark before the final dot, the settlement, and the release of a lease without an
 * attempt. Each is for the recipients only under the caller's lease; leases.ts knows which these are. The caller holds the
 * transaction. Work that must follow the commit is returned as `committed`.
 */

import type { Database } from "better-sqlite3";
import { refusalKey } from "../../../../message/result/suppression.ts";
import { isTestRoute } from "../../../../message/test-route.ts";
import type { Lease, Mark, MarkResult, ReleasedJob } from "../../../port/mail.ts";
import { settledEvent } from "../../../records/settled-event.ts";
import type { RecipientKey } from "../../session.ts";
import type { Written } from "../connection/uncommitted-result.ts";
import type { WriterParts } from "../connection/writer-parts.ts";
import { unlessDamaged } from "../files/damage.ts";
import { RefusalHistory } from "../incoming/refusal-history.ts";
import type { LeasedMessage, LeasedRecipient, RecoveredRecipient } from "./leases.ts";
import type { StoredSettlement, StoredSettlements } from "./mail-codec.ts";
import type { PlacedRecipient, StateChange } from "./recipient-states.ts";

type Recipient = Pick<LeasedRecipient, "email" | "domain">;

/** When an attempt was settled, and under which lease. */
interface SettledAttempt {
  lease: Lease;
  atMs: number;
}

export class Attempts {
  readonly #parts;
  readonly #refusals;
  readonly #message;
  readonly #nextAttempt;
  readonly #mark;

  constructor(
    db: Database,
    parts: Pick<WriterParts, "scheduler" | "hotQueue" | "leases" | "activity" | "states" | "damage">,
  ) {
    this.#parts = parts;
    this.#refusals = new RefusalHistory(db, parts.damage);
    this.#message = db.prepare<[string], LeasedMessage>(
      "SELECT seq, account_id AS accountId, created_at_ms AS createdAtMs, send_at_ms AS sendAtMs FROM messages WHERE id = ?",
    );
    this.#nextAttempt = db
      .prepare<[number, number], number | null>(
        "SELECT due_ms FROM work WHERE seq = ? AND position = ? AND mark IS NULL",
      )
      .pluck();
    this.#mark = db.prepare("UPDATE work SET mark = ? WHERE seq = ? AND position = ?");
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
    const { leases, states } = this.#parts;
    leases.endInTransaction(leased);
    const change = changeOf(settlement, { attempts: leased.attempts + (settlement.untried ? 0 : 1), atMs });
    // An earlier refusal would contradict an unknown result.
    if (change.smtp === null && leased.smtp !== null && change.result !== "unknown") {
      change.smtp = JSON.stringify(leased.smtp);
    }
    if (!states.settle(placed(message, settlement.position, leased), change)) return null;
    this.#count(message, settlement, { recipient: leased, atMs });
    return leased;
  }

  /** Settles a recipient that was recovered as unknown. Its attempt is counted already. */
  #settleLate(
    message: LeasedMessage,
    settlement: StoredSettlement,
    { recovered, atMs }: SettledAttempt & { recovered: RecoveredRecipient },
  ): Recipient | null {
    const { states, activity } = this.#parts;
    const { seq, accountId } = message;
    const { position } = settlement;
    const { attempts, sinceMs } = recovered;
    const recipient = states.of({ seq, position });
    if (recipient === undefined) return null;
    if (!states.settleUnknown(recipient, sinceMs, changeOf(settlement, { attempts, atMs }))) return null;
    if (!isTestRoute(recipient.domain)) activity.retried({ accountId, result: "unknown", countedAtMs: sinceMs });
    this.#count(message, settlement, { recipient, atMs });
    return recipient;
  }

  /** Counts a stored result, and notes the refusals that follow from it. */
  #count(
    message: LeasedMessage,
    settlement: StoredSettlement,
    { recipient, atMs }: { recipient: Recipient; atMs: number },
  ): void {
    if (isTestRoute(recipient.domain)) return;
    this.#parts.activity.settled(message, atMs, settlement.result);
    this.#updateRefusals(message.accountId, recipient, settlement);
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

const placed = ({ seq, accountId }: LeasedMessage, position: number, { domain }: Recipient): PlacedRecipient => ({
  seq,
  position,
  accountId,
  domain,
});

/** `attempts`: with this one. */
function changeOf(settlement: StoredSettlement, { attempts, atMs }: { attempts: number; atMs: number }): StateChange {
  const { result, reason, category, nextAttemptAtMs: dueMs, smtp, attemptReason, suppression } = settlement;
  const event = settledEvent({ ...settlement, reason: attemptReason, atMs, attempt: attempts }, suppression);
  return { result, reason, category, attempts, smtp, dueMs, atMs, ...event };
}
