/**
 * What the status page says about a recipient: the state, and which sentence of status-texts.ts. The page's reader may be anybody who has
 * typed the address, so a sentence says no more than the lookup, and nothing about why the sender's account or address is in trouble.
 * The tables are complete by their types: a new result, reason or category does not compile without its sentence.
 */
import type { Category } from "../../message/result/category.ts";
import type { Result } from "../../message/result/outcome.ts";
import {
  type FailedReason,
  isUnknownReason,
  type PendingReason,
  RESOLVED,
  SCHEDULED,
} from "../../message/result/reasons.ts";
import type { MessageReport, RecipientReport } from "../../spool/port/results.ts";

/** `returned`: the message came back after its handover. The others are the results of the lookup. */
export const STATUS_STATES = ["pending", "delivered", "failed", "unknown", "returned"] as const satisfies (
  | Result
  | "returned"
)[];
export type StatusState = (typeof STATUS_STATES)[number];

/** By the state that it belongs to. */
export const SENTENCES = {
  pending: [
    "on_its_way",
    "scheduled",
    "provider_waits",
    "mailbox_full_waits",
    "unreachable_waits",
    "sender_waits",
    "perhaps_waits",
  ],
  delivered: ["delivered", "delivered_assumed"],
  failed: [
    "no_such_address",
    "no_such_domain",
    "mailbox_full",
    "mailbox_disabled",
    "refused",
    "expired",
    "blocked",
    "cancelled",
    "fault",
    "failed_assumed",
    "not_delivered",
  ],
  unknown: ["unknown"],
  returned: ["returned", "returned_no_such_address", "returned_mailbox_full", "returned_mailbox_disabled"],
} as const satisfies Record<StatusState, readonly string[]>;

type SentenceOf<State extends StatusState> = (typeof SENTENCES)[State][number];
export type StatusSentence = SentenceOf<StatusState>;

export interface RecipientStatus {
  state: StatusState;
  sentence: StatusSentence;
  /** The moment that the sentence names; null if it names none. */
  atMs: number | null;
  /** When the next attempt is due; null if none is known. */
  nextAtMs: number | null;
  updatedAtMs: number;
  isTest: boolean;
}

type Described = Pick<
  RecipientReport,
  "result" | "reason" | "category" | "nextAttemptAtMs" | "updatedAtMs" | "bounce" | "events"
>;

/** What a recipient's provider does as long as it has not accepted the message. */
const PENDING_BY_CATEGORY: Readonly<Record<Category, SentenceOf<"pending">>> = {
  bad_address: "provider_waits",
  mailbox_full: "mailbox_full_waits",
  mailbox_disabled: "provider_waits",
  rate_limited: "provider_waits",
  reputation: "provider_waits",
  authentication: "provider_waits",
  content: "provider_waits",
  policy: "provider_waits",
  too_large: "provider_waits",
  greylisted: "provider_waits",
  network: "unreachable_waits",
  other: "provider_waits",
};

/** Null: the category says it. */
const PENDING: Readonly<Record<PendingReason, SentenceOf<"pending"> | null>> = {
  temporarily_refused: null,
  host_refused: null,
  refused_on_fallback: null,
  sending_address_blocked: "provider_waits",
  sending_domain_refused: "provider_waits",
  too_many_recipients: "provider_waits",
  warm_up: "sender_waits",
  held: "sender_waits",
  no_sending_address: "sender_waits",
  internal_error: "sender_waits",
  interrupted_before_final_dot: "sender_waits",
  scheduled: "scheduled",
  connection_failed: "unreachable_waits",
  connection_lost: "unreachable_waits",
  timeout: "unreachable_waits",
  protocol_error: "unreachable_waits",
  tls_required: "unreachable_waits",
  tls_policy_failed: "unreachable_waits",
  mta_sts_mx_mismatch: "unreachable_waits",
  dns_trouble: "unreachable_waits",
  no_mail_host: "unreachable_waits",
  host_without_address: "unreachable_waits",
  address_refused: "unreachable_waits",
};

const FAILED_BY_CATEGORY: Readonly<Record<Category, SentenceOf<"failed">>> = {
  bad_address: "no_such_address",
  mailbox_full: "mailbox_full",
  mailbox_disabled: "mailbox_disabled",
  rate_limited: "refused",
  reputation: "refused",
  authentication: "refused",
  content: "refused",
  policy: "refused",
  too_large: "refused",
  greylisted: "refused",
  network: "refused",
  other: "refused",
};

const FAILED: Readonly<Record<FailedReason, SentenceOf<"failed"> | null>> = {
  recipient_refused: null,
  sender_refused: "refused",
  message_refused: null,
  domain_not_found: "no_such_domain",
  null_mx: "no_such_domain",
  mail_loop: "not_delivered",
  message_too_large: "refused",
  needs_8bitmime: "refused",
  needs_smtputf8: "refused",
  expired: "expired",
  suppressed: "blocked",
  cancelled: "cancelled",
  discarded: "fault",
  resolved: "failed_assumed",
};

const RETURNED_BY_CATEGORY: Readonly<Record<Category, SentenceOf<"returned">>> = {
  bad_address: "returned_no_such_address",
  mailbox_full: "returned_mailbox_full",
  mailbox_disabled: "returned_mailbox_disabled",
  rate_limited: "returned",
  reputation: "returned",
  authentication: "returned",
  content: "returned",
  policy: "returned",
  too_large: "returned",
  greylisted: "returned",
  network: "returned",
  other: "returned",
};

/** Returns the status of one recipient of a message. */
export function recipientStatus(
  recipient: Described,
  { test, quarantined }: Pick<MessageReport, "test" | "quarantined">,
): RecipientStatus {
  const { updatedAtMs, bounce } = recipient;
  const known = { nextAtMs: null, updatedAtMs, isTest: test };
  // A message that comes back during a further attempt does not decide about it.
  if (bounce !== undefined && recipient.result !== "pending") {
    const sentence = RETURNED_BY_CATEGORY[bounce.category];
    return {
      ...known,
      state: "returned",
      sentence,
      atMs: bounce.atMs,
      updatedAtMs: Math.max(updatedAtMs, bounce.atMs),
    };
  }
  switch (recipient.result) {
    case "delivered": {
      const isAssumed = recipient.reason === RESOLVED;
      const sentence = isAssumed ? "delivered_assumed" : "delivered";
      return { ...known, state: "delivered", sentence, atMs: isAssumed ? null : deliveredAtMs(recipient) };
    }
    case "failed":
      return { ...known, state: "failed", sentence: failedSentence(recipient), atMs: null };
    case "unknown":
      return { ...known, state: "unknown", sentence: "unknown", atMs: null };
    case "pending": {
      // No attempt is made of a quarantined message until it is released.
      if (quarantined !== undefined) return { ...known, state: "pending", sentence: "sender_waits", atMs: null };
      const { reason, nextAttemptAtMs } = recipient;
      if (reason === SCHEDULED && nextAttemptAtMs !== null)
        return { ...known, state: "pending", sentence: "scheduled", atMs: nextAttemptAtMs };
      const isFirst = reason === null || reason === SCHEDULED;
      const sentence = isFirst ? "on_its_way" : pendingSentence(reason, recipient.category);
      return { ...known, state: "pending", sentence, atMs: null, nextAtMs: isFirst ? null : nextAttemptAtMs };
    }
  }
}

function pendingSentence(reason: string, category: Category | null): SentenceOf<"pending"> {
  if (isUnknownReason(reason)) return "perhaps_waits";
  const own = Object.hasOwn(PENDING, reason) ? PENDING[reason as PendingReason] : null;
  return own ?? (category === null ? "on_its_way" : PENDING_BY_CATEGORY[category]);
}

function failedSentence({ reason, category }: Pick<Described, "reason" | "category">): SentenceOf<"failed"> {
  if (reason === null || !Object.hasOwn(FAILED, reason)) return "not_delivered";
  if (reason === "expired" && category === "mailbox_full") return "mailbox_full";
  const own = FAILED[reason as FailedReason];
  return own ?? (category === null ? "refused" : FAILED_BY_CATEGORY[category]);
}

/** Reports that come back later also change when a recipient was last updated. */
const deliveredAtMs = ({ events, updatedAtMs }: Pick<Described, "events" | "updatedAtMs">): number =>
  events.findLast(({ type }) => type === "delivered" || type === "confirmed")?.at_ms ?? updatedAtMs;
