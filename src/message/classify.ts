/**
 * Decides what kind of obstacle a recipient met, for people and programs that ask what to do about it: correct the address,
 * slow down, ask for a delisting. It never decides whether a recipient is retried; that is delivery/verdict.ts's.
 *
 * Where there is no reply, the reason decides (categoryOfReason). A reply is categorised by its enhanced code (RFC 3463, RFC 7372, the IANA registry and Microsoft's own ranges) where the
 * code names one obstacle; by its text (reply-texts.ts) where the code is vague or missing; else by what the vague code
 * leaves.
 */
import type { Category } from "./category.ts";
import type { SmtpReply, Stage } from "./outcome.ts";
import { categoryOfText } from "./reply-texts.ts";

/** Enhanced codes without their class that name one obstacle, whatever the text says. */
const SPECIFIC: Readonly<Record<string, Category>> = {
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
  "7.28": "rate_limited",
  "7.29": "authentication",
};

/** Enhanced codes that leave something open: what they mean when the text is not known either. */
const VAGUE: Readonly<Record<string, Category>> = {
  "1.7": "policy",
  "1.8": "policy",
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
  "7.30": "policy",
};

/** Microsoft's own enhanced codes, x.7.500 to x.7.999. The first range that holds a code decides. */
const MICROSOFT: readonly { from: number; to: number; category: Category }[] = [
  { from: 509, to: 509, category: "authentication" },
  { from: 515, to: 515, category: "authentication" },
  { from: 512, to: 512, category: "content" },
  { from: 501, to: 503, category: "reputation" },
  { from: 508, to: 508, category: "rate_limited" },
  { from: 511, to: 511, category: "reputation" },
  { from: 606, to: 649, category: "reputation" },
  { from: 650, to: 650, category: "rate_limited" },
  { from: 705, to: 705, category: "rate_limited" },
  { from: 708, to: 708, category: "reputation" },
];

/** The stages before a recipient was named. */
const BEFORE_RCPT: ReadonlySet<Stage> = new Set(["connect", "greeting", "ehlo", "starttls", "mail"]);

/** What stood in the way where no reply says it. The other reasons come with a reply. */
const WITHOUT_REPLY: Readonly<Record<string, Category>> = {
  domain_not_found: "bad_address",
  null_mx: "bad_address",
  suppressed: "bad_address",
  message_too_large: "too_large",
  mail_loop: "network",
  connection_failed: "network",
  connection_lost: "network",
  timeout: "network",
  protocol_error: "network",
  // That TLS did not come about is the hosts' trouble, or the domain's published policy; no rule refused the message.
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

/** The category of an obstacle without a reply, by its reason code (reasons.ts). */
export function categoryOfReason(reason: string): Category {
  return WITHOUT_REPLY[reason] ?? "other";
}

/** The category of a 4xx or 5xx reply at a stage. */
export function categoryOfReply(reply: SmtpReply, stage: Stage): Category {
  const detail = reply.enhanced_code?.slice(2) ?? "";
  const isBeforeRcpt = BEFORE_RCPT.has(stage);
  const byCode = SPECIFIC[detail] ?? microsoftCategory(detail, reply.code);
  if (byCode !== null) return byCode;
  const byText = categoryOfText(reply.message, { isBeforeRcpt });
  // Greylisting is a delay by definition (RFC 6647): a 5xx that speaks of it refuses for another reason.
  if (byText !== null && !(byText === "greylisted" && reply.code >= 500)) return byText;
  return VAGUE[detail] ?? bySubject(detail, reply.code) ?? byReplyCode(reply.code, stage);
}

function microsoftCategory(detail: string, code: number): Category | null {
  const number = /^7\.(\d{3})$/u.exec(detail)?.[1];
  if (number === undefined || Number(number) < 500) return null;
  const range = MICROSOFT.find(({ from, to }) => Number(number) >= from && Number(number) <= to);
  return range?.category ?? (code < 500 ? "rate_limited" : null);
}

/** What remains of the code is its subject: the digit after the class (RFC 3463 §2). */
function bySubject(detail: string, code: number): Category | null {
  switch (detail.split(".")[0]) {
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

/** Without an enhanced code or a known text (RFC 5321 §4.2.3). */
function byReplyCode(code: number, stage: Stage): Category {
  if (code === 421) return "network";
  if (code === 530 || code === 535) return "policy";
  if (code === 556) return "bad_address";
  if (code === 552) return BEFORE_RCPT.has(stage) || stage === "final_dot" ? "too_large" : "mailbox_full";
  // A host that turns the whole session away knows nothing but our address.
  if (stage === "greeting" && code >= 500) return "reputation";
  return "other";
}
