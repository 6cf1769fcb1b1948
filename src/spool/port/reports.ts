/**
 * Reports for the dashboard, the metrics and the command line: searches, counts over time, the queue by recipient domain.
 * They only read, and never on the thread that serves HTTP, because some look at many rows. Times are milliseconds since the
 * epoch.
 */
import type { FileContent } from "../../message/reading/attached-files.ts";
import type { MessageBodies } from "../../message/reading/message-bodies.ts";
import type { ReadableContent } from "../../message/reading/readable-content.ts";
import type { Category } from "../../message/result/category.ts";
import type { Result, SmtpRecord } from "../../message/result/outcome.ts";
import type { RecipientField } from "./mail.ts";
import type { Feedback } from "./results.ts";

/** The account, or the whole service, has too many reports waiting. The same report may be requested later. */
export class TooManyReports extends Error {
  override name = "TooManyReports";

  constructor() {
    super("too many reports wait already");
  }
}

export interface MessageFilter {
  accountId: string;
  /** `ann@b.example` or a prefix of it with the @; `@b.example` for a whole domain; otherwise any part of an address. */
  recipient?: string;
  /** A recipient's whole address as written, case-insensitive. */
  recipientIs?: string;
  /** The sender's whole address as written, case-insensitive. */
  from?: string;
  tag?: string;
  /** Any part of the subject; ASCII letters are case-insensitive. */
  subject?: string;
  /** Any part of the subject or of a recipient's address, or a whole tag; ASCII letters are case-insensitive. */
  text?: string;
  /** The Message-ID header's value, with angle brackets. */
  messageId?: string;
  keyId?: string;
  /** Bound domains, with any of their DKIM keys. */
  senderDomains?: readonly string[];
  /** True: only test messages; false: only others. */
  test?: boolean;
  /** Messages with at least one such recipient. */
  result?: Result;
  /** Messages with at least one such recipient; if `result` is set, with one that matches both. */
  category?: Category;
  /** As `category`: a recipient with this reason. */
  reason?: string;
  /** As `category`: a recipient that has had its present result since this moment or a later one. */
  resultSinceMs?: number;
  /** As `category`: a recipient that has had its present result since before this moment. */
  resultUntilMs?: number;
  /** Accepted at this moment or later. */
  sinceMs?: number;
  /** Accepted before this moment. */
  untilMs?: number;
  /**
   * `cursor` of the previous page: leaves out the account's message of this id and all accepted after it. An id that the account
   * does not have is ignored.
   */
  cursor?: string;
  /**
   * Reverses the search: finds the messages that were accepted next after the account's message of this id; none if the account
   * does not have it. `cursor` is ignored then.
   */
  after?: string;
  limit: number;
}

/** Why a recipient has not been delivered yet, or never was. */
export interface Obstacle {
  email: string;
  reason: string;
  category: Category | null;
  smtp: SmtpRecord | null;
  /** The attempt that the reason is of, for a recipient that may have the message; absent if it is not stored. */
  attempt?: ObstacleAttempt;
}

export interface ObstacleAttempt {
  /** When its end was stored. */
  atMs: number;
  /** Null if nothing is known of an attempt, because the spool was restored from a backup. */
  mx: string | null;
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
  /** As NewMessage's. */
  test: boolean;
  recipients: number;
  /** The first recipient's address. */
  to: string;
  results: Record<Result, number>;
  /** The distinct categories of its recipients, in alphabetical order. */
  categories: Category[];
  /** What has come back for any of its recipients; absent if nothing has. */
  feedback?: Feedback[];
  /** Of its first failed recipient, else of its first unknown one, else of its first deferred one; absent if there is none. */
  obstacle?: Obstacle;
}

/** Where a page ends. */
export interface PageEnd {
  /** For the next page, as `cursor` of its filter, or as `after` if this page has it; null at the end. */
  cursor: string | null;
  /**
   * Set if the search ended early: messages accepted before this moment have not been searched yet. With `after`: those
   * accepted after it.
   */
  searchedBackToMs: number | null;
}

export interface FoundMessages extends PageEnd {
  /** The newest first. */
  messages: FoundMessage[];
}

/** The most messages that are counted. */
export const COUNT_MAX = 10_000;

export interface MessageCount {
  /** At most COUNT_MAX. */
  messages: number;
  /** Whether the count is complete: false if there are more than COUNT_MAX, or if the count ended early. */
  isExact: boolean;
  /** The id of the newest one; null if none was found. */
  newest: string | null;
}

/** A recipient as an export lists it. */
export interface FoundRecipient {
  email: string;
  field: RecipientField;
  result: Result;
  reason: string | null;
  category: Category | null;
  attempts: number;
  updatedAtMs: number;
  smtp: SmtpRecord | null;
}

export interface MessageRecipients
  extends Pick<FoundMessage, "id" | "createdAtMs" | "from" | "subject" | "messageId" | "keyId" | "tags" | "test"> {
  /** Those that match the filter's address, result and category, in the order of the message. */
  recipients: FoundRecipient[];
}

export interface FoundRecipients extends PageEnd {
  /** The newest first. */
  messages: MessageRecipients[];
}

/** Selects recipients for an action on all of them. */
export interface ActedFilter extends MessageFilter {
  result: Result;
  /** Recipients with one of these reasons are left out. */
  exceptReasons?: readonly string[];
  /** Only recipients that have not changed after this moment. */
  unchangedSinceMs?: number;
  /** Whether the messages have `domains`. */
  withDomains?: boolean;
}

/** A message of a search, with the recipients that an action is about. */
export interface ActedMessage {
  id: string;
  createdAtMs: number;
  /** Empty if the filter selects none of them. */
  positions: number[];
  /** The domain in the address of each, in lower case, if the filter asks for it. */
  domains?: string[];
}

/** The recipients that an action is about, counted. */
export interface ActedCount {
  recipients: number;
  messages: number;
  /** When the oldest and the newest of the messages were accepted; null without any. */
  accepted: { oldestMs: number; newestMs: number } | null;
  /** By the domain in the address, in lower case. */
  domains: Map<string, number>;
}

export interface ActedMessages extends PageEnd {
  /** The newest first. */
  messages: ActedMessage[];
}

export interface ActivityInterval {
  /** The beginning of the interval. */
  atMs: number;
  messages: number;
  /** Recipients accepted. */
  recipients: number;
  delivered: number;
  failed: number;
  unknown: number;
  /** Attempts after which another one follows. */
  deferred: number;
  /** Time from acceptance to delivery, within a tenth of the true value; null if nothing was delivered. */
  p50Ms: number | null;
  p95Ms: number | null;
}

export interface ActivityFilter {
  /** null for all accounts together. */
  accountId: string | null;
  sinceMs: number;
  untilMs: number;
  /** Whole minutes. */
  stepMs: number;
}

/** Test messages are left out. */
export interface Activity {
  /** Intervals with any activity, the oldest first. */
  slots: ActivityInterval[];
  /** The whole time range. */
  total: Omit<ActivityInterval, "atMs">;
}

export interface FailuresFilter {
  /** null for all accounts together. */
  accountId: string | null;
  /** Failed at this moment or later. */
  sinceMs: number;
  /** Failed before this moment. */
  untilMs: number;
  /** Most reasons, and most recipient domains. */
  limit: number;
}

export interface FailureReason {
  reason: string | null;
  category: Category | null;
  recipients: number;
}

interface FailingDomain {
  domain: string;
  recipients: number;
}

/** Recipients that failed in a time range and have not been retried since. Test messages are left out. */
export interface Failures {
  recipients: number;
  /** The most frequent first. */
  reasons: FailureReason[];
  /** The most recipients first. */
  domains: FailingDomain[];
  /** The recipients with a reason that is not listed, and those at a domain that is not. */
  otherReasons: number;
  otherDomains: number;
  /** Whether only the failures of the newest messages were counted, because there are too many. */
  isPartial: boolean;
}

export interface WaitingFilter {
  /** null for all accounts together. */
  accountId: string | null;
  nowMs: number;
  /** Most domains. */
  limit: number;
}

/** Accounts that a report of the queue lists for a domain. */
export const ACCOUNTS_LISTED = 10;

/** The pending recipients at one recipient domain. */
export interface WaitingDomain {
  domain: string;
  /** The number of recipients. */
  waiting: number;
  /** The number of those that are due or in an attempt. */
  due: number;
  /**
   * When the oldest waiting message was accepted, or was due if it was scheduled; null if none waits, or it cannot be read. Messages that are
   * scheduled for later do not count.
   */
  oldestAtMs: number | null;
  /** The accounts whose recipients wait, at most ACCOUNTS_LISTED. */
  accountIds: string[];
  nextAttemptAtMs: number | null;
  /** The most frequent reason, with its category, in a sample; null for recipients not attempted yet. */
  reason: string | null;
  category: Category | null;
  smtp: SmtpRecord | null;
  pausedAtMs: number | null;
}

/** Test messages are left out. */
export interface WaitingMail {
  /** The domain with the most recipients first. */
  domains: WaitingDomain[];
  waiting: number;
  /** The number of recipients whose result is `unknown`. */
  unknown: number;
  /** As WaitingDomain's, of all. */
  oldestAtMs: number | null;
}

/** Every method rejects with TooManyReports if too many reports wait, and with SpoolUnavailable as the spool's do. */
export interface Reports {
  /** Long stored texts are shortened. A page of large messages ends early: see `cursor`. */
  find(filter: MessageFilter): Promise<FoundMessages>;
  /** As `find`, with each recipient. */
  findRecipients(filter: MessageFilter): Promise<FoundRecipients>;
  /** As `findRecipients`, with as little of each as an action needs. At most COUNT_MAX messages on a page. */
  findActed(filter: ActedFilter): Promise<ActedMessages>;
  /** Counts what `findActed` finds on all its pages, where that takes less than reading them; null where it does not. */
  countActed(filter: Omit<ActedFilter, "cursor" | "after" | "limit">): Promise<ActedCount | null>;
  /** Counts the messages of a search on all its pages. The work is limited like that of one page. */
  count(filter: Omit<MessageFilter, "cursor" | "after" | "limit">): Promise<MessageCount>;
  /** The content as accepted; null if the account has no such message, or the content was deleted or is damaged. */
  contentOf(accountId: string, messageId: string): Promise<Buffer | null>;
  /** The beginning of the content, decoded for reading; null as for `contentOf`. */
  viewOf(accountId: string, messageId: string): Promise<ReadableContent | null>;
  /** The HTML part for a sandboxed frame, UTF-8, as changed by htmlDocumentOf; null also if there is none. */
  htmlOf(accountId: string, messageId: string): Promise<Buffer | null>;
  /** The file in a part of the content, decoded; null as for `contentOf`, and if the part is not a file. */
  attachmentOf(accountId: string, messageId: string, part: number): Promise<FileContent | null>;
  /** The bodies as a whole; null as for `contentOf`. */
  bodiesOf(accountId: string, messageId: string): Promise<MessageBodies | null>;
  activity(filter: ActivityFilter): Promise<Activity>;
  waiting(filter: WaitingFilter): Promise<WaitingMail>;
  failures(filter: FailuresFilter): Promise<Failures>;
}
