/**
 * The whole failure policy: what each DNS answer, SMTP reply, lost connection and timeout means for a recipient. Nothing else in
 * the project decides between delivered, failed, deferred and unknown.
 *
 * - Failed: a 5xx about the sender, the recipient or the message; a domain that does not exist or accepts no mail; something that
 *   the message needs and the peer does not offer.
 * - Deferred: everything temporary, everything about the host or ourselves rather than the recipient, and everything that is not
 *   understood before the final dot. So is a refusal on a fallback session (plain text after failed TLS, HELO after a refused
 *   EHLO): the host may accept the message once the cause of the fallback is gone.
 * - Unknown: the final dot has left, and no reply shows whether the host accepted the message.
 */
import type { Category } from "../message/category.ts";
import { categoryOfReason, categoryOfReply } from "../message/classifier.ts";
import type { SmtpReply, Stage } from "../message/outcome.ts";
import type { Route } from "./routing/route.ts";
import type { RecipientResult } from "./smtp/recipient-results.ts";
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
      return refusal.reply === null
        ? deferred("host_refused")
        : deferred("host_refused", false, categoryOfReply(refusal.reply, refusal.stage));
    case "unreachable":
      return deferred("connection_failed");
    case "tls_failed":
      return deferred("tls_policy_failed");
    case "no_address":
      return deferred("host_without_address");
  }
}

/** For a host that the TLS policy forbids: the next look-up may find another policy, or other hosts. */
export function verdictOnPolicy(cause: "mta_sts_mx_mismatch" | "dns_trouble"): Verdict {
  return deferred(cause);
}

/** For an address that SMTP_ALLOW_PRIVATE forbids. */
export const addressRefused: Verdict = deferred("address_refused");

/** For another transaction: the host accepts few recipients at a time, or the attempt ended before this one was offered. */
export const notOffered: Verdict = deferred("too_many_recipients");

/** For the copies that a host was not offered after what it did with another recipient's: the next host may take them. */
export function verdictOnOtherCopies(result: RecipientResult): Verdict {
  if (result.type === "held_back") return deferred("internal_error", true);
  if (result.type !== "reply") return deferred("timeout");
  return deferred("temporarily_refused", false, categoryOfReply(result.reply, result.stage));
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
  too_large: { reason: "message_too_large", error: "the message is larger than the host's SIZE limit (5.3.4)" },
  needs_8bitmime: { reason: "needs_8bitmime", error: "the message is 8-bit and the host lacks 8BITMIME (5.6.3)" },
  needs_smtputf8: { reason: "needs_smtputf8", error: "an address is not ASCII and the host lacks SMTPUTF8 (5.6.7)" },
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
      if (result.reply.code >= 500 && fallback !== "none") {
        const category = categoryOfReply(result.reply, result.stage);
        return deferred("refused_on_fallback", result.stage === "final_dot", category);
      }
      return verdictOnReply(result.reply, result.stage);
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

function verdictOnReply(reply: SmtpReply, stage: Extract<RecipientResult, { type: "reply" }>["stage"]): Verdict {
  // 421 announces that the host closes, whatever command it replies to; here it is a 4xx like the others.
  if (reply.code >= 500) return failed(REFUSED[stage], categoryOfReply(reply, stage));
  if (reply.code >= 400) return deferred("temporarily_refused", stage === "final_dot", categoryOfReply(reply, stage));
  if (stage === "final_dot" && reply.code < 300) return { type: "delivered", reason: null, final: true };
  return stage === "final_dot" ? unknown(AFTER_DOT.protocol_error) : deferred("protocol_error");
}

const REFUSED = {
  mail: "sender_refused",
  rcpt: "recipient_refused",
  data: "message_refused",
  content: "message_refused",
  final_dot: "message_refused",
} as const;
