/**
 * The commands of one inbound session (RFC 5321): mail from anyone, for the addresses at which mail comes back, and for no other. Each
 * recipient's mail is durable before the 250. What it means is read later (app/), so nothing of a content is rejected for its form.
 */

import type { SMTPServerDataStream } from "smtp-server";
import type { IncomingRecipients, IncomingRecipientType } from "../app/incoming/incoming-recipients.ts";
import { clientNetwork } from "../lib/client-address.ts";
import type { Clock } from "../lib/clock.ts";
import type { MemoryStatus } from "../lib/memory-guard.ts";
import { MIB } from "../lib/units.ts";
import { headerText, receivedFields } from "../message/header/incoming-header.ts";
import { type MessageMemory, SHORT_OCTETS_MAX } from "../smtp-server/message-memory.ts";
import type { DataOptions, Session } from "../smtp-server/protocol.ts";
import { readContent } from "../smtp-server/read-content.ts";
import { mailLoop, outOfMemory, tooLarge, tooManyRecipients } from "../smtp-server/rejection.ts";
import type { AddressLimits } from "./address-limits.ts";
import type { Backlog } from "./backlog.ts";
import { tooManyUnknown, unknownRecipient } from "./reply.ts";

/** Mail for one recipient. */
export interface ReceivedMail {
  /** The address that RCPT named. */
  recipient: string;
  /** The address of MAIL, without angle brackets; "" for the null sender. */
  envelopeSender: string;
  /** Of the client. */
  ip: string;
  receivedAtMs: number;
  content: Buffer;
}

export interface IncomingStore {
  /** Resolves once the mail is durable. Rejects with SpoolUnavailable. */
  storeIncoming(mail: ReceivedMail): Promise<void>;
}

export interface InboundParts {
  recipients: IncomingRecipients;
  store: IncomingStore;
  addresses: AddressLimits;
  backlog: Pick<Backlog, "check" | "add">;
  memory: Pick<MemoryStatus, "isLow" | "isExhausted">;
  messages: MessageMemory;
  clock: Clock;
}

/** A stored message. */
export interface Received {
  /** Of its recipients, each once. */
  types: IncomingRecipientType[];
  /** As they arrived, without added dots. */
  octets: number;
}

/** What is announced, as much as most servers accept: a bounce may return the whole message. */
export const OCTETS_MAX = 50 * MIB;
export const RECIPIENTS_MAX = 10;
/** Of them with a fixed name, to which anyone can write: each is stored with its own content. */
export const NAMED_MAX = 2;
/** RFC 5321 §6.3. Mail that comes back has passed few servers. */
const RECEIVED_MAX = 50;
/** Of recipients that do not exist, in a session. */
const UNKNOWN_MAX = 10;

interface SizeLimits {
  octetsMax: number;
  /** The rest is dropped. */
  keptMax: number;
}

/** The report of a bounce is before the message that it returns. */
const BOUNCES: SizeLimits = { octetsMax: OCTETS_MAX, keptMax: MIB };
const REPORTS: SizeLimits = { octetsMax: 10 * MIB, keptMax: 10 * MIB };
const FORWARDED: SizeLimits = { octetsMax: MIB, keptMax: MIB };

const LIMITS: Readonly<Record<IncomingRecipientType, SizeLimits>> = {
  bounces: BOUNCES,
  dmarc_reports: REPORTS,
  tls_reports: REPORTS,
  complaints: REPORTS,
  postmaster: FORWARDED,
  abuse: FORWARDED,
};

interface Recipient {
  /** As RCPT named it. */
  address: string;
  type: IncomingRecipientType;
}

export class InboundSession implements Session<Received> {
  readonly #parts: InboundParts;
  /** Of the peer. */
  readonly ip: string;
  /** By the address in lower case. */
  #recipients = new Map<string, Recipient>();
  #sender = "";
  #announcedOctets: number | null = null;
  #unknown = 0;

  constructor(parts: InboundParts, ip: string) {
    this.#parts = parts;
    this.ip = ip;
  }

  /** Throws the reply for a message that is rejected whatever it contains. */
  mail(announcedOctets: number | null, sender: string): void {
    const { addresses, memory } = this.#parts;
    this.#recipients = new Map();
    this.#sender = sender;
    this.#announcedOctets = announcedOctets;
    const isShort = announcedOctets !== null && announcedOctets <= SHORT_OCTETS_MAX;
    if (memory.isLow && (memory.isExhausted || !isShort)) throw outOfMemory();
    addresses.begin(this.ip);
  }

  /** Rejects with the reply for an address that is not ours, for too many, for a message that is too large, and while too much waits. */
  async recipient(address: string): Promise<void> {
    const key = address.toLowerCase();
    if (this.#recipients.has(key)) return;
    if (this.#recipients.size >= RECIPIENTS_MAX) throw tooManyRecipients(RECIPIENTS_MAX);
    const found = await this.#parts.recipients.find(address);
    if (found === null) throw this.#countUnknown();
    const { octetsMax } = LIMITS[found.type];
    if (this.#announcedOctets !== null && this.#announcedOctets > octetsMax) throw tooLarge(octetsMax);
    if (found.type !== "bounces" && this.#namedCount >= NAMED_MAX) throw tooManyRecipients(NAMED_MAX);
    await this.#parts.backlog.check(found.type, this.ip);
    this.#recipients.set(key, { address, type: found.type });
  }

  /** Stores the message for each recipient. Null if the connection ended before the final dot. Rejects with the reply. */
  async data(stream: SMTPServerDataStream, { gone, cutOff }: DataOptions): Promise<Received | null> {
    const { messages, addresses, clock } = this.#parts;
    const recipients = [...this.#recipients.values()];
    const memory = messages.forMessage(clientNetwork(this.ip), gone);
    try {
      const content = await readContent(stream, {
        ...boundsOf(recipients),
        // Some servers announce less than they send. What is kept is bounded without it.
        announcedOctets: null,
        cutOffOctets: 2 * OCTETS_MAX,
        memory,
        clock,
        cutOff,
      });
      if (content === null) return null;
      if (receivedFields(headerText(content)) > RECEIVED_MAX) {
        throw mailLoop(`The message has more than ${RECEIVED_MAX} Received fields: it is in a loop.`);
      }
      await this.#store(recipients, content);
      return { types: [...new Set(recipients.map(({ type }) => type))], octets: stream.byteLength };
    } finally {
      addresses.received(this.ip, stream.byteLength);
      memory.release();
    }
  }

  get #namedCount(): number {
    return [...this.#recipients.values()].filter(({ type }) => type !== "bounces").length;
  }

  end(): void {
    this.#recipients.clear();
  }

  /** One after the other, so that only one copy is on its way to the disk. */
  async #store(recipients: readonly Recipient[], content: Buffer): Promise<void> {
    const { store, backlog, clock } = this.#parts;
    // Long contents have waited for memory since RCPT.
    for (const { type } of recipients) await backlog.check(type, this.ip);
    const mail = { envelopeSender: this.#sender, ip: this.ip, receivedAtMs: clock.now() };
    for (const { address, type } of recipients) {
      const kept = content.subarray(0, LIMITS[type].keptMax);
      backlog.add(kept.length, this.ip);
      await store.storeIncoming({ ...mail, recipient: address, content: kept });
    }
  }

  #countUnknown(): Error {
    this.#unknown += 1;
    return this.#unknown > UNKNOWN_MAX ? tooManyUnknown() : unknownRecipient();
  }
}

/** A message for several recipients has the lowest limit of them; as much is kept as one of them needs. */
function boundsOf(recipients: readonly Recipient[]): SizeLimits {
  const limits = recipients.map(({ type }) => LIMITS[type]);
  return {
    octetsMax: Math.min(...limits.map(({ octetsMax }) => octetsMax)),
    keptMax: Math.max(...limits.map(({ keptMax }) => keptMax)),
  };
}
