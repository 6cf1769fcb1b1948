/**
 * Decides what a bounce means for each of its recipients. Machine-readable fields (RFC 3464) come first, and texts where there are
 * none. The classifier of replies decides the category, and whether the address is at fault.
 */
import type { Category } from "../category.ts";
import { classifyReply } from "../classifier.ts";
import { type RecipientStatus, recipientStatuses } from "./delivery-status.ts";
import type { IncomingMessage } from "./report-parts.ts";
import { textStatuses } from "./status-text.ts";

/** A failed recipient. */
export interface Bounce {
  /** As the report names it; null if it does not. Forwarding may have changed it. */
  recipient: string | null;
  /** As the sender had given it, if the report repeats that. */
  original: string | null;
  /** The enhanced status code; null if the report has none. */
  status: string | null;
  /** False for a mailbox that was full or a host that was down until the reporting server gave up. */
  permanent: boolean;
  category: Category;
  blamesAddress: boolean;
  /** What decided the category, as the classifier names it. */
  rule: string;
  /** The reply or the reason, as the reporting server has written it. */
  diagnostic: string;
}

export type DeliveryReport =
  | { type: "bounced"; bounces: Bounce[] }
  /** It reports that a message was delivered, or is delayed and will be tried again. */
  | { type: "not_failed" };

const DIAGNOSTIC_LENGTH_MAX = 1000;
const STATUS_TYPES = new Set(["message/delivery-status", "message/global-delivery-status"]);

/** Returns what a delivery status notification reports; null if the message is none. */
export function readNotification({ parts, text }: IncomingMessage): DeliveryReport | null {
  const statuses = parts.filter(({ type }) => STATUS_TYPES.has(type)).flatMap((part) => recipientStatuses(part.text));
  if (statuses.length === 0) return null;
  const failed = statuses.filter(({ action, status }) => (action === null ? isFailure(status) : action === "failed"));
  return failed.length === 0
    ? { type: "not_failed" }
    : { type: "bounced", bounces: failed.map((each) => bounceOf(each, text)) };
}

const isFailure = (status: string | null): boolean => status?.startsWith("5") ?? false;

function bounceOf({ final, original, status, diagnostic, isReply }: RecipientStatus, text: string): Bounce {
  const reason = diagnostic ?? text.trim();
  return {
    ...{ recipient: final ?? original, original },
    ...judgement(status, reason, isReply || /^\W*[45]\d\d[ -]/.test(reason)),
    diagnostic: reason.slice(0, DIAGNOSTIC_LENGTH_MAX),
  };
}

/** Returns what a bounce without machine-readable fields reports; null if its text is not understood. */
export function readBounceText(message: IncomingMessage): DeliveryReport | null {
  if (DELAYED.test(`${message.subject}\n${message.text.slice(0, DELAY_LENGTH_MAX)}`)) return { type: "not_failed" };
  const bounces = textStatuses(message).map(({ recipient, diagnostic }) => ({
    ...{ recipient, original: null },
    ...judgement(null, diagnostic, true),
    diagnostic,
  }));
  const isUnderstood = bounces.some(
    ({ recipient, status, rule }) => (recipient ?? status) !== null || rule !== UNKNOWN,
  );
  return isUnderstood ? { type: "bounced", bounces } : null;
}

/** Where a text says whether it is a warning. */
const DELAY_LENGTH_MAX = 1500;
const DELAYED = new RegExp(
  [
    String.raw`delivery (?:is |has been |temporarily )*(?:delayed|suspended)`,
    String.raw`\bdelayed \d+ hours`,
    String.raw`has not yet been delivered`,
    String.raw`could not be delivered for (?:the last|at least) \d+`,
    String.raw`(?:still being|will be) retried`,
    String.raw`do(?: not|n't) need to resend`,
    String.raw`this is a warning message only`,
    String.raw`no action is required on your part`,
    String.raw`delivery attempts will continue`,
  ].join("|"),
  "i",
);

type Judgement = Pick<Bounce, "status" | "permanent" | "category" | "blamesAddress" | "rule">;

/** What the classifier says if nothing but the class is known. */
const UNKNOWN = "reply code 550";

/** `isReply`: the reason may begin with, or contain, the reply of a host. */
function judgement(reported: string | null, reason: string, isReply: boolean): Judgement {
  const reply = isReply ? replyIn(reason) : { code: null, enhanced: null };
  const status = moreExact(reported, reply.enhanced);
  // Exim reports 5.0.0 also for a host that replied 4xx until it gave up.
  const permanent = (reply.code?.[0] ?? "5") === "5" && (status?.[0] ?? "5") === "5";
  const code = reply.code === null ? (permanent ? 550 : 450) : Number(reply.code);
  const ofClass = status !== null && Number(status[0]) === Math.floor(code / 100) ? status : null;
  const { category, blamesAddress, rule } = classifyReply({ code, enhanced_code: ofClass, message: reason }, "rcpt");
  return { status, permanent, category, blamesAddress: permanent && blamesAddress, rule };
}

const ENHANCED = String.raw`#?(?<enhanced>[45]\.\d{1,3}\.\d{1,3})(?![\w.])`;
const REPLY = new RegExp(String.raw`(?<![\w.])(?<code>[45]\d\d)[ -]+${ENHANCED}`);
/** A number alone may be anything, so text must follow. */
const CODE_ALONE = /(?<![\w.])(?<code>[45]\d\d)[ -]+(?=[A-Za-z<"(])/;
const STATUS_ALONE = new RegExp(String.raw`(?<![\w.])${ENHANCED}`);

/** Finds the reply of a host in a text: `550 5.1.1 …`, `550 Unknown user`, `553 sorry … (#5.7.1)`. */
function replyIn(text: string): { code: string | null; enhanced: string | null } {
  const { code = null, enhanced } = (REPLY.exec(text) ?? CODE_ALONE.exec(text))?.groups ?? {};
  const status = enhanced ?? STATUS_ALONE.exec(text)?.groups?.enhanced ?? null;
  return { code, enhanced: code !== null && status?.[0] !== code[0] ? null : status };
}

/** The status of the report, unless it says no more than the class. */
function moreExact(reported: string | null, ofReply: string | null): string | null {
  if (reported === null) return ofReply;
  return reported.endsWith(".0.0") && ofReply !== null ? ofReply : reported;
}
