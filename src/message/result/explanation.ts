/**
 * The texts that explain a recipient's result to people: the cause (category.ts), the consequence (reasons.ts) and advice.
 * Programs use the codes.
 */
import type { Category } from "./category.ts";
import type { Result } from "./outcome.ts";
import {
  HELD,
  isDecidedReason,
  NO_SENDING_ADDRESS,
  SENDING_ADDRESS_BLOCKED,
  SENDING_DOMAIN_REFUSED,
  sentenceFor,
  WARM_UP,
} from "./reasons.ts";
import type { SuppressionCause } from "./suppression.ts";

const CAUSES: Readonly<Record<Category, string | null>> = {
  bad_address: "The recipient's server reported that the address does not exist or accepts no mail.",
  mailbox_full: "The recipient's mailbox is full.",
  mailbox_disabled: "The recipient's mailbox exists, but is disabled.",
  rate_limited: "The recipient's server limits how much mail it accepts from this server at a time.",
  reputation: "The recipient's server distrusts this server's IP address or the sender's domain (reputation).",
  authentication:
    "The recipient's server could not authenticate the sender: a check of SPF, DKIM, DMARC, the domain's MX or this server's name failed.",
  content: "The recipient's server objected to the content of the message.",
  policy: "A policy of the recipient's server does not allow the message.",
  too_large: "The message is larger than the recipient's server accepts.",
  greylisted: "The recipient's server delays messages from senders that it does not know yet (greylisting).",
  network: "The recipient's server is temporarily unavailable.",
  other: null,
};

/** For an expired message: there may never have been a connection. */
const UNREACHABLE = "The recipient's server could not be reached or was unavailable.";

/** Reasons whose sentence does not name the cause. */
const REASONS_WITHOUT_CAUSE: ReadonlySet<string> = new Set([
  "recipient_refused",
  "sender_refused",
  "message_refused",
  "temporarily_refused",
  "host_refused",
  "refused_on_fallback",
  SENDING_ADDRESS_BLOCKED,
  SENDING_DOMAIN_REFUSED,
]);

/** Returns what happened, in one to three sentences. */
export function explain(reason: string, category: Category | null | undefined): string {
  const cause = category == null ? null : CAUSES[category];
  const sentence = sentenceFor(reason);
  if (cause == null) return sentence;
  if (reason === "expired") return `${sentence} ${category === "network" ? UNREACHABLE : cause}`;
  return REASONS_WITHOUT_CAUSE.has(reason) ? `${cause} ${sentence}` : sentence;
}

/** Why an address is suppressed, as a short name. */
export const SUPPRESSION_NAMES: Readonly<Record<SuppressionCause, string>> = {
  refusals: "rejected as unknown",
  bounce: "bounced before",
  manual: "added by hand",
  complaint: "complaint",
  unsubscribed: "unsubscribed",
};

const SUPPRESSION_SENTENCES: Readonly<Record<SuppressionCause, string>> = {
  refusals: "Delivery was not attempted: recent attempts reported repeatedly that the address does not exist.",
  bounce:
    "Delivery was not attempted: the address is on the suppression list because it bounced permanently at another service.",
  manual: "Delivery was not attempted: a user or a program added the address to the suppression list.",
  complaint: "Delivery was not attempted: the recipient reported an earlier message as spam.",
  unsubscribed: "Delivery was not attempted: the recipient unsubscribed.",
};

/** Returns why a recipient failed with the reason `suppressed`. */
export const suppressionSentence = (cause: SuppressionCause): string => SUPPRESSION_SENTENCES[cause];

/** Returns what a bounce or its category means, as a sentence; null where the diagnostic says it. */
export function explainBounce(category: Category): string | null {
  return CAUSES[category];
}

const RETRIED_AUTOMATICALLY = "No action is needed: Postrider retries automatically.";

/** Advice by category, for a pending and for a failed recipient. */
const ADVICE: Readonly<Record<Category, { pending: string; failed: string }>> = {
  bad_address: {
    pending: "Check the spelling of the address.",
    failed: "Check the spelling of the address. If it is correct, remove the address from your lists.",
  },
  mailbox_full: {
    pending: "Only the recipient can free space. Postrider retries automatically.",
    failed: "Only the recipient can free space. Send the message again later, or contact the recipient another way.",
  },
  mailbox_disabled: {
    pending: "Ask the recipient for another address, or wait: Postrider retries automatically.",
    failed: "Ask the recipient for another address, and remove this one from your lists.",
  },
  rate_limited: {
    pending:
      "Postrider sends to this server more slowly and retries automatically. If this persists, send fewer messages at a time.",
    failed: "Send fewer messages at a time to this provider, then send the message again.",
  },
  reputation: {
    pending:
      "An operator can see on the page This server which blocklists name this server. Ask them, or the provider named in the reply, to remove it.",
    failed:
      "An operator can see on the page This server which blocklists name this server. Ask them, or the provider named in the reply, to remove it. Then send the failed messages again.",
  },
  authentication: {
    pending: "Verify the sending domain again on its page. An operator can check reverse DNS on the page This server.",
    failed:
      "Verify the sending domain again on its page. An operator can check reverse DNS on the page This server. Then send the message again.",
  },
  content: {
    pending: "Read the reply: it may name the link, attachment or wording that was rejected.",
    failed:
      "Read the reply: it may name the link, attachment or wording that was rejected. Change it in the next message.",
  },
  policy: {
    pending: "Read the reply. If it does not explain the rejection, ask the recipient's postmaster.",
    failed:
      "Read the reply. If it does not explain the rejection, ask the recipient's postmaster. Then send the message again.",
  },
  too_large: {
    pending: "Send a smaller message, for example with a link instead of an attachment.",
    failed: "Send a smaller message, for example with a link instead of an attachment.",
  },
  greylisted: {
    pending: RETRIED_AUTOMATICALLY,
    failed: "Send the message again: most servers accept a later attempt.",
  },
  network: {
    pending:
      "Postrider retries automatically. If other domains are waiting too, an operator can check DNS and port 25 on the page This server.",
    failed:
      "Send the message again when the recipient's server is available. If other domains failed too, an operator can check DNS and port 25 on the page This server.",
  },
  other: {
    pending: "See the server's reply or the error below. Postrider retries automatically.",
    failed: "See the server's reply or the error below.",
  },
};

/** For a pending recipient with one of these reasons, whose cause is here and not at the recipient's server. */
const ADVICE_BY_REASON: Readonly<Record<string, string>> = {
  [HELD]: "Release the key if this is your mail. If it is not, revoke the key and cancel what waits.",
  [WARM_UP]:
    "It is tried on the next day (UTC). An operator can add a sending address to the pool, or raise the limit.",
  [NO_SENDING_ADDRESS]:
    "Postrider retries automatically. An operator can look at the sending addresses: one must be on a running host, and not paused.",
};

/** Returns advice for a pending or failed recipient with this category; null if there is none, or if a person decided the result. */
export function adviceFor(result: Result, category: Category | null, reason: string | null = null): string | null {
  if (isDecidedReason(reason) || category === null || result === "delivered" || result === "unknown") return null;
  const own = result === "pending" && reason !== null ? ADVICE_BY_REASON[reason] : undefined;
  return own ?? ADVICE[category][result];
}
