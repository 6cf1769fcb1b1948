/**
 * A message's way through the spool: accept, claim, mark, settle. HTTP and SMTP submission accept, delivery does the rest.
 * See results.ts for what became of a message, operations.ts for interventions. Times are milliseconds since the epoch.
 */
import type { Category } from "../../message/category.ts";
import type { HostAttempt, Outcome, Result, SmtpRecord } from "../../message/outcome.ts";

export type RecipientField = "to" | "cc" | "bcc";

export interface NewRecipient {
  /** The addr-spec as the client wrote it. */
  email: string;
  /** Its domain as lower-case A-labels; routing goes by it. */
  domain: string;
  /** The request field that named the recipient; `to` if absent. */
  field?: RecipientField;
}

export interface NewMessage {
  id: string;
  accountId: string;
  keyId: string;
  /** The bound domain whose DKIM key signs. */
  domainId: string;
  createdAtMs: number;
  /** From this moment on, a recipient that cannot be delivered fails instead of being deferred. */
  expiresAtMs: number;
  /** The sender's own limit, if any: no attempt begins from this moment on. */
  deadlineMs?: number;
  /** The envelope sender, an addr-spec. */
  from: string;
  subject: string;
  /** The Message-ID header's value, with angle brackets. */
  messageId: string;
  recipients: NewRecipient[];
  /** The whole unsigned message (RFC 5322), with CRLF line ends only. */
  content: Buffer;
  /** The hash of the content's body, stored for its signatures (see message/content.ts); null if it is not computed yet. */
  bodyHash: string | null;
  /** Distinct words to search by. */
  tags?: string[];
  /** The sender's own key-value pairs. */
  metadata?: Record<string, string>;
  idempotency: { key: string; payloadHash: string } | null;
  /** Recipients an account may address in a UTC day; 0 for no limit. */
  quotaDaily: number;
  /**
   * How many refusals, some time apart, suppress an address (see message/suppression.ts); 0 for never. A suppressed recipient
   * is stored as `failed`, reason `suppressed`, and is never claimed. It counts towards the quota.
   */
  suppressAfter: number;
}

/** The content of a message as accepted, in parts, so that a large one is never in memory as a whole. */
export interface StoredContent {
  /** Contains at least the whole header. */
  first: Buffer;
  /** How many parts follow the first one. */
  laterParts: number;
  /** Reads a later part; the first of them is number 1. Rejects with MessageDamaged if it has changed since. */
  part(number: number): Promise<Buffer>;
  /** As NewMessage's. */
  bodyHash: string | null;
}

export type Acceptance =
  /** `suppressed`: the number of recipients that failed at once as suppressed; absent if none. */
  | { type: "accepted"; id: string; suppressed?: number }
  /** The idempotency key was used before with the same payload. Nothing was written. */
  | { type: "replayed"; id: string }
  /** The idempotency key was used before with another payload. Nothing was written. */
  | { type: "idempotency_key_reused" }
  /** Nothing was written. */
  | { type: "quota_exceeded" };

/** One message's due recipients at one recipient domain, leased to the caller until settled or released. */
export interface DeliveryJob {
  messageId: string;
  accountId: string;
  domainId: string;
  domain: string;
  from: string;
  createdAtMs: number;
  expiresAtMs: number;
  /** As NewMessage's. */
  deadlineMs?: number;
  sizeBytes: number;
  recipients: JobRecipient[];
}

export interface JobRecipient {
  /** Index in the order sent; with messageId it identifies the recipient. */
  position: number;
  email: string;
  /** Attempts settled so far. */
  attempts: number;
  /** The last attempt's reason; null before the first one. */
  reason: string | null;
  /** The last attempt's category; null before the first one. */
  category: Category | null;
  /** The last decisive reply, kept as evidence when the recipient expires. */
  smtp: SmtpRecord | null;
}

export interface ClaimRequest {
  nowMs: number;
  /** Most jobs to lease. */
  limit: number;
  /** Most jobs to lease for one recipient domain or destination, unless `allowance` has an entry for it. */
  perDomain: number;
  /** Jobs still allowed for recipient domains and destinations that are busy; 0 excludes one. */
  allowance: Record<string, number>;
  /** Most jobs to lease for one account, unless `accountAllowance` has an entry for it; no limit if absent. */
  perAccount?: number;
  /** Jobs still allowed for accounts that have some under way; 0 excludes one. */
  accountAllowance?: Record<string, number>;
}

export interface Claim {
  jobs: DeliveryJob[];
  /** No later than the next unleased recipient that is not excluded falls due; null if there is none. */
  nextDueMs: number | null;
}

/** Identifies recipients of one message. */
export interface RecipientsRef {
  messageId: string;
  positions: number[];
}

/** Leased recipients that were not attempted. */
export interface ReleasedJob extends RecipientsRef {
  /** The destination that was full. From now on their domain's mail counts as the destination's, and uses its allowance. */
  destination?: string;
}

/** Written before the final dot is sent: the evidence that remains if the process dies before the reply. */
export interface Mark extends RecipientsRef {
  atMs: number;
  mx: string;
  ip: string | null;
}

/** The result of an attempt for one recipient. */
export interface Settlement {
  position: number;
  result: Result;
  reason: string | null;
  /** null when delivered, and when no attempt was ever made. */
  category: Category | null;
  /** Set exactly if `result` is `pending`: when the recipient is due for its next attempt, or fails at its deadline. */
  nextAttemptAtMs: number | null;
  /** The decisive reply. null keeps the stored one, except with `unknown`, which an earlier refusal would contradict. */
  smtp: SmtpRecord | null;
  outcome: Outcome["type"];
  tries: HostAttempt[];
  /** Set if no attempt was made: the settlement does not count as one. */
  untried?: true;
}

export interface Mail {
  /** Commits message, recipients, quota and idempotency record together, or nothing. Resolves once they are on disk. */
  accept(message: NewMessage): Promise<Acceptance>;
  /** The stored use of an idempotency key; null once it has expired. Lets a replay be answered before other work. */
  idempotencyRecord(
    accountId: string,
    idempotencyKey: string,
    nowMs: number,
  ): Promise<{ id: string; payloadHash: string } | null>;

  /**
   * Leases due recipients; a leased recipient is in no other claim. The claim alternates between accounts, and between an
   * account's destinations. New mail and older mail each get a share of the jobs, so neither waits for the other. A message
   * that cannot be read is quarantined, and the claim continues with the others.
   */
  claim(request: ClaimRequest): Promise<Claim>;
  /** The content of a message as accepted. Rejects with MessageDamaged if it has changed since. */
  content(messageId: string): Promise<StoredContent>;
  /** Once this resolves, the mark is on disk and the final dot may be sent for these recipients. */
  mark(mark: Mark): Promise<void>;
  /**
   * Stores the results of an attempt and ends the lease. A recipient that is already final keeps its result. Rejects with
   * MessageDamaged if the message's rows cannot be changed; then the lease has ended and nothing is stored.
   */
  settle(messageId: string, atMs: number, settlements: Settlement[]): Promise<void>;
  /** Ends the lease of unmarked recipients and leaves them unchanged. */
  release(ref: ReleasedJob): Promise<void>;
  /**
   * At start, before the first claim: settles as `result` every recipient that the last process left marked. Returns how
   * many there were.
   */
  recover(nowMs: number, result: "unknown" | "pending"): Promise<number>;
  /** Sets the listener for recipients that may have become due by acceptance or by another process. */
  onDue(wake: () => void): void;
  /** The number of recipients that wait for an attempt or are in one. */
  backlog(): Promise<number>;
}
