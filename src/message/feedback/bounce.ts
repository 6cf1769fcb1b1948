/**
 * Decides what a bounce means for each of its recipients. Machine-readable fields (RFC 3464) come first, and texts where there are
 * none. The classifier of replies decides the category, and whether the address is at fault.
 */
import type { Category } from "../result/category.ts";
import { classifyReply } from "../result/classifier.ts";
import { findText, plainText } from "../result/text-patterns.ts";
import { type RecipientStatus, recipientStatuses } from "./delivery-status.ts";
import { originalFields, soleRecipient } from "./original-message.ts";
import { ownText } from "./own-text.ts";
import type { IncomingMessage } from "./report-parts.ts";
import { BOUNCE_SUBJECT, DELAY, EXPIRED, FAILURE, FINAL, UNREACHABLE } from "./server-texts.ts";
import { type TextStatus, textStatuses } from "./status-text.ts";

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
  /** The message was delivered, or passed on to a host that sends no reports. */
  | { type: "delivered" }
  /** The message is delayed, and will be tried again. */
  | { type: "not_failed" };

const DIAGNOSTIC_LENGTH_MAX = 1000;
/** Of all parts of a notification. Further ones are not read: each takes milliseconds to judge. */
export const RECIPIENTS_MAX = 100;
const STATUS_TYPES = new Set(["message/delivery-status", "message/global-delivery-status"]);
/** The fields of a notification whose parts have other types. */
const STATUS_FIELDS = /^(?:Final-Recipient|Original-Recipient):/im;
const OTHER_TYPES = /^message\/(?:rfc822|disposition-notification|feedback-report)|rfc822-headers?$/;

/** Returns what a delivery status notification reports; null if the message is none. */
export function readNotification(message: IncomingMessage): DeliveryReport | null {
  const statuses = statusTexts(message).flatMap(recipientStatuses).slice(0, RECIPIENTS_MAX);
  if (statuses.length === 0) return null;
  const isDelay = isDelayed(message);
  const hasExpired = HAS_EXPIRED.test(message.text);
  const isWarning = isDelay && findText(EXPIRED, plainText(ownText(message.text))) === null;
  const failed = statuses.filter(({ action, status }) => {
    if (action === null) return isFailure(status, isDelay);
    if (action === "failed") return !isWarning || status?.startsWith("5") === true;
    return action === "delayed" && status === "4.4.7" && hasExpired;
  });
  if (failed.length === 0) return { type: statuses.every(isDelivered) ? "delivered" : "not_failed" };
  const texts = textStatuses(message);
  return { type: "bounced", bounces: failed.map((each) => bounceOf(each, failed.length === 1, message, texts)) };
}

const isDelivered = ({ action }: RecipientStatus): boolean =>
  action === "delivered" || action === "relayed" || action === "expanded";

/** OpenSMTPD 6.8 reports a message that it has given up as delayed. */
const HAS_EXPIRED = /: Envelope expired$/m;

function statusTexts({ parts, text }: IncomingMessage): string[] {
  const typed = parts.filter(({ type }) => STATUS_TYPES.has(type)).map((part) => part.text);
  if (typed.some((each) => recipientStatuses(each).length > 0)) return typed;
  const others = parts.filter(({ type }) => !OTHER_TYPES.test(type)).map((part) => part.text);
  return [...others, ownText(text)].filter((each) => STATUS_FIELDS.test(each));
}

const isFailure = (status: string | null, isDelay: boolean): boolean =>
  status === null || status.startsWith("5") || (status.startsWith("4") && !isDelay);

function bounceOf(
  found: RecipientStatus,
  isOnly: boolean,
  message: IncomingMessage,
  texts: readonly TextStatus[],
): Bounce {
  const { final, original, status, diagnostic, isReply } = found;
  const recipient = encapsulated(final) ?? original ?? (isOnly ? recipientOf(message, texts) : null);
  const inText = (texts.find((each) => isSame(each.recipient, recipient)) ?? texts[0])?.diagnostic ?? "";
  const own = judgement(status, diagnostic ?? "", isReply || BEGINS_WITH_CODE.test(diagnostic ?? ""));
  // A diagnosis of one's own program, such as "unable to deliver", says less than the text for people.
  const isTold = diagnostic !== null && (own.rule !== UNKNOWN || !own.permanent);
  const decided = isTold || isExact(own.status) ? own : judgement(status, `${diagnostic ?? ""}\n${inText}`, true);
  return { recipient, original, ...decided, diagnostic: shortened(diagnostic ?? inText) };
}

/** Without half a character at the end: programs that receive it as JSON may reject that. */
const shortened = (text: string): string => text.slice(0, DIAGNOSTIC_LENGTH_MAX).toWellFormed();

const BEGINS_WITH_CODE = /^\W{0,10}[45]\d\d[ -]/;
const isExact = (status: string | null): boolean => status !== null && !status.endsWith(".0.0");
const isSame = (a: string | null, b: string | null): boolean => a?.toLowerCase() === b?.toLowerCase();

/** Exchange wraps addresses of other systems in one of its own. */
const encapsulated = (address: string | null): string | null => (/^IMCEA/i.test(address ?? "") ? null : address);

/** Where the fields name no address, as for a user of the reporting host. */
function recipientOf(message: IncomingMessage, texts: readonly TextStatus[]): string | null {
  const fields = originalFields(message);
  return texts[0]?.recipient ?? (fields === null ? null : soleRecipient(fields));
}

/** Returns what a bounce without machine-readable fields reports; null if its text is not understood. */
export function readBounceText(message: IncomingMessage): DeliveryReport | null {
  if (isDelayed(message)) return { type: "not_failed" };
  const own = ownText(message.text);
  let ofText: Judgement | null = null;
  const judgeText = (): Judgement => {
    // Once for all recipients: the text may be long.
    ofText ??= judgement(null, own, true);
    return ofText;
  };
  const bounces = textStatuses(message).map(({ recipient, diagnostic }) => {
    const judged = judgement(null, diagnostic, true);
    const decided = judged.rule === UNKNOWN && judged.permanent ? judgeText() : judged;
    return { recipient, original: null, ...decided, diagnostic: diagnostic.toWellFormed() };
  });
  const isUnderstood = bounces.some(({ status, rule }) => status !== null || rule !== UNKNOWN);
  const isFailed = isUnderstood || isBounceSubject(message.subject) || findText(FAILURE, plainText(own)) !== null;
  return isFailed ? { type: "bounced", bounces } : null;
}

export const isBounceSubject = (subject: string): boolean =>
  findText(BOUNCE_SUBJECT, plainText(subject)) !== null && !REPLIED.test(subject);
const REPLIED = /^(?:re|aw|antw?|sv|vs|odp|ynt|rif|r|fwd?|wg|tr|rv)(?:\[\d{1,3}\])?\s{0,5}[:：]/i;

/** Where a text says whether it is a warning. */
const DELAY_LENGTH_MAX = 1500;

function isDelayed({ subject, text }: IncomingMessage): boolean {
  const start = plainText(`${subject}\n${ownText(text).slice(0, DELAY_LENGTH_MAX)}`);
  return findText(DELAY, start) !== null && findText(FINAL, start) === null;
}

type Judgement = Pick<Bounce, "status" | "permanent" | "category" | "blamesAddress" | "rule">;

/** What the classifier says if nothing but the class is known. */
const UNKNOWN = "reply code 550";

/** `isReply`: the reason may begin with, or contain, the reply of a host. */
function judgement(reported: string | null, reason: string, isReply: boolean): Judgement {
  const reply = isReply ? replyIn(reason) : { code: null, enhanced: null };
  const status = moreExact(reported, reply.enhanced);
  // Exim reports 5.0.0 also for a host that replied 4xx until it gave up.
  const ofClass5 = (reply.code?.[0] ?? "5") === "5" && (status?.[0] ?? "5") === "5";
  const code = reply.code === null ? (ofClass5 ? 550 : 450) : Number(reply.code);
  const enhanced_code = status !== null && Number(status[0]) === Math.floor(code / 100) ? status : null;
  const { category, blamesAddress, rule } = classifyReply({ code, enhanced_code, message: reason }, "rcpt");
  const passing = blamesAddress ? null : passingText(reason, reply.code);
  const permanent = ofClass5 && passing === null && category !== "mailbox_full" && status !== "5.4.7";
  if (category === "other" && passing !== null) {
    return { status, permanent, category: "network", blamesAddress: false, rule: `text "${passing}"` };
  }
  return { status, permanent, category, blamesAddress: permanent && blamesAddress, rule };
}

/** What says that the failure concerns no other message, although its code is permanent; null if nothing does. */
function passingText(reason: string, code: string | null): string | null {
  const text = plainText(reason);
  return findText(EXPIRED, text) ?? (code === null ? findText(UNREACHABLE, text) : null);
}

const ENHANCED = String.raw`#?(?<enhanced>[45]\.\d{1,3}\.\d{1,3})(?![\w.])`;
const REPLY = new RegExp(String.raw`(?<![\w.])(?<code>[45]\d\d)[ -]{1,5}["'(]?${ENHANCED}`);
/** A number without text may be anything, so text must follow. */
const CODE_ALONE = /(?<![\w./]|\d:)(?<code>[45]\d\d)(?:[ -]{1,5}|[,:] )(?=[^\s\d.,;:])/;
const STATUS_ALONE = new RegExp(String.raw`(?<![\w.])${ENHANCED}`);

/** Finds the reply of a host in a text: `550 5.1.1 …`, `550 Unknown user`, `553 sorry … (#5.7.1)`. */
function replyIn(text: string): { code: string | null; enhanced: string | null } {
  const { code = null, enhanced } = (REPLY.exec(text) ?? CODE_ALONE.exec(text))?.groups ?? {};
  const status = enhanced ?? STATUS_ALONE.exec(text)?.groups?.enhanced ?? null;
  return { code, enhanced: status };
}

/** The status of the report, unless it says no more than the class. */
function moreExact(reported: string | null, ofReply: string | null): string | null {
  if (reported === null) return ofReply;
  return reported.endsWith(".0.0") && ofReply !== null ? ofReply : reported;
}
