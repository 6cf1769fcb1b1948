/**
 * Decides what a message that came back is: a bounce, a complaint, or something that changes nothing. It has been sent to an envelope
 * sender or a report address of ours; who may report what is decided elsewhere.
 */

import { decodeWords } from "../encoded-words.ts";
import { findText, plainText, type TextPatterns } from "../result/text-patterns.ts";
import { type Bounce, type DeliveryReport, isBounceSubject, readBounceText, readNotification } from "./bounce.ts";
import { type Complaint, isAuthenticationReport, readComplaint } from "./complaint.ts";
import { type OriginalMessage, originalOf } from "./original-message.ts";
import { type IncomingMessage, readIncoming } from "./report-parts.ts";
import { CHALLENGE, FAILURE, REPLY_SUBJECT, SERVER_NAME } from "./server-texts.ts";

export type Feedback =
  | { type: "bounced"; bounces: Bounce[]; original: OriginalMessage }
  | { type: "complained"; complaint: Complaint }
  /** A delivery status notification says that the message was delivered. */
  | { type: "delivered" }
  /** Changes nothing. */
  | { type: "ignored"; because: Ignored };

/**
 * - `not_failed`: delayed, and tried again.
 * - `automatic_reply`: out of office, a receipt, and the like.
 * - `challenge`: the recipient's filter wants a confirmation.
 * - `not_spam`: a recipient has taken a message out of the spam folder.
 * - `authentication_failure`: a report of a failed DMARC check (RFC 6591), which no recipient has asked for.
 * - `not_understood`: anything else.
 */
type Ignored =
  | "not_failed"
  | "automatic_reply"
  | "challenge"
  | "not_spam"
  | "authentication_failure"
  | "not_understood";

const has = (patterns: TextPatterns, text: string): boolean => findText(patterns, plainText(text)) !== null;

const ignored = (because: Ignored): Feedback => ({ type: "ignored", because });

/** A bounce may arrive in a message of a server that forwards it. */
const FORWARDS_MAX = 2;

/** Reads an incoming message, whatever it contains. */
export function readFeedback(raw: Buffer): Feedback {
  return feedbackOf(readIncoming(raw), FORWARDS_MAX);
}

function feedbackOf(message: IncomingMessage, forwardsLeft: number): Feedback {
  const complaint = readComplaint(message);
  if (complaint !== null) return complained(complaint, message);
  const attached = attachedReport(message);
  if (attached !== null && forwardsLeft > 0) return feedbackOf(attached, forwardsLeft - 1);
  const report = reportIn(message);
  if (report?.type === "bounced") return { type: "bounced", bounces: report.bounces, original: originalOf(message) };
  if (report !== null) return report.type === "delivered" ? report : ignored("not_failed");
  if (isChallenge(message)) return ignored("challenge");
  if (isAuthenticationReport(message)) return ignored("authentication_failure");
  return ignored(isAutomaticReply(message) ? "automatic_reply" : "not_understood");
}

const REPORT = /^multipart\/report\b.*report-type\s{0,5}=\s{0,5}"?(?:delivery-status|feedback-report)/i;

/** Returns an attached report of a message that is none. */
function attachedReport({ fields, parts }: IncomingMessage): IncomingMessage | null {
  if (REPORT.test(fields.get("content-type")?.[0] ?? "")) return null;
  const part = parts.find(({ type }) => type === "message/rfc822");
  const attached = part === undefined ? null : readIncoming(part.bytes);
  return attached !== null && REPORT.test(attached.fields.get("content-type")?.[0] ?? "") ? attached : null;
}

/** The kinds of reports (RFC 5965 §7.3, RFC 6430, X-ARF) that say a recipient does not want the message. No other one is a complaint. */
const COMPLAINTS: ReadonlySet<string> = new Set([
  "abuse",
  "spam",
  "unsolicited",
  "complaint",
  "opt-out",
  "opt-out-list",
  "fraud",
  "phishing",
  "virus",
  "malware",
]);

const IGNORED_KINDS: Readonly<Record<string, Ignored>> = {
  "not-spam": "not_spam",
  miscategorized: "not_spam",
  "auth-failure": "authentication_failure",
  dmarc: "authentication_failure",
  dkim: "authentication_failure",
  spf: "authentication_failure",
};

function complained(complaint: Complaint, message: IncomingMessage): Feedback {
  if (COMPLAINTS.has(complaint.kind)) return { type: "complained", complaint };
  const because = IGNORED_KINDS[complaint.kind];
  if (because !== undefined) return ignored(because);
  return ignored(isAuthenticationReport(message) ? "authentication_failure" : "not_understood");
}

/** A text counts only if a server has written it: people quote bounces. */
function reportIn(message: IncomingMessage): DeliveryReport | null {
  const notification = readNotification(message);
  if (notification !== null) return notification;
  const isServer = isFromServer(message);
  const isPersons = has(REPLY_SUBJECT, message.subject) || (isChallenge(message) && !isServersVerdict(message));
  if (isPersons || message.parts.some(({ type }) => type === "message/disposition-notification")) return null;
  return isServer ? readBounceText(message) : null;
}

/** A filter asks in the server's name too; a server whose text has a word of such questions gives a code, or says it in the subject. */
const isServersVerdict = (message: IncomingMessage): boolean =>
  isFromServer(message) && !hasChallengeField(message) && (isBounceSubject(message.subject) || CODE.test(message.text));
const CODE = /(?<![\d.])(?:5\.\d{1,3}\.\d{1,3}|5[05]\d)(?![\d.])/;

function isFromServer({ fields, subject, text }: IncomingMessage): boolean {
  if (fields.has("x-failed-recipients")) return true;
  const from = fields.get("from")?.[0] ?? "";
  if (has(SERVER_NAME, decodeWords(from))) return true;
  if (isBounceSubject(subject)) return true;
  const isNullSender = /^\s*<\s*>/.test(fields.get("return-path")?.[0] ?? "");
  return isNullSender && has(FAILURE, text);
}

const CHALLENGE_FIELDS = [
  "x-delivery-agent-tmda",
  "x-tmda-fingerprint",
  "x-boxtrapper",
  "x-challenge",
  "x-ask-auth",
  "x-ask-version",
];
const CHALLENGE_LENGTH_MAX = 1000;

const hasChallengeField = ({ fields }: IncomingMessage): boolean => CHALLENGE_FIELDS.some((name) => fields.has(name));

function isChallenge(message: IncomingMessage): boolean {
  const { subject, text } = message;
  return hasChallengeField(message) || has(CHALLENGE, `${subject}\n${text.slice(0, CHALLENGE_LENGTH_MAX)}`);
}

const REPLY_FIELDS = [
  "x-autoreply",
  "x-autorespond",
  "x-autoresponder",
  "x-autoreply-from",
  "x-auto-response-suppress",
  "x-vacation",
  "x-mail-autoreply",
  "x-autogenerated",
];

/** RFC 3834, and receipts (RFC 8098). */
function isAutomaticReply({ fields, subject, parts }: IncomingMessage): boolean {
  const submitted = fields.get("auto-submitted")?.[0]?.trim().toLowerCase() ?? "no";
  const precedence = fields.get("precedence")?.[0]?.trim().toLowerCase() ?? "";
  if (!submitted.startsWith("no") || precedence === "auto_reply") return true;
  if (parts.some(({ type }) => type === "message/disposition-notification")) return true;
  return REPLY_FIELDS.some((name) => fields.has(name)) || has(REPLY_SUBJECT, subject);
}
