/**
 * Reads reports of recipients who marked a message as spam, and their reports that it is none: the Abuse Reporting Format (RFC 5965),
 * X-ARF, and the forwarded messages of providers that use neither.
 */
import { addressesIn } from "./addresses.ts";
import { type FieldGroup, fieldGroups } from "./delivery-status.ts";
import { type OriginalMessage, originalFields, originalOf, soleRecipient } from "./original-message.ts";
import { ownText } from "./own-text.ts";
import type { IncomingMessage } from "./report-parts.ts";

export interface Complaint {
  /** Feedback-Type in lower case: `abuse`, `fraud`, `virus`, `opt-out`, `not-spam` and so on. */
  kind: string;
  /** Original-Rcpt-To, or as the original message has it; null if the provider withholds it. */
  recipient: string | null;
  /** Original-Rcpt-To of the report itself (RFC 5965), which the provider has written, and not the author of the original message. */
  reportedRecipient: string | null;
  /** Original-Mail-From, without angle brackets. */
  envelopeSender: string | null;
  /** What identifies the message that the report is about. */
  original: OriginalMessage;
}

/** Returns the complaint; null if the message is none. */
export function readComplaint(message: IncomingMessage): Complaint | null {
  const kind = abuseReport(message) ?? extendedReport(message) ?? forwardedMessage(message);
  if (kind === null) return null;
  const fields = kind.fields;
  return {
    kind: kind.name,
    recipient: recipientOf(message, fields),
    reportedRecipient: reportedRecipientOf(message),
    envelopeSender: addressesIn(fields.get("original-mail-from") ?? "")[0] ?? null,
    original: originalOf(message),
  };
}

interface Kind {
  name: string;
  /** Of the report; empty without one. */
  fields: FieldGroup;
}

const NO_FIELDS: FieldGroup = new Map();
const REPORT_TYPE = "message/feedback-report";
/** A report has one of these beside its type. */
const REPORT_FIELDS = [
  "version",
  "user-agent",
  "source-ip",
  "original-mail-from",
  "original-rcpt-to",
  "reported-domain",
];

/** RFC 5965. Some programs write the report as a text, or with another type. */
function abuseReport({ parts, text, fields }: IncomingMessage): Kind | null {
  const typed = parts.find(({ type }) => type === REPORT_TYPE);
  if (typed !== undefined) return kindOf(fieldGroups(typed.text)[0] ?? NO_FIELDS);
  const isReport = /report-type="?feedback-report/i.test(fields.get("content-type")?.[0] ?? "");
  for (const content of [...parts.filter(({ type }) => !type.endsWith("rfc822")).map((part) => part.text), text]) {
    const group = /^Feedback-Type:/im.test(content)
      ? fieldGroups(content).find((each) => each.has("feedback-type"))
      : undefined;
    if (group !== undefined && (isReport || REPORT_FIELDS.some((name) => group.has(name)))) return kindOf(group);
  }
  return isReport && extendedReport({ parts, text, fields }) === null ? kindOf(NO_FIELDS) : null;
}

/** What a report is that does not say it: it must not count as a complaint. */
const UNKNOWN = "unknown";

const kindOf = (fields: FieldGroup): Kind => ({
  name: /[\w-]{1,40}/.exec(fields.get("feedback-type") ?? "")?.[0].toLowerCase() ?? UNKNOWN,
  fields,
});

type Content = Pick<IncomingMessage, "parts" | "text" | "fields">;

/** X-ARF: fields in the form of YAML (version 0.2), or JSON (versions 3 and 4). */
function extendedReport({ parts, text, fields }: Content): Kind | null {
  const isMarked = fields.has("x-xarf") || fields.has("x-arf");
  for (const content of [...parts.map((part) => part.text), text]) {
    const json = /"(?:ReporterInfo|xarf_version)"\s{0,20}:/.test(content);
    const yaml = /^Reported-From:/im.test(content) && /^Report-(?:Type|ID):/im.test(content);
    if (!json && !yaml) continue;
    const type = /^Report-Type:[ \t]{0,20}([\w-]{1,40})|"(?:ReportType|type)"\s{0,20}:\s{0,20}"([\w-]{1,40})"/im.exec(
      content,
    );
    return { name: (type?.[1] ?? type?.[2] ?? UNKNOWN).toLowerCase(), fields: NO_FIELDS };
  }
  return isMarked ? { name: UNKNOWN, fields: NO_FIELDS } : null;
}

/** Of a receiver's report on a failed check, in the subject or at the beginning of the text. */
const AUTHENTICATION =
  /\b(?:dmarc|spf|dkim)\b[^\r\n]{0,80}\b(?:fail|forensic|align|report|reject)|\b(?:fail|forensic|authentication)[\w-]{0,10}[^\r\n]{0,80}\b(?:dmarc|spf|dkim)\b/i;
const AUTHENTICATION_LENGTH_MAX = 1500;

/** Whether a text without fields reports a failed DMARC check. */
export const isAuthenticationReport = ({ subject, text }: Pick<IncomingMessage, "subject" | "text">): boolean =>
  AUTHENTICATION.test(`${subject}\n${text.slice(0, AUTHENTICATION_LENGTH_MAX)}`);

/** Senders, subjects and fields of feedback loops without a report: AOL of old, Hotmail's JMRP, SpamCop and others. */
const PROVIDER_SENDER = /staff@hotmail\.|@(?:reports|bounces)\.spamcop\.net|scomps?@/i;
/** People have such addresses too, and forward a message with a question. */
const LOOP_SENDER =
  /(?:fbl|feedback-?loop|feedback|abuse-reports?|complaints?|spam-?reports?|arf)(?:-[\w-]{1,40})?@|@(?:fbl|feedback|arf|complaints?)\./i;
const LOOP_WORD = /\b(?:spam|junk|abuse|complain\w{0,5}|unsolicited|feedback[ -]?loop)\b/i;
const LOOP_SUBJECT =
  /^(?:complaint about message from|e-?mail feedback report for ip|\[spamcop \(|(?:fwd?: ?)?(?:abuse|spam|feedback loop) (?:report|complaint)|feedback loop|(?:client )?tos notification)/i;
const LOOP_FIELDS = [
  "x-hmxmroriginalrecipient",
  "x-spamcop-sourceip",
  "x-aol-tos",
  "x-abuse-report",
  "x-complaint-type",
];

function forwardedMessage(message: IncomingMessage): Kind | null {
  const { fields, subject, parts, text } = message;
  if (parts.some(({ type }) => type.endsWith("/delivery-status")) || isAuthenticationReport(message)) return null;
  const original = originalFields(message);
  const isMarked = LOOP_FIELDS.some((name) => fields.has(name) || original?.has(name));
  const from = fields.get("from")?.[0] ?? "";
  const isOfLoop =
    /^scomp/i.test(fields.get("x-loop")?.[0] ?? "") ||
    (parts.some(({ type }) => type === "message/rfc822") &&
      (PROVIDER_SENDER.test(from) || (LOOP_SENDER.test(from) && LOOP_WORD.test(`${subject}\n${ownText(text)}`))));
  return isMarked || isOfLoop || LOOP_SUBJECT.test(subject) ? { name: "abuse", fields: NO_FIELDS } : null;
}

function reportedRecipientOf({ parts }: Content): string | null {
  const report = parts.find(({ type }) => type === REPORT_TYPE);
  const addresses = report === undefined ? [] : addressesIn(fieldGroups(report.text)[0]?.get("original-rcpt-to") ?? "");
  return addresses.length === 1 ? (addresses[0] ?? null) : null;
}

const RECIPIENT_FIELDS = ["original-rcpt-to", "removal-recipient", "original-recipient", "x-hmxmroriginalrecipient"];

function recipientOf(message: IncomingMessage, report: FieldGroup): string | null {
  for (const name of RECIPIENT_FIELDS) {
    const [address] = addressesIn(report.get(name) ?? message.fields.get(name)?.[0] ?? "");
    if (address !== undefined) return address;
  }
  const original = originalFields(message);
  return original === null ? null : soleRecipient(original);
}
