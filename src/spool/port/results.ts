/**
 * What became of a message: each recipient's result and its events. Point reads, microseconds each; reports.ts has the
 * reads of many rows. Times are milliseconds since the epoch.
 */
import type { Category } from "../../message/result/category.ts";
import type { HostAttempt, Outcome, Result, SmtpRecord } from "../../message/result/outcome.ts";
import type { Refusal, SuppressionCause } from "../../message/result/suppression.ts";
import type { BounceReport } from "./incoming.ts";
import type { RecipientField } from "./mail.ts";
import type { QuarantinedMessage } from "./quarantine.ts";

/** A message that a host accepted and returned later (RFC 3464). */
export interface Bounce extends BounceReport {
  atMs: number;
}

/** A report that the recipient has marked the message as spam (RFC 5965). */
export interface Complaint {
  atMs: number;
  /** The Feedback-Type, such as `abuse`. */
  kind: string;
}

/** What can come back after a handover. */
export const FEEDBACK = ["bounced", "complained", "unsubscribed"] as const;

export type Feedback = (typeof FEEDBACK)[number];

/** What became of one attempt. */
export interface AttemptEvent {
  at_ms: number;
  /**
   * `expired`: deferred too late for another attempt. `recovered`: found marked once its lease had expired. `retried`: an
   * operator or the sender asked for it.
   */
  type: Outcome["type"] | "expired" | "recovered" | "retried";
  attempt: number;
  reason: string | null;
  /** Absent from events written before categories were stored. */
  category?: Category | null;
  tries: HostAttempt[];
  next_attempt_at_ms: number | null;
  /** Who asked for a retry, as RecipientsDecision's; absent from other events, and from those of earlier versions. */
  by?: string;
}

/** A person's decision. It has the members of an attempt because an earlier version takes it for one. */
export interface DecisionEvent {
  at_ms: number;
  type: "resolved" | "cancelled" | "discarded";
  /** `unknown`: cancelled, but an earlier attempt may have delivered the message. */
  result: "delivered" | "failed" | "unknown";
  /** As RecipientsDecision's. */
  by: string;
  /** Attempts so far. */
  attempt: number;
  reason: string | null;
  category: Category | null;
  tries: [];
  next_attempt_at_ms: null;
  /** Why a discarded message could not be delivered. */
  damage?: { found_at_ms: number; part: QuarantinedMessage["part"]; error: string };
}

/** As stored, in JSON. */
export type SpoolEvent =
  | { at_ms: number; type: "accepted" }
  /** The message is sent at this time. `by`: who has changed it, as RecipientsDecision's; absent at acceptance. */
  | { at_ms: number; type: "scheduled"; send_at_ms: number; by?: string }
  /** Failed at acceptance, because the address is suppressed. */
  | {
      at_ms: number;
      type: "suppressed";
      /** Absent from events written before there were others than refusals. */
      cause?: SuppressionCause;
      since_ms: number;
      /** Null: until it is allowed again. */
      until_ms: number | null;
      /** Of earlier messages. Empty unless they are the cause. */
      refusals: Refusal[];
    }
  /** The message came back after its handover. `rule`: the classifier's rule that matched. */
  | ({ at_ms: number; type: "bounced"; rule?: string } & BounceReport)
  /** `kind`: as Complaint's. */
  | { at_ms: number; type: "complained"; kind: string }
  /** A complaint that is not proven to be about this recipient, and that has changed nothing. */
  | { at_ms: number; type: "complaint_unverified"; kind: string }
  | { at_ms: number; type: "unsubscribed" }
  /** A report said that the message was delivered. */
  | { at_ms: number; type: "confirmed" }
  | DecisionEvent
  | AttemptEvent;

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
  /** Set if the recipient is pending and no further attempt fits before its deadline: when it fails. */
  failsAtMs?: number;
  updatedAtMs: number;
  smtp: SmtpRecord | null;
  /** The first; absent if none is known. `result` remains that of the SMTP session. */
  bounce?: Bounce;
  /** The first; absent if none is known. */
  complaint?: Complaint;
  /** When the recipient unsubscribed by the link of this message; absent if it has not. */
  unsubscribedAtMs?: number;
  /** The oldest first. */
  events: SpoolEvent[];
  /** How many older events were left out because all of the message's events are too large; absent if none. */
  eventsOmitted?: number;
}

export interface MessageReport {
  id: string;
  accountId: string;
  keyId: string;
  createdAtMs: number;
  updatedAtMs: number;
  /** As NewMessage's. */
  expiresAtMs: number;
  /** As NewMessage's, or as it was changed since; null if the message was not scheduled. */
  sendAtMs: number | null;
  from: string;
  /** The bound domain, at or above that of the sender; null if nothing is known of it. */
  senderDomain: string | null;
  subject: string;
  messageId: string;
  tags: string[];
  metadata: Record<string, string>;
  /** As NewMessage's; null if there was none, or if the message was accepted before they were stored. */
  requestId: string | null;
  /** As NewMessage's `clientKey`; null as for `requestId`. */
  idempotencyKey: string | null;
  /** As NewMessage's. */
  test: boolean;
  recipients: RecipientReport[];
  /** Set while the message is quarantined. */
  quarantined?: Pick<QuarantinedMessage, "foundAtMs" | "part" | "error">;
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
  /** Whether the message was sent with a test key. Then `domain` is a test route. */
  test: boolean;
  smtp: SmtpRecord | null;
}

export interface QueueFilter {
  accountId: string;
  /** The recipient domain. Test messages have none. */
  domain?: string;
  /** Whether of test messages, or of all others. */
  test?: boolean;
  /** Only recipients with this result. */
  result?: QueueEntry["result"];
  limit: number;
}

export interface Results {
  /**
   * null if there is no such message. Rejects with MessageDamaged if it cannot be read. `accountId` names the account that asks:
   * another account's message does not exist for it, and accounts take turns where reads wait for each other.
   */
  report(messageId: string, accountId?: string): Promise<MessageReport | null>;
  /** Calls `changed` each time this process settles recipients of the message. Returns a function that stops it. */
  watch(messageId: string, changed: () => void): () => void;
  /** Undelivered recipients, the next due first, then those that are `unknown`. */
  queue(filter: QueueFilter): Promise<QueueEntry[]>;
}
