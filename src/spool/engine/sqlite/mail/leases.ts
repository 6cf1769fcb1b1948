/**
 * The leases: which recipients are in an attempt now, under which lease, and what their mark and settlement need to know
 * about them. They are held in memory only: one process delivers from a spool, and when it dies its leases die with it. A
 * lease lasts as long as its claimant. Expired ones stay here until `recover` ends them.
 */
import type { SmtpRecord } from "../../../../message/result/outcome.ts";
import type { DueJob, Lease } from "../../../port/mail.ts";
import type { QueueKey } from "../../../scheduler/fair-scheduler.ts";
import type { RecipientKey } from "../../session.ts";

/** The columns of a message that do not change during an attempt. */
export interface LeasedMessage {
  seq: number;
  accountId: string;
  createdAtMs: number;
  /** Null or absent unless the message was scheduled. */
  sendAtMs?: number | null | undefined;
}

/** What is known of a recipient while it is leased. */
export interface LeasedRecipient {
  email: string;
  domain: string;
  /** Attempts settled before. */
  attempts: number;
  /** The last decisive reply. */
  smtp: SmtpRecord | null;
  /** Whether the open transaction ends the lease. */
  isEnding: boolean;
}

/** A recipient that `recover` has made unknown: as its row is until it is changed again. */
export interface RecoveredRecipient {
  /** Attempts settled, with the one that was recovered. */
  attempts: number;
  /** Since when it is unknown. */
  sinceMs: number;
}

interface LeasedJob {
  lease: Lease;
  domain: string;
  recipients: Map<number, LeasedRecipient>;
  /** Whether another recipient of the same message and domain fell due meanwhile: its queue must be scheduled again. */
  hasMore: boolean;
}

interface LeasedJobs {
  messageId: string;
  message: LeasedMessage;
  /** One per recipient domain. */
  jobs: LeasedJob[];
}

export class Leases {
  #bySeq = new Map<number, LeasedJobs>();
  #byId = new Map<string, LeasedJobs>();
  #lastEpoch = 0;
  /** By owner: the last epoch whose leases have expired. */
  readonly #expiredThrough = new Map<string, number>();
  #ending: LeasedRecipient[] = [];
  /** Recipients marked under an expired lease and recovered as unknown. */
  readonly #recovered = new Map<string, RecoveredRecipient>();

  /** Returns the lease of a new claim. */
  begin(owner: string): Lease {
    this.#lastEpoch += 1;
    return { owner, epoch: this.#lastEpoch, expiresAtMs: null };
  }

  /** Whether this recipient is leased, or must wait for a lease on the same message and domain to end. */
  covers(seq: number, position: number, domain: string): boolean {
    const job = this.#bySeq.get(seq)?.jobs.find((leased) => leased.domain === domain);
    if (job === undefined) return false;
    if (!job.recipients.has(position)) job.hasMore = true;
    return true;
  }

  take(seq: number, { messageId, accountId, createdAtMs, sendAtMs, domain, recipients }: DueJob, lease: Lease): void {
    const held = this.#bySeq.get(seq) ?? { messageId, message: { seq, accountId, createdAtMs, sendAtMs }, jobs: [] };
    const leased = new Map<number, LeasedRecipient>();
    for (const { position, email, attempts, smtp } of recipients) {
      leased.set(position, { email, domain, attempts, smtp, isEnding: false });
    }
    held.jobs.push({ lease, domain, recipients: leased, hasMore: false });
    this.#bySeq.set(seq, held);
    this.#byId.set(messageId, held);
  }

  /** Returns a message that has a leased recipient. */
  messageOf(messageId: string): LeasedMessage | undefined {
    return this.#byId.get(messageId)?.message;
  }

  /** Returns the domain queue of one of the message's jobs; undefined if none is leased. */
  queueOf(seq: number): QueueKey | undefined {
    const held = this.#bySeq.get(seq);
    const [job] = held?.jobs ?? [];
    if (held === undefined || job === undefined) return undefined;
    return { accountId: held.message.accountId, domain: job.domain };
  }

  isLeased({ seq, position }: RecipientKey): boolean {
    return this.#jobOf(seq, position) !== undefined;
  }

  /** Whether the recipient is under a lease that has not expired. */
  isLive({ seq, position }: RecipientKey): boolean {
    const job = this.#jobOf(seq, position);
    return job !== undefined && !this.hasExpired(job.lease);
  }

  hasExpired({ owner, epoch }: Lease): boolean {
    return epoch <= (this.#expiredThrough.get(owner) ?? 0);
  }

  /** Returns the recipient if it is under this lease, expired or not, and the open transaction has not ended that. */
  heldUnder(lease: Lease, { seq, position }: RecipientKey): LeasedRecipient | undefined {
    const job = this.#jobOf(seq, position);
    if (job === undefined || !isSame(job.lease, lease)) return undefined;
    const recipient = job.recipients.get(position);
    return recipient?.isEnding === false ? recipient : undefined;
  }

  /** Ends the recipient's lease for the rest of the open transaction. `end` must follow its commit. */
  endInTransaction(recipient: LeasedRecipient): void {
    recipient.isEnding = true;
    this.#ending.push(recipient);
  }

  /** To be called when a transaction was committed or rolled back. */
  endTransaction(): void {
    for (const recipient of this.#ending) recipient.isEnding = false;
    this.#ending = [];
  }

  /** Ends this lease of these recipients. Returns the domains whose queues must be scheduled again. */
  end(lease: Lease, seq: number, positions: readonly number[]): string[] {
    const held = this.#bySeq.get(seq);
    if (held === undefined) return [];
    for (const job of held.jobs) {
      if (isSame(job.lease, lease)) for (const position of positions) job.recipients.delete(position);
    }
    return this.#dropEmpty(held);
  }

  /** Lets all leases of this owner expire. Returns the last epoch that has. */
  expire(owner: string): number {
    this.#expiredThrough.set(owner, this.#lastEpoch);
    return this.#lastEpoch;
  }

  endExpired(): void {
    for (const held of [...this.#bySeq.values()]) {
      for (const job of held.jobs) if (this.hasExpired(job.lease)) job.recipients.clear();
      this.#dropEmpty(held);
    }
  }

  /**
   * Ends the recipient's expired lease, if there is one, for the rest of the open transaction, which recovers the recipient.
   * `unknown`: its row if it becomes unknown; then a late settlement under the same lease may follow.
   */
  recovered(key: RecipientKey, unknown: RecoveredRecipient | null): void {
    const job = this.#jobOf(key.seq, key.position);
    const recipient = job?.recipients.get(key.position);
    if (job === undefined || recipient === undefined) return;
    this.endInTransaction(recipient);
    // A rollback does not remove it: a late settlement compares it with the row.
    if (unknown !== null) this.#recovered.set(recoveredName(job.lease, key), unknown);
  }

  /** Returns the recipient if it was recovered as unknown from under this lease. */
  recoveredUnder(lease: Lease, key: RecipientKey): RecoveredRecipient | undefined {
    return this.#recovered.get(recoveredName(lease, key));
  }

  /** To be called after a settlement under this lease. */
  forgetRecovered(lease: Lease, seq: number, positions: readonly number[]): void {
    if (this.#recovered.size === 0) return;
    for (const position of positions) this.#recovered.delete(recoveredName(lease, { seq, position }));
  }

  #jobOf(seq: number, position: number): LeasedJob | undefined {
    return this.#bySeq.get(seq)?.jobs.find(({ recipients }) => recipients.has(position));
  }

  #dropEmpty(held: LeasedJobs): string[] {
    const over = held.jobs.filter(({ recipients }) => recipients.size === 0);
    if (over.length === held.jobs.length) {
      this.#bySeq.delete(held.message.seq);
      this.#byId.delete(held.messageId);
      // The tables that a Map has outgrown keep its values alive for a while.
      held.jobs = [];
    } else held.jobs = held.jobs.filter(({ recipients }) => recipients.size > 0);
    return over.filter(({ hasMore }) => hasMore).map(({ domain }) => domain);
  }
}

const isSame = (a: Lease, b: Lease): boolean => a.epoch === b.epoch && a.owner === b.owner;

const recoveredName = ({ owner, epoch }: Lease, { seq, position }: RecipientKey): string =>
  `${seq} ${position} ${epoch} ${owner}`;
