/**
 * The order in which mail that came back is read: accounts take turns, and within an account the smaller mails come first (see
 * SIZE_DELAY_MAX_MS in spool/port/incoming.ts). The spool is asked for all that is due; its answer is used for a second.
 */
import type { Clock } from "../../lib/clock.ts";
import { FairQueue } from "../../lib/fair-queue.ts";
import type { Incoming, QueuedMail } from "../../spool/port/incoming.ts";
import type { IncomingRecipients } from "./incoming-recipients.ts";

/** Mail that arrives meanwhile waits for the next answer. */
const ANSWER_MAX_AGE_MS = 1000;
/** A domain may pass to another account. */
const OWNERS_MAX_AGE_MS = 60_000;
/** Owners whose last turn is remembered. */
const TURNS_MAX = 10_000;

export interface IncomingQueueParts {
  spool: Pick<Incoming, "incomingQueue">;
  recipients: Pick<IncomingRecipients, "ownerOf">;
  clock: Clock;
}

interface Entry {
  mail: QueuedMail;
  owner: string;
}

export class IncomingQueue {
  readonly #parts: IncomingQueueParts;
  #queue = new FairQueue<Entry>();
  #listedMs = Number.NEGATIVE_INFINITY;
  /** By domain of the recipient. */
  #owners = new Map<string, string>();
  #ownersReadMs = Number.NEGATIVE_INFINITY;
  /** The owners in the order of their last turns. */
  readonly #turns = new Set<string>();

  constructor(parts: IncomingQueueParts) {
    this.#parts = parts;
  }

  /** Null if none is due. Rejects with SpoolUnavailable. */
  async next(): Promise<QueuedMail | null> {
    const nowMs = this.#parts.clock.monotonicMs();
    if (this.#queue.isEmpty || nowMs - this.#listedMs >= ANSWER_MAX_AGE_MS) await this.#list(nowMs);
    const entry = this.#queue.next();
    if (entry === null) return null;
    this.#turns.delete(entry.owner);
    this.#turns.add(entry.owner);
    return entry.mail;
  }

  /** Whether the spool is asked before the next mail. */
  get isAtEnd(): boolean {
    return this.#queue.isEmpty;
  }

  async #list(nowMs: number): Promise<void> {
    const { spool, clock } = this.#parts;
    const mails = await spool.incomingQueue(clock.now());
    if (nowMs - this.#ownersReadMs >= OWNERS_MAX_AGE_MS) {
      this.#owners = new Map();
      this.#ownersReadMs = nowMs;
    }
    const byOwner = new Map<string, QueuedMail[]>();
    for (const mail of mails) {
      const owner = await this.#ownerOf(mail.recipient);
      const others = byOwner.get(owner);
      if (others === undefined) byOwner.set(owner, [mail]);
      else others.push(mail);
    }
    this.#queue = new FairQueue();
    for (const owner of this.#inTurn([...byOwner.keys()])) {
      for (const mail of byOwner.get(owner) ?? []) this.#queue.add(owner, { mail, owner });
    }
    this.#listedMs = nowMs;
  }

  /** Owners without a turn yet first, then those whose last turn is the longest ago. */
  #inTurn(owners: string[]): string[] {
    const waiting = new Set(owners);
    for (const owner of this.#turns) if (this.#turns.size > TURNS_MAX) this.#turns.delete(owner);
    return [...owners.filter((owner) => !this.#turns.has(owner)), ...[...this.#turns].filter((o) => waiting.has(o))];
  }

  async #ownerOf(recipient: string): Promise<string> {
    const domain = recipient.slice(recipient.lastIndexOf("@") + 1).toLowerCase();
    const known = this.#owners.get(domain);
    if (known !== undefined) return known;
    const owner = (await this.#parts.recipients.ownerOf(domain)) ?? domain;
    this.#owners.set(domain, owner);
    return owner;
  }
}
