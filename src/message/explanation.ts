/**
 * What a person reads about a result: the obstacle (category.ts) and what it led to (reasons.ts) in sentences, and what to
 * do about it. Programs read the codes.
 */
import type { Category } from "./category.ts";
import type { Result } from "./outcome.ts";
import { sentenceFor } from "./reasons.ts";

const OBSTACLES: Readonly<Record<Category, string | null>> = {
  bad_address: "The recipient's mail server says that the address does not exist or takes no mail.",
  mailbox_full: "The recipient's mailbox is full.",
  mailbox_disabled: "The recipient's mailbox exists, but is disabled.",
  rate_limited: "The recipient's mail server limits how much mail it takes from this server at a time.",
  reputation: "The recipient's mail server distrusts this server's IP address or the sender's domain (reputation).",
  authentication:
    "The recipient's mail server could not authenticate the sender: SPF, DKIM, DMARC or the reverse DNS name does not hold.",
  content: "The recipient's mail server objects to the content of the message.",
  policy: "A rule of the recipient's mail server does not allow the message.",
  too_large: "The message is larger than the recipient's mail server accepts.",
  greylisted: "The recipient's mail server delays mail from senders that it does not know yet (greylisting).",
  network: "The recipient's mail server is temporarily unavailable.",
  other: null,
};

/** Until the end there may have been no connection. */
const UNREACHED = "The recipient's mail server could not be reached or was unavailable.";

/** Reasons that leave open what stood in the way. The others name it themselves. */
const OPEN_REASONS: ReadonlySet<string> = new Set([
  "recipient_refused",
  "sender_refused",
  "message_refused",
  "temporarily_refused",
  "host_refused",
  "refused_on_fallback",
]);

/** What happened, in one or two sentences. */
export function explain(reason: string, category: Category | null | undefined): string {
  const obstacle = category == null ? null : OBSTACLES[category];
  const sentence = sentenceFor(reason);
  if (obstacle == null) return sentence;
  if (reason === "expired") return `${sentence} ${category === "network" ? UNREACHED : obstacle}`;
  return OPEN_REASONS.has(reason) ? `${obstacle} ${sentence}` : sentence;
}

const BY_ITSELF = "Nothing to do: Postrider tries again by itself.";

/** What to do while it is pending, and once it has failed. */
const ADVICE: Readonly<Record<Category, { pending: string; failed: string }>> = {
  bad_address: {
    pending: "Check the spelling of the address.",
    failed: "Check the spelling of the address. If it is right, remove it from your lists.",
  },
  mailbox_full: {
    pending: "Only the recipient can make room. Postrider tries again by itself.",
    failed: "Only the recipient can make room. Send the message again later, or reach them in another way.",
  },
  mailbox_disabled: {
    pending: "Ask the recipient for another address, or wait: Postrider tries again by itself.",
    failed: "Ask the recipient for another address, and remove this one from your lists.",
  },
  rate_limited: {
    pending: "Postrider sends more slowly there and tries again by itself. If it lasts, send less at a time.",
    failed: "Send less at a time to this provider, then send the message again.",
  },
  reputation: {
    pending:
      "An operator finds the block lists that name this server on the host page. Ask those lists, or the provider that the reply names, to remove it.",
    failed:
      "An operator finds the block lists that name this server on the host page. Ask those lists, or the provider that the reply names, to remove it, then send the failed messages again.",
  },
  authentication: {
    pending: "Verify the sending domain again on its page. An operator checks the reverse DNS name on the host page.",
    failed:
      "Verify the sending domain again on its page; an operator checks the reverse DNS name on the host page. Then send the message again.",
  },
  content: {
    pending: "Read the reply: it may name the link, attachment or wording that it objects to.",
    failed:
      "Read the reply: it may name the link, attachment or wording that it objects to. Change that in the next message.",
  },
  policy: {
    pending: "Read the reply. If it does not say enough, ask the recipient's postmaster.",
    failed: "Read the reply. If it does not say enough, ask the recipient's postmaster; then send the message again.",
  },
  too_large: {
    pending: "Send a smaller message, for example with a link in place of an attachment.",
    failed: "Send a smaller message, for example with a link in place of an attachment.",
  },
  greylisted: { pending: BY_ITSELF, failed: "Send the message again: most servers accept a later attempt." },
  network: {
    pending:
      "Postrider tries again by itself. If other domains wait too, an operator checks DNS and port 25 on the host page.",
    failed:
      "Send the message again once the recipient's mail server works. If other domains failed too, an operator checks DNS and port 25 on the host page.",
  },
  other: {
    pending: "See the server's reply or the error below. Postrider tries again by itself.",
    failed: "See the server's reply or the error below.",
  },
};

/** What to do about a pending or failed result with this category; null where nothing is known to help. */
export function adviceFor(result: Result, category: Category | null): string | null {
  if (category === null || result === "delivered" || result === "unknown") return null;
  return ADVICE[category][result];
}
