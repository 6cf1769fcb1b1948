/**
 * The leases: which recipients are in an attempt now, and what their mark and settlement need to know about them. They are
 * held in memory only. One process delivers from a spool, and when it dies its leases die with it; every recipient that
 * was not marked is then pending and due again.
 */
import type { DeliveryJob } from "../port/mail.ts";
import type { QueueKey } from "../scheduler/fair-scheduler.ts";

/** The columns of a message that never change. */
export interface LeasedMessage {
  seq: number;
  accountId: string;
  createdAtMs: number;
}

/** What is known of a recipient while it is leased. */
export interface LeasedRecipient {
  email: string;
  domain: string;
  /** Attempts settled before. */
  attempts: number;
}

interface Lease {
  domain: string;
  recipients: Map<number, LeasedRecipient>;
  /** Whether another recipient of the same message and domain fell due meanwhile: its queue must be scheduled again. */
  hasMore: boolean;
}

interface MessageLeases {
  messageId: string;
  message: LeasedMessage;
  /** One per recipient domain. */
  leases: Lease[];
}

export class Leases {
  #bySeq = new Map<number, MessageLeases>();
  #byId = new Map<string, MessageLeases>();

  /** Whether this recipient is leased, or must wait for a lease on the same message and domain to end. */
  covers(seq: number, position: number, domain: string): boolean {
    const lease = this.#bySeq.get(seq)?.leases.find((l) => l.domain === domain);
    if (lease === undefined) return false;
    if (!lease.recipients.has(position)) lease.hasMore = true;
    return true;
  }

  take(seq: number, { messageId, accountId, createdAtMs, domain, recipients }: DeliveryJob): void {
    const held = this.#bySeq.get(seq) ?? { messageId, message: { seq, accountId, createdAtMs }, leases: [] };
    const leased = new Map<number, LeasedRecipient>();
    for (const { position, email, attempts } of recipients) leased.set(position, { email, domain, attempts });
    held.leases.push({ domain, recipients: leased, hasMore: false });
    this.#bySeq.set(seq, held);
    this.#byId.set(messageId, held);
  }

  /** Returns a message that has a leased recipient. */
  messageOf(messageId: string): LeasedMessage | undefined {
    return this.#byId.get(messageId)?.message;
  }

  /** Returns the domain queue of one of the message's leases; undefined if it has none. */
  queueOf(seq: number): QueueKey | undefined {
    const held = this.#bySeq.get(seq);
    const [lease] = held?.leases ?? [];
    if (held === undefined || lease === undefined) return undefined;
    return { accountId: held.message.accountId, domain: lease.domain };
  }

  recipientOf(seq: number, position: number): LeasedRecipient | undefined {
    for (const { recipients } of this.#bySeq.get(seq)?.leases ?? []) {
      const leased = recipients.get(position);
      if (leased !== undefined) return leased;
    }
    return undefined;
  }

  /** Whether all of these recipients are leased. */
  holds(seq: number, positions: readonly number[]): boolean {
    return positions.every((position) => this.recipientOf(seq, position) !== undefined);
  }

  /** Ends the lease of these recipients. Returns the domains whose queues must be scheduled again. */
  end(seq: number, positions: number[]): string[] {
    const held = this.#bySeq.get(seq);
    if (held === undefined) return [];
    for (const position of positions) {
      for (const { recipients } of held.leases) recipients.delete(position);
    }
    const over = held.leases.filter(({ recipients }) => recipients.size === 0);
    if (over.length === held.leases.length) {
      this.#bySeq.delete(seq);
      this.#byId.delete(held.messageId);
      // The tables that a Map has outgrown keep its values alive for a while.
      held.leases = [];
    } else held.leases = held.leases.filter(({ recipients }) => recipients.size > 0);
    return over.filter(({ hasMore }) => hasMore).map(({ domain }) => domain);
  }
}
