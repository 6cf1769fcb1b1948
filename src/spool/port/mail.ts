/**
 * The port of the spool: the only meeting place of HTTP, delivery and reports.
 * A message's way through it: accept → claim → mark → settle → report. Every form of the spool passes the
 * conformance suite in test/spool/port/conformance.ts. Times are milliseconds since the epoch.
 *
 * Every method rejects with SpoolUnavailable when the store cannot commit or cannot be read; then nothing has changed
 * as far as the caller may assume, and the same call may be made again.
 */
import type { Category } from "../../message/category.ts";
import type { HostAttempt, Outcome, Result, SmtpRecord } from "../../message/outcome.ts";
import type { Refusal, Suppression } from "../../message/suppression.ts";

/** The store cannot commit or be read now (disk full, I/O error, closing). Temporary by definition. */
export class SpoolUnavailable extends Error {
  override name = "SpoolUnavailable";
}

/**
 * What is stored of a message cannot be read. The message is quarantined: no claim returns it until it is released (see
 * `retry`), and its recipients stay as they are. Calling again does not help.
 */
export class MessageDamaged extends Error {
  override name = "MessageDamaged";
}

/** A message that is in no claim, because something stored of it cannot be read. */
export interface Quarantined {
  /** Its row. */
  seq: number;
  /** Null when it cannot be read. */
  messageId: string | null;
  accountId: string | null;
  foundAtMs: number;
  /**
   * What was being read: the message with its recipients, its content, its marks, what a settlement changes, or what waited in
   * a backup and was to be held.
   */
  part: "message" | "content" | "mark" | "settlement" | "hold";
  error: string;
}

export interface QuarantineReport {
  count: number;
  /** The newest. */
  messages: Quarantined[];
  /** Other parts of the store that were found damaged since it was opened, such as "notes: database disk image is malformed". */
  places: string[];
}

export interface NewRecipient {
  /** The addr-spec as the client wrote it. */
  email: string;
  /** Its domain as lower-case A-labels: what routing goes by. */
  domain: string;
  /** The field of the request that it stood in; `to` without it. */
  field?: RecipientField;
}

export type RecipientField = "to" | "cc" | "bcc";

export interface NewMessage {
  id: string;
  accountId: string;
  keyId: string;
  /** The bound domain whose DKIM key signs. */
  domainId: string;
  createdAtMs: number;
  /** From here on a recipient that cannot be delivered is failed instead of deferred. */
  expiresAtMs: number;
  /** The sender's own limit, if any: from here on no attempt is begun. */
  deadlineMs?: number;
  /** The envelope sender, an addr-spec. */
  from: string;
  subject: string;
  /** The Message-ID header's value, with angle brackets. */
  messageId: string;
  recipients: NewRecipient[];
  /** The whole message (RFC 5322), CRLF line ends only, unsigned. */
  content: Buffer;
  /** Words to find it by, none twice. */
  tags?: string[];
  /** The sender's own notes. */
  metadata?: Record<string, string>;
  idempotency: { key: string; payloadHash: string } | null;
  /** Recipients an account may address in a UTC day; 0 for no limit. */
  quotaDaily: number;
  /**
   * How many refusals, some time apart, suppress an address (see message/suppression.ts); 0 for never. A suppressed recipient is
   * stored as `failed`, reason `suppressed`, and is never claimed. It counts in the quota.
   */
  suppressAfter: number;
}

export type Acceptance =
  /** `suppressed`: how many recipients are final already, where there are any. */
  | { type: "accepted"; id: string; suppressed?: number }
  /** The idempotency key was used before with the same payload; nothing was written. */
  | { type: "replayed"; id: string }
  | { type: "idempotency_key_reused" }
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
  /** The sender's own limit, if any: from here on no attempt is begun. */
  deadlineMs?: number;
  sizeBytes: number;
  recipients: JobRecipient[];
}

export interface JobRecipient {
  /** Index in the order sent; with messageId it names the recipient. */
  position: number;
  email: string;
  /** Attempts settled so far. */
  attempts: number;
  /** What the last attempt led to; null before the first one. */
  reason: string | null;
  /** What stood in the way last; null before the first attempt. */
  category: Category | null;
  /** The last decisive reply, kept as evidence when the recipient expires. */
  smtp: SmtpRecord | null;
}

export interface ClaimRequest {
  nowMs: number;
  /** Most works to lease. */
  limit: number;
  /** Most works to lease for one recipient domain or destination, unless `allowance` says otherwise. */
  perDomain: number;
  /** What is left for recipient domains and destinations that are busy already; 0 excludes one. */
  allowance: Record<string, number>;
  /** Most works to lease for one account, unless `accountAllowance` says otherwise; no limit without it. */
  perAccount?: number;
  /** What is left for accounts that have works already; 0 excludes one. */
  accountAllowance?: Record<string, number>;
}

export interface Claim {
  jobs: DeliveryJob[];
  /** Not later than the next unleased recipient outside what is excluded falls due; null when there is none. */
  nextDueMs: number | null;
}

/** Names recipients of one message. */
export interface RecipientsRef {
  messageId: string;
  positions: number[];
}

/** Leased recipients that were not tried. */
export interface ReleasedJob extends RecipientsRef {
  /** The destination that was full: from now on their domain's mail counts as its, and is leased by its allowance. */
  destination?: string;
}

/** Where the final dot is about to be sent: the evidence that remains if the process dies before the reply. */
export interface Mark extends RecipientsRef {
  atMs: number;
  mx: string;
  ip: string | null;
}

/** What an attempt has come to for one recipient. */
export interface Settlement {
  position: number;
  result: Result;
  reason: string | null;
  /** What stands in the way; null when delivered, and when no attempt was ever made. */
  category: Category | null;
  /** Set exactly when `result` is `pending`: when it falls due, to be tried, or at its deadline to be failed. */
  nextAttemptAtMs: number | null;
  /** The decisive reply. null keeps the one stored before, except with `unknown`, which an earlier refusal would belie. */
  smtp: SmtpRecord | null;
  outcome: Outcome["type"];
  tries: HostAttempt[];
  /** Set where no attempt was made: it does not count as one. */
  untried?: true;
}

export type SpoolEvent =
  | { at_ms: number; type: "accepted" }
  /** Failed at acceptance, for the sake of these refusals of earlier messages. */
  | { at_ms: number; type: "suppressed"; since_ms: number; until_ms: number; refusals: Refusal[] }
  | {
      at_ms: number;
      /** `expired` is a deferral that came too late for another try. `recovered`: found in doubt at start. `retried`: a person asked. */
      type: Outcome["type"] | "expired" | "recovered" | "retried";
      attempt: number;
      reason: string | null;
      /** Not there in events from before categories were stored. */
      category?: Category | null;
      tries: HostAttempt[];
      next_attempt_at_ms: number | null;
    };

export interface RecipientReport {
  position: number;
  email: string;
  field: RecipientField;
  domain: string;
  result: Result;
  reason: string | null;
  /** Also null for a result from before categories were stored. */
  category: Category | null;
  attempts: number;
  nextAttemptAtMs: number | null;
  /** Set where it is pending and no further attempt fits before its deadline: when it is failed. */
  failsAtMs?: number;
  updatedAtMs: number;
  smtp: SmtpRecord | null;
  /** The oldest first. */
  events: SpoolEvent[];
  /** How many older events were left out, because all events of the message are too large; not set for none. */
  eventsOmitted?: number;
}

export interface MessageReport {
  id: string;
  accountId: string;
  keyId: string;
  createdAtMs: number;
  updatedAtMs: number;
  /** As accepted: from here on a recipient that cannot be delivered is failed instead of deferred. */
  expiresAtMs: number;
  from: string;
  subject: string;
  messageId: string;
  tags: string[];
  metadata: Record<string, string>;
  recipients: RecipientReport[];
  /** Set while the message is quarantined. */
  quarantined?: Pick<Quarantined, "foundAtMs" | "part" | "error">;
}

export interface QueueEntry {
  messageId: string;
  email: string;
  domain: string;
  result: "pending" | "unknown";
  reason: string | null;
  category: Category | null;
  attempts: number;
  nextAttemptAtMs: number | null;
  /** As RecipientReport's. */
  failsAtMs?: number;
  createdAtMs: number;
  smtp: SmtpRecord | null;
}

/** Where a pass over what waits has come to: account, recipient domain, due time, and two numbers of the spool's own. */
export type WaitPlace = [accountId: string, domain: string, dueMs: number, seq: number, position: number];

/** A step of a pass over what waits. */
export interface WaitBounds {
  nowMs: number;
  /** How long a recipient may still wait, by the attempts it has had; the last holds for more. */
  longestMs: number[];
  /** Null at the beginning of a pass. */
  after: WaitPlace | null;
  /** Most recipients to look at. */
  limit: number;
}

export interface WaitsShortened {
  /** How many would have waited longer. */
  recipients: number;
  /** Null at the end of the pass. */
  next: WaitPlace | null;
}

export interface Forgetting {
  nowMs: number;
  /** Contents go of messages whose last recipient became final before this moment. */
  contentsBeforeMs: number;
  /** Everything about a message goes likewise. */
  resultsBeforeMs: number;
  /** Most messages to look at. */
  limit: number;
}

export interface Forgotten {
  contents: number;
  messages: number;
  /** False at the end of a pass over all messages. */
  isMore: boolean;
}

/** Which failed recipients are meant. Suppressed ones only where `reason` names them. */
export interface FailedFilter {
  accountId: string;
  /** Of this message; a deadline of the sender's does not hold then. */
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
  /** They are tried until this moment at least. */
  expiresAtMs: number;
  /** Most failed recipients to look at. */
  limit: number;
  /** Where the step before ended; null for the first. */
  after: string | null;
  /** Changes nothing, and returns what would be done. */
  dryRun: boolean;
}

export interface RetriedFailed {
  recipients: { messageId: string; email: string; category: Category | null }[];
  /** How many were left out because the content was deleted. */
  contentDeleted: number;
  /** How many were left out because the sender's own limit is over. */
  pastDeadline: number;
  /** How many were left out because what is stored of them cannot be read or changed. */
  unreadable: number;
  /** For the next step; null at the end. */
  next: string | null;
}

/** A part of the quarantine, behind the row `after`. */
export interface Recheck {
  after: number;
  /** Most messages to look at. */
  limit: number;
  /** Ends the part once so much content was read. */
  bytesMax: number;
  nowMs: number;
  /** As `recover`'s, for recipients that stayed marked. */
  result: "unknown" | "pending";
}

export interface Rechecked {
  /** Ids of the messages that were released. */
  released: string[];
  /** Where the next part begins; null at the end. */
  next: number | null;
}

export interface PausedDomain {
  domain: string;
  atMs: number;
}

export interface SuppressionFilter {
  accountId: string;
  /** As NewMessage's suppressAfter. */
  after: number;
  nowMs: number;
  limit: number;
}

export interface SuppressedAddress extends Suppression {
  /** Local part as written, domain as lower-case A-labels. */
  email: string;
}

/** What a recipient domain asks of those who send to it (RFC 8461 §3.2), as it was fetched. */
export interface StsPolicy {
  /** The recipient domain, lower-case A-labels. */
  domain: string;
  /** The id in DNS that it was fetched for. */
  id: string;
  mode: "enforce" | "testing" | "none";
  /** Host names and patterns ("*.example.com"), lower case. */
  mx: string[];
  fetchedAtMs: number;
  /** It holds before this moment, whatever DNS and HTTPS say meanwhile. */
  expiresAtMs: number;
}

/** Recipients that waited in a backup. */
export interface Resumed {
  held: number;
  unreadable: number;
}

export interface Spool {
  /** Commits message, recipients, quota and idempotency record together, or nothing. Resolves only once that is on disk. */
  accept(message: NewMessage): Promise<Acceptance>;
  /** The remembered use of an idempotency key, so that a replay can be answered before anything else is spent on it. */
  remembered(
    accountId: string,
    idempotencyKey: string,
    nowMs: number,
  ): Promise<{ id: string; payloadHash: string } | null>;

  /**
   * Leases due recipients; a leased one is in no other claim. Accounts take turns, and an account's destinations do.
   * Neither waits for the other: mail just accepted is among the next to be leased, however much is due for longer, and
   * a share of the places goes by age. A message that cannot be read is quarantined, and the claim goes on with the others.
   */
  claim(request: ClaimRequest): Promise<Claim>;
  /** The content of a message as it was accepted. Rejects with MessageDamaged where it is not that any more. */
  content(messageId: string): Promise<Buffer>;
  /** Durable before it resolves: the final dot may leave for these recipients. */
  mark(mark: Mark): Promise<void>;
  /**
   * Stores what an attempt came to and ends the lease. A recipient that is final already stays as it is. Rejects with
   * MessageDamaged where the message's rows cannot be changed; then the lease has ended, and nothing is stored.
   */
  settle(messageId: string, atMs: number, settlements: Settlement[]): Promise<void>;
  /** Gives leased, unmarked recipients back, unchanged. */
  release(ref: ReleasedJob): Promise<void>;
  /** At start, before the first claim: every marked recipient was in doubt when the last process died; they are settled as `result`. Returns how many. */
  recover(nowMs: number, result: "unknown" | "pending"): Promise<number>;
  /** Calls `wake` when recipients may have become due by acceptance or by another process. */
  onDue(wake: () => void): void;

  report(messageId: string): Promise<MessageReport | null>;
  /** Calls `changed` each time a recipient of the message is settled; returns how to stop it. */
  watch(messageId: string, changed: () => void): () => void;
  /** Undelivered recipients, the next due first. */
  queue(filter: { accountId: string; domain?: string; limit: number }): Promise<QueueEntry[]>;
  /** The newest `limit` of the quarantined messages. */
  quarantined(limit: number): Promise<QuarantineReport>;
  /**
   * Releases quarantined messages that can be read again, of one part of the quarantine; one that was released so within a day
   * before stays. Settles marked recipients in no attempt, of messages that `retry` and `retryFailed` have released.
   */
  recheckQuarantined(step: Recheck): Promise<Rechecked>;
  /**
   * Makes pending or unknown recipients due now, a deadline of the sender's notwithstanding; `email` narrows it to one.
   * Returns how many. Releases a quarantined message that can be read again; rejects with MessageDamaged where it cannot.
   */
  retry(filter: { accountId: string; messageId: string; email?: string; nowMs: number }): Promise<number>;
  /**
   * One step of making failed recipients pending and due now, as new mail with its history. Those whose content was
   * deleted stay failed.
   */
  retryFailed(step: RetryFailedStep): Promise<RetriedFailed>;
  /** Makes pending recipients of an account at a recipient domain due now, `limit` at most. Returns how many. */
  retryDomain(filter: { accountId: string; domain: string; nowMs: number; limit: number }): Promise<number>;
  /** Brings pending recipients forward that would wait longer than they may. */
  shortenWaits(step: WaitBounds): Promise<WaitsShortened>;
  /** Until resumed, no recipient at this domain is claimed, whichever account's; attempts under way end. */
  pauseDomain(domain: string, atMs: number): Promise<void>;
  /** False when it was not paused. */
  resumeDomain(domain: string): Promise<boolean>;
  pausedDomains(): Promise<PausedDomain[]>;
  /**
   * Ends the pause that a restored spool begins with; mail that waited in the backup is sent, or held as `unknown`. What is
   * damaged cannot be held, and is quarantined until `retry` releases it. Returns null when there was no pause.
   */
  resumeDelivery(how: { nowMs: number; waiting: "send" | "hold" }): Promise<Resumed | null>;
  /** How many recipients wait for an attempt or are in one. */
  backlog(): Promise<number>;
  /** One step of removing what is kept no longer, and of giving its space back. Nothing goes of a message that has a recipient pending or unknown. */
  forget(step: Forgetting): Promise<Forgotten>;

  /**
   * An account's addresses that would be suppressed now, those refused last first; fewer than `limit` where they are large.
   * Settling counts the refusals; a delivery clears them. Rejects with TooManyReports as the methods of reports.ts do.
   */
  suppressions(filter: SuppressionFilter): Promise<SuppressedAddress[]>;
  /** Forgets an address's refusals, whether or not they are enough to suppress it; false when there are none. */
  unsuppress(accountId: string, email: string): Promise<boolean>;

  /** The policy stored last for a recipient domain, expired or not (an expired one may be gone). */
  stsPolicy(domain: string): Promise<StsPolicy | null>;
  /** Keeps a policy in place of the domain's former one. Durable before it resolves. */
  storeStsPolicy(policy: StsPolicy): Promise<void>;

  /** What delivery wants to know again after a restart, as text under a name; losing it costs only time. */
  note(name: string): Promise<string | null>;
  writeNote(name: string, text: string): Promise<void>;

  close(): Promise<void>;
}
