/**
 * Which recipients are in an attempt now, and what their mark and their settlement need to know of them. Only in memory:
 * one process delivers from a spool, and when it dies its leases die with it, which leaves every unmarked recipient
 * pending and due, as it should be.
 */
import type { DeliveryJob } from "../port/mail.ts";

/** What never changes of a message. */
export interface LeasedMessage {
  seq: number;
  accountId: string;
  createdAtMs: number;
}

/** A recipient as long as it is leased. */
export interface Leased {
  email: string;
  domain: string;
  /** Settled before. */
  attempts: number;
}

interface Lease {
  domain: string;
  recipients: Map<number, Leased>;
  /** Another recipient of the same message and domain fell due meanwhile; its lane must be looked at again. */
  more: boolean;
}

interface InAttempts {
  messageId: string;
  envelope: LeasedMessage;
  /** One for each recipient domain. */
  leases: Lease[];
}

export class Leases {
  #messages = new Map<number, InAttempts>();
  #byId = new Map<string, InAttempts>();

  /** Whether this recipient is leased or has to wait for a lease on the same message and domain. */
  covers(seq: number, position: number, domain: string): boolean {
    const lease = this.#messages.get(seq)?.leases.find((l) => l.domain === domain);
    if (lease === undefined) return false;
    if (!lease.recipients.has(position)) lease.more = true;
    return true;
  }

  take(seq: number, { messageId, accountId, createdAtMs, domain, recipients }: DeliveryJob): void {
    const envelope = { seq, accountId, createdAtMs };
    const message = this.#messages.get(seq) ?? { messageId, envelope, leases: [] };
    const leased = new Map<number, Leased>();
    for (const { position, email, attempts } of recipients) leased.set(position, { email, domain, attempts });
    message.leases.push({ domain, recipients: leased, more: false });
    this.#messages.set(seq, message);
    this.#byId.set(messageId, message);
  }

  /** Of a message with a leased recipient. */
  envelopeOf(messageId: string): LeasedMessage | undefined {
    return this.#byId.get(messageId)?.envelope;
  }

  /** The lane of one of the message's leases; nothing when there is none. */
  laneOf(seq: number): { lane?: { accountId: string; domain: string } } {
    const message = this.#messages.get(seq);
    const [lease] = message?.leases ?? [];
    if (message === undefined || lease === undefined) return {};
    return { lane: { accountId: message.envelope.accountId, domain: lease.domain } };
  }

  leasedRecipient(seq: number, position: number): Leased | undefined {
    for (const { recipients } of this.#messages.get(seq)?.leases ?? []) {
      const leased = recipients.get(position);
      if (leased !== undefined) return leased;
    }
    return undefined;
  }

  /** Whether all of these recipients are leased. */
  holds(seq: number, positions: readonly number[]): boolean {
    return positions.every((position) => this.leasedRecipient(seq, position) !== undefined);
  }

  /** Ends the lease of these recipients; returns the domains whose lanes must be looked at again. */
  end(seq: number, positions: number[]): string[] {
    const message = this.#messages.get(seq);
    if (message === undefined) return [];
    for (const position of positions) {
      for (const { recipients } of message.leases) recipients.delete(position);
    }
    const over = message.leases.filter(({ recipients }) => recipients.size === 0);
    if (over.length === message.leases.length) {
      this.#messages.delete(seq);
      this.#byId.delete(message.messageId);
      // A Map's dropped tables keep what they held for a while (see passing-map.ts).
      message.leases = [];
    } else message.leases = message.leases.filter(({ recipients }) => recipients.size > 0);
    return over.filter(({ more }) => more).map(({ domain }) => domain);
  }
}
