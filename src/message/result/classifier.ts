/**
 * The one classifier of replies and bounces. It assigns a category, which tells people and programs what to do: correct the address,
 * slow down, request delisting. It decides whether the recipient's address is at fault, which suppression.ts counts. Whether a
 * recipient is retried is decided only by delivery/verdict.ts.
 *
 * Without a reply, the reason decides. A reply is classified by, in this order: a receiver's own code (provider-codes.ts), an
 * unambiguous enhanced code (RFC 3463, RFC 7372, the IANA registry, Microsoft's ranges), its text (reply-texts.ts), an ambiguous
 * enhanced code, general words, the subject of the enhanced code, the reply code. refusal-scope.ts decides what it concerns.
 */
import type { Category, RefusalScope } from "./category.ts";
import type { SmtpReply, Stage } from "./outcome.ts";
import { ReplyText } from "./reply-texts.ts";
import type { TextMatch } from "./text-rows.ts";

export interface Classification {
  category: Category;
  /** Whether the refusal is permanent: a 5xx reply, or a status of class 5. */
  permanent: boolean;
  /** Whether the mailbox does not exist. */
  blamesAddress: boolean;
  /** What the text says that the refusal concerns; null if it does not say. */
  scope: RefusalScope | null;
  /** What decided the category, for people: such as `enhanced code 5.1.1` or `text "user unknown"`. */
  rule: string;
}

/** What decided a category, before the reply's class is considered. */
interface Match {
  category: Category;
  rule: string;
  scope?: RefusalScope | null;
  blamesAddress?: boolean;
}

/**
 * Enhanced codes, without their class, that mean that the mailbox does not exist (RFC 3463 §3.2, RFC 7505 §4.2): 1.1, 1.6 (it has
 * moved and left no address) and 1.10, "null MX". A host that DNS names as the domain's exchanger cannot mean the latter, and large
 * providers use it for an unknown recipient. 1.2 concerns the whole domain; about 1.3 servers disagree, and the fault may be
 * Postrider's.
 */
const UNKNOWN_MAILBOX_CODES: ReadonlySet<string> = new Set(["1.1", "1.6", "1.10"]);

/** Enhanced codes, without their class, that decide the category whatever the text says. */
const UNAMBIGUOUS_CODES: Readonly<Record<string, Category>> = {
  "1.1": "bad_address",
  "1.2": "bad_address",
  "1.3": "bad_address",
  "1.4": "bad_address",
  "1.6": "bad_address",
  "1.10": "bad_address",
  "2.2": "mailbox_full",
  "2.3": "too_large",
  "3.4": "too_large",
  "7.13": "mailbox_disabled",
  "7.17": "bad_address",
  "7.18": "bad_address",
  "7.20": "authentication",
  "7.21": "authentication",
  "7.22": "authentication",
  "7.23": "authentication",
  "7.24": "authentication",
  "7.25": "authentication",
  "7.26": "authentication",
  "7.27": "authentication",
  "7.28": "rate_limited",
  "7.29": "authentication",
  // Microsoft: a host has refused to relay what it took from a sender whose SPF and DKIM failed.
  "7.367": "authentication",
};

/** The same before RCPT TO, where the address is the sender's: only what concerns its domain is clear. */
const SENDER_CODES: Readonly<Record<string, Category>> = { "1.2": "authentication", "1.10": "authentication" };

/** Enhanced codes, without their class, that decide only if the text is unknown. */
const AMBIGUOUS_CODES: Readonly<Record<string, Category>> = {
  "1.7": "policy",
  "1.8": "authentication",
  "1.9": "policy",
  "2.1": "mailbox_disabled",
  "4.5": "rate_limited",
  "5.3": "rate_limited",
  "6.0": "content",
  "6.1": "content",
  "6.2": "content",
  "6.3": "content",
  "6.5": "content",
  "7.7": "content",
  // Google's for DKIM, a missing DMARC record and its alignment. No message asks for REQUIRETLS, for which the registry has 7.30.
  "7.30": "authentication",
  "7.31": "authentication",
  "7.32": "authentication",
};

/** Microsoft's enhanced codes, x.7.500 to x.7.999. The first range that contains a code decides. */
const MICROSOFT_RANGES: readonly { from: number; to: number; category: Category }[] = [
  { from: 506, to: 506, category: "authentication" },
  { from: 509, to: 509, category: "authentication" },
  { from: 515, to: 515, category: "authentication" },
  { from: 512, to: 512, category: "content" },
  { from: 501, to: 503, category: "reputation" },
  { from: 508, to: 508, category: "rate_limited" },
  { from: 511, to: 511, category: "reputation" },
  { from: 513, to: 513, category: "reputation" },
  { from: 606, to: 649, category: "reputation" },
  { from: 650, to: 650, category: "rate_limited" },
  { from: 705, to: 705, category: "rate_limited" },
  { from: 708, to: 708, category: "reputation" },
];

/** The stages before RCPT TO, when no reply can be about the recipient. */
export const BEFORE_RCPT: ReadonlySet<Stage> = new Set(["connect", "greeting", "ehlo", "starttls", "mail"]);

/** The categories of reasons without a reply. Other reasons have a reply. */
const CATEGORY_OF_REASON: Readonly<Record<string, Category>> = {
  domain_not_found: "bad_address",
  null_mx: "bad_address",
  suppressed: "bad_address",
  message_too_large: "too_large",
  mail_loop: "network",
  connection_failed: "network",
  connection_lost: "network",
  timeout: "network",
  protocol_error: "network",
  // A failed TLS handshake or an unmet TLS policy is a fault of the host or its domain, not a policy about the message.
  tls_required: "network",
  tls_policy_failed: "network",
  mta_sts_mx_mismatch: "network",
  dns_trouble: "network",
  no_mail_host: "network",
  host_without_address: "network",
  address_refused: "network",
  connection_lost_after_final_dot: "network",
  no_reply_to_final_dot: "network",
  garbled_reply_to_final_dot: "network",
};

/** Returns the category of a deferral or failure without a reply, by its reason code (reasons.ts). */
export function categoryOfReason(reason: string): Category {
  return CATEGORY_OF_REASON[reason] ?? "other";
}

/** Returns the category of a 4xx or 5xx reply at a stage. */
export const categoryOfReply = (reply: SmtpReply, stage: Stage): Category => classifyReply(reply, stage).category;

/** Classifies a 4xx or 5xx reply at a stage. */
export function classifyReply(reply: SmtpReply, stage: Stage): Classification {
  const { category, rule, scope = null, blamesAddress = false } = matchReply(reply, stage);
  const permanent = reply.code >= 500;
  return { category, permanent, blamesAddress: permanent && blamesAddress, scope, rule };
}

function matchReply(reply: SmtpReply, stage: Stage): Match {
  const { code, enhanced_code, message } = reply;
  const detail = enhanced_code?.slice(2) ?? "";
  const rule = `enhanced code ${enhanced_code}`;
  const text = new ReplyText(message, { isBeforeRcpt: BEFORE_RCPT.has(stage), endsSession: code === 421 });
  const byProvider = text.code();
  if (byProvider !== null) return matchOf(byProvider);
  const byCode = unambiguousCategory(detail, stage) ?? microsoftCategory(detail, code);
  const byText = text.text();
  if (byCode !== null) {
    // The text says what a failed check was of: Google has 4.7.23 for the name of an address, the registry for SPF.
    const scope = byText?.category === byCode ? byText.scope : null;
    return { category: byCode, rule, scope, blamesAddress: UNKNOWN_MAILBOX_CODES.has(detail) };
  }
  // Greylisting is always temporary (RFC 6647): a 5xx that mentions it has another cause.
  if (byText !== null && !(byText.category === "greylisted" && code >= 500)) return matchOf(byText);
  const byDetail = AMBIGUOUS_CODES[detail];
  if (byDetail !== undefined) return { category: byDetail, rule };
  const byWord = text.word();
  if (byWord !== null) return matchOf(byWord);
  const bySubjectOfCode = bySubject(detail, reply, stage);
  if (bySubjectOfCode !== null) return { category: bySubjectOfCode, rule };
  const byReply = byReplyCode(code, stage);
  // A greeting without a word of its reason may be that of a host out of service.
  return { category: byReply, rule: `reply code ${code}`, ...(byReply === "reputation" && { scope: "unspecified" }) };
}

function unambiguousCategory(detail: string, stage: Stage): Category | null {
  const codes = BEFORE_RCPT.has(stage) && detail.startsWith("1.") ? SENDER_CODES : UNAMBIGUOUS_CODES;
  return codes[detail] ?? null;
}

function matchOf({ category, scope, text, blamesAddress }: TextMatch): Match {
  return { category, rule: `text "${text}"`, scope, blamesAddress };
}

function microsoftCategory(detail: string, code: number): Category | null {
  const number = /^7\.(\d{3})$/u.exec(detail)?.[1];
  if (number === undefined || Number(number) < 500) return null;
  const range = MICROSOFT_RANGES.find(({ from, to }) => Number(number) >= from && Number(number) <= to);
  return range?.category ?? (code < 500 ? "rate_limited" : null);
}

/** By the subject of the enhanced code: the digit after the class (RFC 3463 §2). */
function bySubject(detail: string, { code }: SmtpReply, stage: Stage): Category | null {
  switch (detail.split(".")[0]) {
    case "1":
      // Before RCPT TO it is the sender's address.
      return BEFORE_RCPT.has(stage) ? "policy" : "bad_address";
    case "3":
    case "4":
      return "network";
    case "6":
      return "content";
    case "7":
      return code === 421 ? "rate_limited" : "policy";
    default:
      return null;
  }
}

/** By the reply code (RFC 5321 §4.2.3), without a telling enhanced code or text. */
function byReplyCode(code: number, stage: Stage): Category {
  if (code === 421) return "network";
  if (code === 530 || code === 535) return "policy";
  if (code === 556) return "bad_address";
  if (code === 552) return BEFORE_RCPT.has(stage) || stage === "final_dot" ? "too_large" : "mailbox_full";
  // At the greeting a host knows nothing but this server's IP address.
  if (stage === "greeting" && code >= 500) return "reputation";
  return "other";
}
