/**
 * A message's way through the spool: accept, claim, mark, settle. HTTP and SMTP submission accept, delivery does the rest.
 * Several processes may deliver from one spool; a lease decides which of them attempts a recipient.
 * See results.ts for what became of a message, operations.ts for interventions. Times are milliseconds since the epoch.
 */
import type { Category } from "../../message/result/category.ts";
import type { HostAttempt, Outcome, Result, SmtpRecord } from "../../message/result/outcome.ts";
import type { Suppression } from "../../message/result/suppression.ts";

export type RecipientField = "to" | "cc" | "bcc";

export interface NewRecipient {
  /** The addr-spec as the client wrote it. */
  email: string;
  /** Its domain as lower-case A-labels, or in a test message the account's test route; routing goes by it. */
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
  /**
   * When delivery begins, later than `createdAtMs`; at once if absent. Until then the recipients are pending with the reason
   * `scheduled`, and are not claimed.
   */
  sendAtMs?: number;
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
  /** Whether the body has bytes above 127; false if absent. */
  eightBit?: boolean;
  /**
   * Whether it was sent with a test key; false if absent. All its recipients are on the account's test route then, and no others
   * ever are: `accept` rejects. A test message uses no quota, is not suppressed, neither adds nor clears refusals, and is left
   * out of the counts of activity and of waiting mail.
   */
  test?: boolean;
  /** Distinct words to search by. */
  tags?: string[];
  /** The sender's own key-value pairs. */
  metadata?: Record<string, string>;
  idempotency: { key: string; payloadHash: string } | null;
  /** The id of the request that brought the message, for its report; absent if there was none. */
  requestId?: string | null;
  /** The idempotency key as the client wrote it, for the message's report; absent if the client gave none. */
  clientKey?: string | null;
  /** Recipients an account may address in a UTC day; 0 for no limit. */
  quotaDaily: number;
  /**
   * How many refusals, some time apart, suppress an address (see message/result/suppression.ts); 0 for never. A suppressed recipient
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
  /** The API key was revoked before the commit. Nothing was written. */
  | { type: "key_revoked" }
  /** Nothing was written. */
  | { type: "quota_exceeded" };

/**
 * The exclusive right of one claimant to attempt the recipients of one job. It ends for each recipient once the recipient
 * is settled or released. If it expires first, `recover` ends it.
 */
export interface Lease {
  /** The claimant: one running process of the service. No two processes ever have the same. */
  owner: string;
  /** Distinguishes the claims of an owner: no two of them have the same. */
  epoch: number;
  /**
   * When it expires unless renewed, by the store's clock; null if it lasts as long as its owner. Renewing it is the spool's
   * task, not the caller's.
   */
  expiresAtMs: number | null;
}

/** One message's due recipients at one recipient domain. */
export interface DueJob {
  messageId: string;
  accountId: string;
  /** As NewMessage's. */
  keyId: string;
  domainId: string;
  domain: string;
  from: string;
  createdAtMs: number;
  expiresAtMs: number;
  /** As NewMessage's. */
  deadlineMs?: number;
  /** As NewMessage's. */
  sendAtMs?: number;
  sizeBytes: number;
  /** As NewMessage's. */
  eightBit: boolean;
  /** As NewMessage's; absent without any. */
  tags?: string[];
  recipients: JobRecipient[];
}

/** A job that is leased to the caller. */
export interface DeliveryJob extends DueJob {
  lease: Lease;
  /** Whether it was claimed as fresh mail (see `FirstContacts`); false if absent. */
  isFresh?: boolean;
}

export interface JobRecipient {
  /** Index in the order sent; with messageId it identifies the recipient. */
  position: number;
  email: string;
  /** Attempts settled so far. */
  attempts: number;
  /** The last attempt's reason, or that of an earlier one after which it may have the message; null before the first one. */
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
  /** Limits of mail whose destination is not known to answer promptly; absent while there is room for all mail. */
  firstContacts?: FirstContacts;
  /** Destinations whose mail is left to other claimants for the moment; none if absent. `allowance` excludes them too. */
  elsewhere?: readonly string[];
}

/** Most jobs to lease for one account, of mail for none of the listed destinations. They also count towards the account's other limit. */
interface FirstContacts {
  /** Recipient domains and destinations that are known to answer, the last used one last. */
  prompt: readonly string[];
  /** Unless `accountAllowance` has an entry for the account. */
  perAccount: number;
  accountAllowance: Record<string, number>;
  /**
   * Limits of fresh mail, instead of these: mail just accepted for a recipient domain for which no other mail waits and none was
   * deferred recently. Without them, fresh mail is treated like any other.
   */
  fresh?: { perAccount: number; accountAllowance: Record<string, number> };
}

/** See `claimExpired`. */
export interface ExpiredRequest {
  nowMs: number;
  /** Most jobs to lease. */
  limit: number;
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
  lease: Lease;
  /** The destination that was full. From now on their domain's mail counts as the destination's, and uses its allowance. */
  destination?: string;
  /** Set if other mail of the domain may go to another destination: what is noted holds only for a moment. */
  isOneOfSeveral?: boolean;
}

/** Set if other mail of the domain may go to another destination: the note then holds only briefly. */
export interface Mark extends RecipientsRef {
  lease: Lease;
  atMs: number;
  mx: string;
  ip: string | null;
}

/** `partly_lost`: some of the recipients are marked, and the lease of the others is lost, because they were cancelled for example. */
export type MarkResult = "marked" | "lease_lost" | "partly_lost";

/** The result of an attempt for one recipient. */
export interface Settlement {
  position: number;
  result: Result;
  reason: string | null;
  /** The attempt's own reason, for the history, if `reason` is that of an earlier attempt after which the recipient may have the message. */
  attemptReason?: string;
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
  /** Why the address is suppressed; set only if the reason is `suppressed`. */
  suppression?: Suppression;
}

/**
 * Delivery's part of the spool, as one claimant uses it. Mark, settle and release compare the lease's owner and epoch with
 * those stored, in the transaction that writes. A process that was suspended until its leases had expired can therefore
 * change nothing that another one has claimed since.
 */
export interface Claimant {
  /**
   * Leases due recipients; a leased recipient is in no other claim. The claim alternates between accounts, and between an
   * account's destinations. New mail and older mail each get a share of the jobs, so neither waits for the other. A message
   * that cannot be read is quarantined, and the claim continues with the others.
   */
  claim(request: ClaimRequest): Promise<Claim>;
  /**
   * Leases due recipients whose message has reached its deadline or its maximum age. Limits of destinations do not apply: the mail
   * of a closed destination is not claimed, and expires all the same. Paused domains are left out. A call looks at a bounded
   * number of recipients, and the next one continues where it ended.
   */
  claimExpired(request: ExpiredRequest): Promise<DeliveryJob[]>;
  /**
   * Marks these recipients. `marked`: the mark is on disk, and the final dot may be sent for them as long as `leaseIsCurrent`.
   * `lease_lost`: none of them is marked, so the dot must not be sent. Whether an expired lease is lost at once or only by
   * `recover` is left to the form of the spool. If it rejects, or the lease is partly lost, the dot must not be sent either,
   * although marks may be stored: settle these recipients all the same.
   */
  mark(mark: Mark): Promise<MarkResult>;
  /**
   * Whether the lease still holds by a monotonic clock, without asking the store. To be called just before the final dot
   * leaves: the process may have been suspended since the mark.
   */
  leaseIsCurrent(lease: Lease): boolean;
  /**
   * Stores the results of an attempt and ends the lease of these recipients. It stores the result of each recipient that is
   * leased under this lease. The others keep what they have, with one exception: a recipient that was marked under this
   * lease, and that `recover` has made `unknown` since, gets its result late, unless it has been changed again. The reply
   * is evidence, and belongs to the attempt that `recover` has counted.
   *
   * `lease_lost`: nothing was stored. A settlement that is repeated after SpoolUnavailable gets that too if the first one
   * was stored after all. Rejects with MessageDamaged if the message's rows cannot be changed; then the lease has ended and
   * nothing is stored.
   */
  settle(messageId: string, atMs: number, settlements: Settlement[], lease: Lease): Promise<"settled" | "lease_lost">;
  /**
   * Ends the lease of unmarked recipients and leaves them unchanged. No effect on those that are not leased under this
   * lease.
   */
  release(job: ReleasedJob): Promise<void>;
  /**
   * Ends the leases that have expired, of all claimants: settles their marked recipients as `result`, and makes the
   * unmarked ones due again. Leases that have not expired are not touched. Returns how many recipients were marked. To be
   * called at start, before the first claim, and regularly where several processes share the store.
   */
  recover(nowMs: number, result: "unknown" | "pending"): Promise<number>;
}

export interface Mail extends Claimant {
  /** Commits message, recipients, quota and idempotency record together, or nothing. Resolves once they are on disk. */
  accept(message: NewMessage): Promise<Acceptance>;
  /** The stored use of an idempotency key; null once it has expired. Lets a replay be answered before other work. */
  idempotencyRecord(
    accountId: string,
    idempotencyKey: string,
    nowMs: number,
  ): Promise<{ id: string; payloadHash: string } | null>;
  /** The content of a message as accepted. Rejects with MessageDamaged if it has changed since. */
  content(messageId: string): Promise<StoredContent>;
  /**
   * Sets the listener for leases of other claimants that have expired: `recover` has something to do. Never called by an
   * implementation that one process delivers from.
   */
  onExpiredLeases(recover: () => void): void;
  /** Sets the listener for recipients that may have become due by acceptance or by another process. */
  onDue(wake: () => void): void;
  /** The number of recipients that wait for an attempt or are in one. */
  backlog(): Promise<number>;
  /** Commits a small note. Rejects with SpoolUnavailable if that fails, or if the last acceptance did and another one would. */
  probe(nowMs: number): Promise<void>;
}
