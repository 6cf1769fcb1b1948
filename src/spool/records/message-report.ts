/**
 * Assembles the report of one message from its rows, within limits: a peer may have sent a 4 KB reply to each of many attempts.
 */
import type { Category } from "../../message/result/category.ts";
import type { Result } from "../../message/result/outcome.ts";
import type { RecipientField } from "../port/mail.ts";
import type { MessageReport, RecipientReport, SpoolEvent } from "../port/results.ts";
import type { RecipientHistory } from "./histories.ts";
import { metadataOf, tagsOf } from "./message-labels.ts";
import { type FeedbackRow, reportedFeedback } from "./recipient-feedback.ts";
import { dueOf } from "./stored-due.ts";
import { storedReply } from "./stored-reply.ts";
import { domainOf } from "./test-routes.ts";

export interface MessageReportLimits {
  /** The size of a message's events in JSON. Beyond it each recipient gets an equal share, for its newest events. */
  eventsBytesMax: number;
  /** The text of all recipients' decisive replies, in characters. Beyond it each recipient gets an equal share. */
  repliesLengthMax: number;
}

export const MESSAGE_REPORT_LIMITS: MessageReportLimits = { eventsBytesMax: 512 * 1024, repliesLengthMax: 256 * 1024 };

/** The most characters shown of another stored text: as many as a header line may have (RFC 5322 §2.1.1). */
export const TEXT_LENGTH_MAX = 998;

/** The characters shown of a reply, however many recipients there are. */
const REPLY_LENGTH_MIN = 100;

/** `tags` and `metadata` are JSON. */
export interface MessageRow extends Omit<MessageReport, "recipients" | "quarantined" | "tags" | "metadata"> {
  deadlineMs: number | null;
  tags: string | null;
  metadata: string | null;
}

export interface RecipientRow {
  position: number;
  email: string;
  domain: string;
  /** Null for `to`. */
  field: RecipientField | null;
  result: Result;
  reason: string | null;
  category: Category | null;
  attempts: number;
  dueMs: number | null;
  updatedAtMs: number;
  /** JSON. */
  smtp: string | null;
}

export interface MessageRows {
  message: MessageRow;
  recipients: RecipientRow[];
  /** By position. */
  histories: ReadonlyMap<number, RecipientHistory>;
  feedback: readonly FeedbackRow[];
  quarantined: MessageReport["quarantined"];
}

export function messageReport(
  { message, recipients, histories, feedback, quarantined }: MessageRows,
  { repliesLengthMax }: MessageReportLimits,
): MessageReport {
  const { deadlineMs, ...shown } = message;
  const feedbackOf = reportedFeedback(feedback);
  const replyLengthMax = Math.max(REPLY_LENGTH_MIN, Math.floor(repliesLengthMax / recipients.length));
  return {
    ...shown,
    tags: tagsOf(message.tags),
    metadata: metadataOf(message.metadata),
    ...(quarantined === undefined ? {} : { quarantined }),
    recipients: recipients.map(({ dueMs, ...row }) => ({
      ...row,
      domain: message.test ? (domainOf(row.email) ?? row.domain) : row.domain,
      field: row.field ?? "to",
      ...dueOf(dueMs, deadlineMs),
      smtp: storedReply(row.smtp, replyLengthMax),
      ...feedbackOf.get(row.position),
      ...historyOf(message, histories.get(row.position)),
    })),
  };
}

/** Every history begins with the acceptance. It never differs from createdAtMs, so it is not stored. */
function historyOf(
  { createdAtMs, deadlineMs }: MessageRow,
  { events, omitted }: RecipientHistory = { events: [], omitted: 0 },
): Pick<RecipientReport, "events" | "eventsOmitted"> {
  const accepted: SpoolEvent = { at_ms: createdAtMs, type: "accepted" };
  const shown = [accepted, ...events.map((event) => withoutDeadline(event, deadlineMs))];
  return omitted === 0 ? { events: shown } : { events: shown, eventsOmitted: omitted };
}

function withoutDeadline(event: SpoolEvent, deadlineMs: number | null): SpoolEvent {
  if (!("next_attempt_at_ms" in event) || event.next_attempt_at_ms === null) return event;
  return { ...event, next_attempt_at_ms: dueOf(event.next_attempt_at_ms, deadlineMs).nextAttemptAtMs };
}
