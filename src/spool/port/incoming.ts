/**
 * Mail that comes back about messages: bounces, complaints and reports, from its arrival until its effect. Each mail is stored
 * before its 250 and deleted in the transaction that stores its effect, so it takes effect exactly once, even after a crash. What a mail
 * means is decided in app/incoming/incoming-mail.ts. Times are milliseconds since the epoch. Every method rejects with SpoolUnavailable if
 * the store cannot commit or be read (see errors.ts).
 */
import { DAY_MS, HOUR_MS, MIB } from "../../lib/units.ts";
import type { Category } from "../../message/result/category.ts";

export interface NewIncomingMail {
  /** The address that RCPT named. */
  recipient: string;
  /** The address of MAIL, without angle brackets; "" for the null reverse-path. */
  envelopeSender: string;
  /** Of the client. */
  ip: string;
  receivedAtMs: number;
  content: Buffer;
}

export interface IncomingMail extends NewIncomingMail {
  /** `inc_` and random characters. */
  id: string;
}

/** A mail that waits to be read, without its content. */
export interface QueuedMail {
  id: string;
  recipient: string;
  ip: string;
  receivedAtMs: number;
  /** Of the content. */
  octets: number;
}

/** A mail that is not read again: its reading took too long, or ended the process. */
export interface SetAsideMail extends QueuedMail {
  envelopeSender: string;
  setAsideAtMs: number;
}

/** What a bounce reports of a recipient. */
export interface BounceReport {
  /** Enhanced status code; null if the bounce has none. */
  status: string | null;
  category: Category;
  permanent: boolean;
  /** The reply or the reason, as the reporting server has written it. */
  diagnostic: string;
}

/** A recipient of a message, by the message's id and the recipient's position. */
interface AboutRecipient {
  messageId: string;
  position: number;
}

/** What an incoming mail changes. Nothing is changed of a message or recipient that the spool does not have. */
export type IncomingEffect =
  /**
   * `blamesAddress`: it counts as a refusal of the address (see message/result/suppression.ts). `rule`: what decided the category, as the
   * classifier names it. An unknown recipient fails.
   */
  | (AboutRecipient & { type: "bounced"; bounce: BounceReport; blamesAddress: boolean; rule: string })
  /** The recipient's address is suppressed. An unknown recipient is delivered. */
  | (AboutRecipient & { type: "complained"; kind: string })
  /** A complaint that nothing proves is about this recipient. It is shown once, and changes nothing. */
  | (AboutRecipient & { type: "reported"; kind: string })
  /** A report of a delivery: an unknown recipient is delivered, and nothing else is changed. */
  | (AboutRecipient & { type: "confirmed" })
  | { type: "none" };

/** A complaint that is not proven to be about this recipient. */
export type SuppressingFeedback = "complaint" | "unsubscribed";

export interface Unsubscription {
  accountId: string;
  /** As the sender had given it. */
  email: string;
  messageId: string;
  position: number;
  /** The message is a test. */
  test?: true;
  atMs: number;
}

/** Selects a message of an account by its Message-ID. */
export interface SentMessageQuery {
  accountId: string;
  /** The header's value, with angle brackets. */
  messageId: string;
  /** When it was accepted, as its Date says. */
  aboutMs: number;
}

/** How long a mail can be postponed. */
export const POSTPONED_MAX_MS = HOUR_MS;

/** Mails that incomingQueue returns. */
export const QUEUED_MAX = 1000;
/**
 * Smaller mails are read first, and none starves: a mail takes its place as if it had arrived so much later. Of a mail with 8 KiB
 * that is 82 seconds, and from 352 KiB on an hour.
 */
export const DELAY_MS_PER_OCTET = 10;
export const SIZE_DELAY_MAX_MS = HOUR_MS;

export const SET_ASIDE_MAX = 20;
export const SET_ASIDE_OCTETS_MAX = 32 * MIB;
export const SET_ASIDE_KEPT_MS = 14 * DAY_MS;
export const INCOMPLETE_KEPT_MS = HOUR_MS;

/** A network has its own count in the backlog with this share of the mails or of the octets. */
export const NETWORK_SHARE_MIN = 0.01;

/** Smaller mails are read first, and none starves: a mail is queued as if it had arrived later, by a delay that grows with its size. */
export interface IncomingBacklog {
  mails: number;
  /** The delay is 82 seconds for 8 KiB, and an hour from 352 KiB on. */
  octets: number;
  /** The backlog counts a network separately once it has this share of the mails or of the octets. */
  networks: { network: string; mails: number; octets: number }[];
}

export interface Incoming {
  /** Resolves once the whole mail is durable. A large content is stored in several transactions, and is due after the last. */
  storeIncoming(mail: NewIncomingMail): Promise<void>;
  incomingBacklog(): Promise<IncomingBacklog>;
  /**
   * The mails that are due, QUEUED_MAX at most: recipient domains take turns, and within a domain each takes its place as SIZE_DELAY_MAX_MS
   * says. Rejects with TooManyReports as the methods of reports.ts do, and so do incomingBacklog and incomingMail. One due later than POSTPONED_MAX_MS from now is due: the clock was set back.
   */
  incomingQueue(nowMs: number): Promise<QueuedMail[]>;
  /** Null if the mail is gone, or damaged. */
  incomingMail(id: string): Promise<IncomingMail | null>;
  /** Keeps a mail, and has it due no more. */
  setAsideIncoming(id: string, atMs: number): Promise<void>;
  /**
   * Deletes mails that were set aside more than SET_ASIDE_KEPT_MS ago, and the oldest beyond SET_ASIDE_MAX and SET_ASIDE_OCTETS_MAX; and
   * those of which a process has stored a part only, INCOMPLETE_KEPT_MS after they arrived.
   */
  trimSetAside(nowMs: number): Promise<void>;
  /** The newest first. */
  setAsideMails(): Promise<SetAsideMail[]>;
  /**
   * Keeps a mail that is never due again. `early`: the recipient is at its final dot, so nothing
   * was changed, and the mail is due again later. `gone`: the mail was applied before.
   */
  applyIncoming(request: { id: string; effect: IncomingEffect; atMs: number }): Promise<"applied" | "early" | "gone">;
  /** Makes a mail due at this moment, at most POSTPONED_MAX_MS from now: it cannot be applied now. */
  postponeIncoming(id: string, dueMs: number): Promise<void>;
  /**
   * Returns the id of a message. Looks only at messages accepted from a second before until a minute after that time, and at the
   * first SENT_LOOKED_AT of them.
   */
  sentMessage(query: SentMessageQuery): Promise<string | null>;
  /**
   * Suppresses the address for the account, unless the message is a test, and adds that to the message if there still is one.
   * Repeating it changes nothing.
   */
  recordUnsubscribed(unsubscription: Unsubscription): Promise<void>;
  /** Sets the listener for mail that this process has stored. */
  onIncoming(wake: () => void): void;
}

/** The Date of a message has seconds, and a client's own may be earlier than the acceptance. */
export const SENT_BEFORE_MS = 1000;
export const SENT_AFTER_MS = 60_000;
export const SENT_LOOKED_AT = 5000;

/** When a mail is due again whose recipient is at its final dot. */
export const EARLY_MS = 15_000;
