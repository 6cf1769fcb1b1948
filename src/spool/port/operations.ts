/**
 * Interventions in the queue: retries, paused recipient domains, resuming after a restore, retention. Long ones run in
 * steps, so that no commit waits long for them. Times are milliseconds since the epoch.
 */
import type { Category } from "../../message/result/category.ts";
import type { HostSet } from "../../receivers/names.ts";
import type { RecipientsRef } from "./mail.ts";

export interface RetryFilter {
  accountId: string;
  messageId: string;
  /** Only this recipient. */
  email?: string;
  /** Only these recipients. */
  positions?: readonly number[];
  /** Only recipients with this result. */
  result?: "pending" | "unknown";
  /** As RecipientsDecision's. */
  by?: string;
  nowMs: number;
  /** The message expires no earlier than this moment; unchanged if absent. */
  expiresAtMs?: number;
}

/**
 * Selects failed recipients. Suppressed ones are selected only if `reason` names them. Those that failed by a person's decision,
 * and those of test messages, are selected only by `messageId` or `recipients`; the former also by `reason`.
 */
export interface FailedFilter {
  accountId: string;
  /** Only these recipients, DECIDED_MAX at most. */
  recipients?: readonly RecipientsRef[];
  /** Only recipients of this message. The sender's deadline is ignored then. */
  messageId?: string;
  email?: string;
  reason?: string;
  category?: Category;
  /** The recipient domain, lower-case A-labels. */
  domain?: string;
  /** Only recipients whose last reply came from one of these hosts. */
  exchangers?: HostSet;
  /** Failed at this moment or later. */
  sinceMs?: number;
}

export interface RetryFailedStep extends FailedFilter {
  /** Recipients that failed after this moment are left out, unless so long after it that the clock must have been ahead. */
  nowMs: number;
  /** Attempts continue until at least this moment. */
  expiresAtMs: number;
  /** Most failed recipients to look at. */
  limit: number;
  /** `next` of the previous step; null for the first. */
  after: string | null;
  /** Changes nothing, and returns what would be done. */
  dryRun: boolean;
  /** As RecipientsDecision's. */
  by?: string;
}

export interface RetryFailedResult {
  recipients: { messageId: string; email: string; category: Category | null }[];
  /** How many were left out because the content was deleted. */
  contentDeleted: number;
  /** How many were left out because the sender's deadline is over. */
  pastDeadline: number;
  /** How many were left out because their rows cannot be read or changed. */
  unreadable: number;
  /** `after` of the next step; null at the end. */
  next: string | null;
}

/** Recipients of one decision, in all its messages: it is one transaction. */
export const DECIDED_MAX = 250;

/** A person's decision about recipients of an account. */
export interface RecipientsDecision {
  accountId: string;
  /** Recipients of other accounts are left out. */
  recipients: readonly RecipientsRef[];
  /** Who decided: a user's email address, `command line`, or an API key as `key NAME (ID)`. */
  by: string;
  nowMs: number;
}

/** What a person can resolve an unknown recipient as. */
export const RESOLUTIONS = ["delivered", "failed"] as const;

export interface Resolution extends RecipientsDecision {
  as: (typeof RESOLUTIONS)[number];
}

export interface ResolvedRecipients {
  resolved: number;
  /** How many were left out because their rows cannot be read or changed. */
  unreadable: number;
}

export interface CancelledRecipients {
  /** How many have failed. */
  cancelled: number;
  /** How many are unknown again: an earlier attempt may have delivered the message. */
  unknown: number;
  /** How many stay pending, because their final dot may have left. */
  atDot: number;
  /** How many were left out because their rows cannot be read or changed. */
  unreadable: number;
}

/** Another time for a scheduled message. */
export interface Reschedule {
  accountId: string;
  messageId: string;
  /** At once if it has passed. */
  sendAtMs: number;
  /** As RecipientsDecision's. */
  by: string;
  nowMs: number;
}

export interface RetryDomainRequest {
  accountId: string;
  domain: string;
  nowMs: number;
  /** Most recipients to make due. */
  limit: number;
}

/** A position in the waiting recipients: account, recipient domain, due time, and two numbers internal to the spool. */
export type WaitCursor = [accountId: string, domain: string, dueMs: number, seq: number, position: number];

/** One step of a pass over the waiting recipients. */
export interface ShortenWaitsStep {
  nowMs: number;
  /** Longest wait allowed, by number of attempts made; the last entry holds for more. */
  longestMs: number[];
  /** `next` of the previous step; null at the beginning of a pass. */
  after: WaitCursor | null;
  /** Most recipients to look at. */
  limit: number;
}

export interface ShortenWaitsResult {
  /** How many would have waited longer. */
  recipients: number;
  /** `after` of the next step; null at the end of the pass. */
  next: WaitCursor | null;
}

export interface PausedDomain {
  domain: string;
  atMs: number;
}

export interface ResumeRequest {
  nowMs: number;
  /** What becomes of recipients that waited in the backup: `send` leaves them due, `hold` makes them `unknown`. */
  waiting: "send" | "hold";
}

/** Recipients that waited in a backup. */
export interface ResumeResult {
  /** How many became unknown. */
  unknown: number;
  /** How many could not, because their rows are damaged; their messages are quarantined. */
  unreadable: number;
}

export interface RetentionStep {
  nowMs: number;
  /** Contents are deleted of messages whose last recipient became final before this moment. */
  contentsBeforeMs: number;
  /** Whole messages are deleted likewise. */
  resultsBeforeMs: number;
  /** Most messages to look at. */
  limit: number;
}

export interface RetentionResult {
  contents: number;
  messages: number;
  /** False at the end of a pass over all messages. */
  isMore: boolean;
}

export interface Operations {
  /**
   * Makes a message's pending or unknown recipients due now, regardless of the sender's deadline. Returns how many. Releases
   * a quarantined message that can be read again; rejects with MessageDamaged if it cannot.
   */
  retry(filter: RetryFilter): Promise<number>;
  /**
   * One step of making failed recipients pending and due now; their history is kept. Recipients whose content was deleted
   * stay failed.
   */
  retryFailed(step: RetryFailedStep): Promise<RetryFailedResult>;
  /** Gives unknown recipients this result. It is no evidence: it changes nothing about their addresses. */
  resolve(resolution: Resolution): Promise<ResolvedRecipients>;
  /**
   * Fails pending recipients, also in an attempt: an attempt cannot mark them any more, so their final dot never leaves. Marked
   * ones stay as they are. One that may have the message from an earlier attempt becomes unknown.
   */
  cancel(decision: RecipientsDecision): Promise<CancelledRecipients>;
  /**
   * Sends a scheduled message at another time. Returns false, and changes nothing, if the message is not the account's, was not scheduled,
   * or its time has come, or if none of its recipients waits for that time.
   */
  reschedule(change: Reschedule): Promise<boolean>;
  /** Makes pending recipients of an account at a recipient domain due now, except scheduled ones. Returns how many. */
  retryDomain(request: RetryDomainRequest): Promise<number>;
  /** One step of bringing forward pending recipients that would wait longer than allowed. */
  shortenWaits(step: ShortenWaitsStep): Promise<ShortenWaitsResult>;

  /** Until resumed, no recipient of any account at this domain is claimed. Attempts under way end normally. */
  pauseDomain(domain: string, atMs: number): Promise<void>;
  /** Returns false if the domain was not paused. */
  resumeDomain(domain: string): Promise<boolean>;
  pausedDomains(): Promise<PausedDomain[]>;
  /**
   * Ends the pause that a restored spool begins with (see delivery-pause.ts). Damaged messages cannot become unknown: they are
   * quarantined until `retry` releases them. Returns null if delivery was not paused.
   */
  resumeDelivery(request: ResumeRequest): Promise<ResumeResult | null>;

  /**
   * One step of deleting what is past its retention, and of returning the space to the disk. Nothing of a message with a
   * pending or unknown recipient is deleted.
   */
  applyRetention(step: RetentionStep): Promise<RetentionResult>;
}
