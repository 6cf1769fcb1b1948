/** Reads reports of recipients who marked a message as spam (Abuse Reporting Format, RFC 5965), and their reports that it is none. */
import { fieldGroups } from "./delivery-status.ts";
import { type OriginalMessage, originalOf } from "./original-message.ts";
import type { IncomingMessage } from "./report-parts.ts";

export interface Complaint {
  /** Feedback-Type in lower case: `abuse`, `fraud`, `virus`, `opt-out`, `not-spam` and so on. */
  kind: string;
  /** Original-Rcpt-To; null if the provider withholds it. */
  recipient: string | null;
  /** Original-Mail-From, without angle brackets. */
  envelopeSender: string | null;
  /** What identifies the message that the report is about. */
  original: OriginalMessage;
}

const REPORT_TYPE = "message/feedback-report";

/** Returns the complaint; null if the message is none. */
export function readComplaint(message: IncomingMessage): Complaint | null {
  const report = message.parts.find(({ type }) => type === REPORT_TYPE);
  if (report === undefined) return null;
  const [fields = new Map<string, string>()] = fieldGroups(report.text);
  return {
    kind: fields.get("feedback-type")?.trim().toLowerCase() || "other",
    recipient: bare(fields.get("original-rcpt-to")),
    envelopeSender: bare(fields.get("original-mail-from")),
    original: originalOf(message),
  };
}

const bare = (value: string | undefined): string | null => /[^\s<>@]+@[^\s<>@]+/.exec(value ?? "")?.[0] ?? null;
