/**
 * Interventions in the queue: retries, paused recipient domains, resuming after a restore, retention. Long ones go in
 * steps, so that no commit waits long for one. Times are milliseconds since the epoch.
 */
import type { Category } from "../../message/category.ts";

export interface RetryFilter {
  accountId: string;
  messageId: string;
  /** Only this recipient. */
  email?: string;
  nowMs: number;
}

/** Selects failed recipients: suppressed ones only if `reason` names them, those of test messages only by `messageId`. */
export interface FailedFilter {
  accountId: string;
  /** Only this message's. The sender's deadline is ignored then. */
  messageId?: string;
  email?: string;
  reason?: string;
  category?: Category;
  /** The recipient domain, lower-case A-labels. */
  domain?: string;
  /** Failed at this moment or later. */
  sinceMs?: number;
}

export interface RetryFailedStep extends FailedFilter {
  /** Recipients that failed after this moment are left out, unless so long after it that the clock must have been ahead. */
  nowMs: number;
  /** Attempts go on until this moment at least. */
  expiresAtMs: number;
  /** Most failed recipients to look at. */
  limit: number;
  /** `next` of the previous step; null for the first. */
  after: string | null;
  /** Changes nothing, and returns what would be done. */
  dryRun: boolean;
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
  held: number;
  /** How many could not be held because their rows are damaged; their messages are quarantined. */
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
  /** Makes pending recipients of an account at a recipient domain due now. Returns how many. */
  retryDomain(request: RetryDomainRequest): Promise<number>;
  /** One step of bringing forward pending recipients that would wait longer than allowed. */
  shortenWaits(step: ShortenWaitsStep): Promise<ShortenWaitsResult>;

  /** Until resumed, no recipient of any account at this domain is claimed. Attempts under way end normally. */
  pauseDomain(domain: string, atMs: number): Promise<void>;
  /** Returns false if the domain was not paused. */
  resumeDomain(domain: string): Promise<boolean>;
  pausedDomains(): Promise<PausedDomain[]>;
  /**
   * Ends the pause that a restored spool begins with (see delivery-pause.ts). Damaged messages cannot be held: they are
   * quarantined until `retry` releases them. Returns null if delivery was not paused.
   */
  resumeDelivery(request: ResumeRequest): Promise<ResumeResult | null>;

  /**
   * One step of deleting what is past its retention, and of returning the space to the disk. Nothing of a message with a
   * pending or unknown recipient is deleted.
   */
  applyRetention(step: RetentionStep): Promise<RetentionResult>;
}
