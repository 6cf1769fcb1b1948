/**
 * What a refusal concerns: one recipient or message, or what holds for other mail too, namely the address that mail leaves from or the
 * domain that it is from. delivery/verdict.ts decides what that means for the recipient, load-signal.ts for the destination.
 *
 * What is not clearly about us is taken for the recipient's or the message's: deferring what will never be accepted is a fault as well.
 */
import type { Category, RefusalScope } from "./category.ts";
import { BEFORE_RCPT, type Classification, classifyReply } from "./classifier.ts";
import type { SmtpReply, Stage } from "./outcome.ts";

/** Words for a domain or its signature, for the content of a message, and for block lists of domains and URLs. */
const ONE_SENDER =
  /\b(?:domains?|dkim|spf|dmarc|ur[il]s?|content|attachments?|message (?:body|header)|links? (?:with)?in|(?:banned|outbound) sender|sender(?:'s)? (?:address|id|e?-?mail)|from (?:address|header)|dbl|rhsbl)\b|surbl|uribl|spamhaus\.org\/(?:query\/)?dbl/u;

/** Words for a domain as the sender's. */
const SENDING_DOMAIN = /\b(?:dkim|spf|sending|sender|sender's|from|your) domains?\b/u;

/** Words for the address that mail comes from. */
const OUR_ADDRESS = /\bip(?:v[46])?\b|client host|sending (?:host|mta|server)|\d{1,3}(?:\.\d{1,3}){3}/u;

/** Enhanced codes of failed authentication, without their class: of the reverse name (RFC 7372 §3.3) and of Microsoft for the EHLO name. */
const ADDRESS_CODES: ReadonlySet<string> = new Set(["7.25", "7.506"]);

/** The same of a sending domain: its names and MX (RFC 3463 §3.2, RFC 7505 §4.2), DKIM, SPF, DMARC. */
const DOMAIN_CODES: ReadonlySet<string> = new Set(
  "1.2 1.8 1.10 7.20 7.21 7.22 7.23 7.24 7.26 7.27 7.30 7.31 7.32 7.367 7.509 7.515".split(" "),
);

/** Categories that concern a recipient or a message. */
const SCOPE_OF_CATEGORY: Partial<Record<Category, RefusalScope>> = {
  bad_address: "recipient",
  mailbox_full: "recipient",
  mailbox_disabled: "recipient",
  content: "message",
  too_large: "message",
  greylisted: "message",
};

/** Returns what a 4xx or 5xx reply at a stage concerns. */
export function scopeOfReply(reply: SmtpReply, stage: Stage): RefusalScope {
  return scopeOf(reply, stage, classifyReply(reply, stage));
}

/** The same for a reply that is classified already. */
export function scopeOf(
  reply: SmtpReply,
  stage: Stage,
  { category, scope }: Pick<Classification, "category" | "scope">,
): RefusalScope {
  const detail = reply.enhanced_code?.slice(2) ?? "";
  if (!BEFORE_RCPT.has(stage) && isOfMailbox(detail)) return "recipient";
  if (scope !== null) return scope;
  const text = reply.message.toLowerCase();
  switch (category) {
    case "authentication":
      if (ADDRESS_CODES.has(detail)) return "sending_address";
      return DOMAIN_CODES.has(detail) ? "sending_domain" : "recipient";
    case "rate_limited":
      if (isRecipientLimit(reply, stage, detail)) return "recipient";
      if (!ONE_SENDER.test(text)) return "sending_address";
      return SENDING_DOMAIN.test(text) ? "sending_domain" : "message";
    case "reputation":
      return isOfOneSender(text, stage) ? "message" : "sending_address";
    default:
      return SCOPE_OF_CATEGORY[category] ?? (ONE_SENDER.test(text) ? "message" : "unspecified");
  }
}

/** Addresses and mailboxes (RFC 3463 §3.2, §3.3), but neither undefined ones (x.1.0, x.2.0) nor the sender's (x.1.7 to x.1.9). */
const isOfMailbox = (detail: string): boolean => /^(?:1\.(?:[1-6]|10)|2\.[1-9]\d*)$/u.test(detail);

/** Too many recipients in one transaction (RFC 5321 §4.5.3.1.10): a limit of the protocol. */
function isRecipientLimit({ code, message }: SmtpReply, stage: Stage, detail: string): boolean {
  if (detail.startsWith("5.")) return true;
  return (
    stage === "rcpt" && ((detail === "" && (code === 452 || code === 552)) || /too many recipients/iu.test(message))
  );
}

/**
 * Whether a refusal for reputation may concern one sending domain or only one message. A reply that names both our address and a
 * domain counts: a host that refuses our address says so for other mail too, without naming a domain.
 */
function isOfOneSender(text: string, stage: Stage): boolean {
  if (ONE_SENDER.test(text)) return true;
  // A host that has read the content may refuse it for its sender or a link in it.
  return (stage === "content" || stage === "final_dot") && !OUR_ADDRESS.test(text);
}
