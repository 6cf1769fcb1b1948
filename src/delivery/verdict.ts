/**
 * The whole failure policy: what each DNS answer, SMTP reply, lost connection and timeout means for a recipient. Nothing else in
 * the project decides between delivered, failed, deferred and unknown.
 *
 * - Failed: a 5xx about the sender's mailbox, the recipient or the message; a domain that does not exist or accepts no mail; something that
 *   the message needs and the peer does not offer.
 * - Deferred: everything temporary, everything about the host or ourselves rather than the recipient, and everything that is not
 *   understood before the final dot. So is a refusal, of whatever class, of our address, our name or our rate, and of the sending
 *   domain's records (refusal-scope.ts): records that vanish come back. So is a refusal on a fallback session (plain text after failed TLS, HELO after a refused
 *   EHLO): the host may accept the message once the cause of the fallback is gone.
 * - Unknown: the final dot has left, and no reply shows whether the host accepted the message.
 */
import type { Category, RefusalScope } from "../message/result/category.ts";
import { categoryOfReason, classifyReply } from "../message/result/classifier.ts";
import type { SmtpReply, Stage } from "../message/result/outcome.ts";
import {
  NO_SENDING_ADDRESS,
  SENDING_ADDRESS_BLOCKED,
  SENDING_DOMAIN_REFUSED,
  WARM_UP,
} from "../message/result/reasons.ts";
import { scopeOf, scopeOfReply } from "../message/result/refusal-scope.ts";
import type { Route } from "./routing/route.ts";
import type { RecipientResult, ReplyStage } from "./smtp/recipient-results.ts";
import type { Fallback } from "./smtp/session.ts";

export type Verdict =
  /** `final`: nothing else may be tried in this attempt. A deferral that is not final may go on to the next host. */
  | { type: "delivered"; reason: null; final: true }
  | { type: "failed" | "unknown"; reason: string; category: Category; final: true }
  | { type: "deferred"; reason: string; category: Category; final: boolean };

/** The default category is that of a reason without a reply. */
const failed = (reason: string, category = categoryOfReason(reason)): Verdict => {
  return { type: "failed", reason, category, final: true };
};
const unknown = (reason: string): Verdict => {
  return { type: "unknown", reason, category: categoryOfReason(reason), final: true };
};
const deferred = (reason: string, final = false, category = categoryOfReason(reason)): Verdict => {
  return { type: "deferred", reason, category, final };
};

/** The verdict on a route without hosts, and its error text. */
export function verdictOnRoute(route: Exclude<Route, { type: "hosts" }>): { verdict: Verdict; error: string } {
  switch (route.type) {
    case "no_such_domain":
      return { verdict: failed("domain_not_found"), error: "the domain does not exist (NXDOMAIN, 5.1.2)" };
    case "null_mx":
      return { verdict: failed("null_mx"), error: "the domain accepts no mail (null MX, 5.1.10)" };
    case "no_mail_host":
      return { verdict: deferred("no_mail_host"), error: "the domain has neither MX nor address records" };
    case "dns_trouble":
      return { verdict: deferred("dns_trouble"), error: `the MX look-up failed (${route.code})` };
    case "no_test_sink":
      return { verdict: internalError, error: `the sink for test messages does not run: ${route.error}` };
  }
}

/**
 * A session that did not open concerns the host, never a recipient, so a 5xx greeting is a deferral too. Failed TLS ends an opening
 * only where a policy requires TLS. `refusal` is the reply of a host that refused.
 */
export function verdictOnSession(
  failure: "refused" | "unreachable" | "tls_failed" | "no_address",
  refusal: { reply: SmtpReply | null; stage: Stage } = { reply: null, stage: "greeting" },
): Verdict {
  switch (failure) {
    case "refused":
      return refusal.reply === null ? deferred("host_refused") : verdictOnRefusedSession(refusal.reply, refusal.stage);
    case "unreachable":
      return deferred("connection_failed");
    case "tls_failed":
      return deferred("tls_policy_failed");
    case "no_address":
      return deferred("host_without_address");
  }
}

function verdictOnRefusedSession(reply: SmtpReply, stage: Stage): Verdict {
  const { reason, category } = aboutUs(reply, stage);
  return deferred(reason ?? "host_refused", false, category);
}

/** For mail that is not offered to a closed destination. `block` is the category if it has refused our address (closed-destination.ts). */
export function verdictOnClosedDestination(block: Category | null): Verdict {
  return block === null ? deferred("host_refused") : deferred(SENDING_ADDRESS_BLOCKED, false, block);
}

/** For mail whose pool of sending addresses has none that may be used. */
export const noSendingAddress: Verdict = deferred(NO_SENDING_ADDRESS, true, "network");

/** For mail whose sending addresses have sent as much as their warm-up allows in a day. */
export const warmingUp: Verdict = deferred(WARM_UP, true, "rate_limited");

/** For mail of a sending domain whose authentication the destination has refused a few times. */
export function verdictOnPausedSender(category: Category): Verdict {
  return deferred(SENDING_DOMAIN_REFUSED, true, category);
}

/** For a host that the TLS policy forbids: the next look-up may find another policy, or other hosts. */
export function verdictOnPolicy(cause: "mta_sts_mx_mismatch" | "dns_trouble"): Verdict {
  return deferred(cause);
}

/** For an address that SMTP_ALLOW_PRIVATE forbids. */
export const addressRefused: Verdict = deferred("address_refused");

/** For another transaction: the server accepts few recipients at a time, or the attempt ended before this one was offered. */
export const notOffered: Verdict = deferred("too_many_recipients");

/** For the copies that a host was not offered after what it did with another recipient's: the next host may take them. */
export function verdictOnOtherCopies(result: RecipientResult): Verdict {
  if (result.type === "held_back") return deferred("internal_error", true);
  if (result.type !== "reply") return deferred("timeout");
  const { reason, category } = aboutUs(result.reply, result.stage);
  return deferred(reason ?? "temporarily_refused", result.reply.code >= 500, category);
}

/** An error of our own: the key, the signature or the spool. */
export const internalError: Verdict = deferred("internal_error");

/** A shutdown or a lost lease ended the attempt before this recipient's final dot had left. */
export const interruptedBeforeDot: Verdict = deferred("interrupted_before_final_dot");

/** A shutdown ended the attempt before the reply to this recipient's final dot. */
export const interruptedAfterDot: Verdict = unknown("interrupted_after_final_dot");

export type Need = "too_large" | "needs_8bitmime" | "needs_smtputf8";

/** The message needs something that the peer's EHLO does not offer. A fallback session may offer less than the host can do. */
export function verdictOnNeed(need: Need, fallback: Fallback): { verdict: Verdict; error: string } {
  const { reason, error } = NEEDS[need];
  return { verdict: fallback === "none" ? failed(reason) : deferred(reason), error };
}

const NEEDS: Record<Need, { reason: string; error: string }> = {
  too_large: { reason: "message_too_large", error: "the message is larger than the server's SIZE limit (5.3.4)" },
  needs_8bitmime: { reason: "needs_8bitmime", error: "the message is 8-bit and the server lacks 8BITMIME (5.6.3)" },
  needs_smtputf8: {
    reason: "needs_smtputf8",
    error: "the address of sender or recipient is not ASCII and the server lacks SMTPUTF8 (5.6.7)",
  },
};

/** The state of the session that a verdict depends on. */
export interface SessionConditions {
  /** The final dot had left. */
  dotSent: boolean;
  isEncrypted: boolean;
  /** Of the session. */
  fallback: Fallback;
}

/** The verdict on one recipient's result in a transaction. */
export function verdictOnResult(
  result: RecipientResult,
  { dotSent, isEncrypted, fallback }: SessionConditions,
): Verdict {
  switch (result.type) {
    case "reply":
      // A host that requires TLS (RFC 3207 §4) says nothing about the sender or the recipient.
      if (result.reply.code === 530 && !isEncrypted) return deferred("tls_required");
      return verdictOnReply(result.reply, result.stage, fallback);
    case "lost":
    case "timeout":
    case "protocol_error":
      return result.stage === "final_dot" && dotSent
        ? unknown(AFTER_DOT[result.type])
        : deferred(BEFORE_DOT[result.type]);
    case "over_limit":
    case "not_sent":
      return notOffered;
    case "interrupted":
      return deferred("connection_lost");
    case "held_back":
      return deferred("internal_error", true);
  }
}

const AFTER_DOT = {
  lost: "connection_lost_after_final_dot",
  timeout: "no_reply_to_final_dot",
  protocol_error: "garbled_reply_to_final_dot",
} as const;

const BEFORE_DOT = { lost: "connection_lost", timeout: "timeout", protocol_error: "protocol_error" } as const;

/** Replies about the syntax or the order of commands (RFC 5321 §4.2.2), and about their parameters (RFC 5321 §4.1.1.11). */
const SYNTAX_CODES: ReadonlySet<number> = new Set([500, 501, 502, 503, 504, 555]);

/**
 * Whether a refusal of MAIL on a session that has carried messages may concern only that session. MAIL is well-formed, so a reply
 * about its syntax shows that the two sides are out of step.
 */
export function isRefusalOfSession(reply: SmtpReply): boolean {
  if (reply.code < 400) return false;
  return SYNTAX_CODES.has(reply.code) || scopeOfReply(reply, "mail") === "connection";
}

function verdictOnReply(reply: SmtpReply, stage: ReplyStage, fallback: Fallback): Verdict {
  // 421 announces that the host closes, whatever command it replies to; here it is a 4xx like the others.
  if (reply.code >= 400) return verdictOnRefusal(reply, stage, fallback);
  if (stage === "final_dot" && reply.code < 300) return { type: "delivered", reason: null, final: true };
  return stage === "final_dot" ? unknown(AFTER_DOT.protocol_error) : deferred("protocol_error");
}

function verdictOnRefusal(reply: SmtpReply, stage: ReplyStage, fallback: Fallback): Verdict {
  const isPermanent = reply.code >= 500;
  const { reason, category } = aboutUs(reply, stage);
  // After a 5xx about us, no other host is tried, as after any 5xx.
  if (reason !== null) return deferred(reason, isPermanent || stage === "final_dot", category);
  if (!isPermanent) return deferred("temporarily_refused", stage === "final_dot", category);
  if (fallback !== "none") return deferred("refused_on_fallback", stage === "final_dot", category);
  return failed(REFUSED[stage], category);
}

/**
 * The category of a refusal, and the reason that defers a recipient whatever the reply's class; null if the refusal is not about us.
 * A 4xx about our rate is an ordinary one: the destination gets less.
 */
function aboutUs(reply: SmtpReply, stage: Stage): { reason: string | null; category: Category } {
  const classification = classifyReply(reply, stage);
  const { category } = classification;
  const scope = scopeOf(reply, stage, classification);
  if (category === "rate_limited" && (reply.code < 500 || scope === "recipient")) return { reason: null, category };
  // A rate is ours, whatever it is measured by.
  const reason = REASON_OF_SCOPE[scope] ?? (category === "rate_limited" ? "temporarily_refused" : null);
  return { reason, category };
}

const REASON_OF_SCOPE: Partial<Record<RefusalScope, string>> = {
  sending_address: SENDING_ADDRESS_BLOCKED,
  sending_domain: SENDING_DOMAIN_REFUSED,
};

const REFUSED: Record<ReplyStage, string> = {
  mail: "sender_refused",
  rcpt: "recipient_refused",
  data: "message_refused",
  content: "message_refused",
  final_dot: "message_refused",
};
