/**
 * The port of what people watch: messages found again, counts over time, the queue by destination. Reads only, and
 * never on the thread that serves HTTP: some of them look at many rows. Times are milliseconds since the epoch.
 */
import type { Category } from "../../message/category.ts";
import type { Result, SmtpRecord } from "../../message/outcome.ts";
import type { ReadableContent } from "../../message/readable-content.ts";

/** The account has too many questions waiting already, or the service has. The same question may be asked later. */
export class TooManyReports extends Error {
  override name = "TooManyReports";

  constructor() {
    super("too many reports wait already");
  }
}

export interface MessageFilter {
  accountId: string;
  /** `ann@b.example` or a beginning of it that has the @; `@b.example` for a whole domain; otherwise any part of an address. */
  recipient?: string;
  /** A recipient's whole address, as it was written but for letter case. */
  recipientIs?: string;
  /** The sender's whole address, likewise. */
  from?: string;
  tag?: string;
  /** Any part of the subject, letter case aside (of ASCII letters). */
  subject?: string;
  keyId?: string;
  /** A bound domain, whichever of its keys signed. */
  senderDomain?: string;
  /** Messages with at least one such recipient. */
  result?: Result;
  /** Messages with at least one such recipient; with `result`, one that has both. */
  category?: Category;
  /** Accepted at this moment or later. */
  sinceMs?: number;
  /** Accepted before this moment. */
  untilMs?: number;
  /** Where the page before ended: the account's message of this id, and all accepted after it, are left out. */
  cursor?: string;
  limit: number;
}

export interface FoundMessage {
  id: string;
  createdAtMs: number;
  from: string;
  subject: string;
  /** The Message-ID header's value, with angle brackets. */
  messageId: string;
  keyId: string;
  tags: string[];
  recipients: number;
  /** The first recipient's address. */
  to: string;
  results: Record<Result, number>;
  /** Those of its recipients, each once, in alphabetical order. */
  categories: Category[];
}

export interface FoundMessages {
  /** The newest first. */
  messages: FoundMessage[];
  /** For the next page; null when nothing is left. */
  cursor: string | null;
  /** Set when the search ended early: messages accepted before this moment were not looked at yet. */
  searchedBackToMs: number | null;
}

export interface ActivityInterval {
  /** When it begins. */
  atMs: number;
  messages: number;
  /** Recipients accepted. */
  recipients: number;
  delivered: number;
  failed: number;
  unknown: number;
  /** Attempts that ended with another one to come. */
  deferred: number;
  /** From acceptance to delivery; null where nothing was delivered. Within a tenth of the true value. */
  p50Ms: number | null;
  p95Ms: number | null;
}

export interface ActivityFilter {
  /** null: of all accounts together. */
  accountId: string | null;
  sinceMs: number;
  untilMs: number;
  /** Whole minutes. */
  stepMs: number;
}

export interface Activity {
  /** Those in which something happened, the oldest first. */
  slots: ActivityInterval[];
  /** Of the whole time. */
  total: Omit<ActivityInterval, "atMs">;
}

/** What waits for one recipient domain. */
export interface WaitingDomain {
  domain: string;
  /** How many recipients. */
  waiting: number;
  /** How many of them are due or in an attempt. */
  due: number;
  nextAttemptAtMs: number | null;
  /** The commonest reason, with its category, among those looked at; null for mail that was not tried yet. */
  reason: string | null;
  category: Category | null;
  smtp: SmtpRecord | null;
  pausedAtMs: number | null;
}

export interface WaitingMail {
  /** The fullest first. */
  domains: WaitingDomain[];
  waiting: number;
  /** Recipients in doubt. */
  unknown: number;
  /** When the oldest message that waits was accepted; null when none does. */
  oldestAtMs: number | null;
}

/** Every method rejects with TooManyReports where too many questions wait, and with SpoolUnavailable as the spool does. */
export interface Reports {
  /** Long stored texts are shortened, and a page ends early where its messages are large: see `cursor`. */
  find(filter: MessageFilter): Promise<FoundMessages>;
  /** The content as accepted, of the account's message; null when there is no such message or its content was deleted. */
  contentOf(accountId: string, messageId: string): Promise<Buffer | null>;
  /** The beginning of the content, decoded for reading; null as for `contentOf`. */
  viewOf(accountId: string, messageId: string): Promise<ReadableContent | null>;
  /** The HTML part for a sandboxed frame, UTF-8; null also when there is none. See htmlDocumentOf for what is changed in it. */
  htmlOf(accountId: string, messageId: string): Promise<Buffer | null>;
  activity(filter: ActivityFilter): Promise<Activity>;
  /** `accountId` null: of all accounts together. */
  waiting(filter: { accountId: string | null; nowMs: number; limit: number }): Promise<WaitingMail>;
}
