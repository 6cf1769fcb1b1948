/**
 * One message with its recipients and their histories, read on the thread that serves HTTP: so what it reads and parses
 * has a limit, whatever is stored. A peer may have said 4 KB to each of many attempts.
 */
import type { Database } from "better-sqlite3";
import type { Category } from "../../message/category.ts";
import type { RecipientField } from "../port/mail.ts";
import type { MessageReport, RecipientReport, SpoolEvent } from "../port/results.ts";
import { isDamage, isObject, isTexts, readable, soundJson } from "./damage.ts";
import { prepareHistories } from "./histories.ts";
import { shortened } from "./shortened.ts";
import { dueOf } from "./stored-due.ts";
import { storedReply } from "./stored-reply.ts";

export interface MessageReportLimits {
  /** The events of a message as JSON. Beyond it each recipient has an equal part, for its newest events. */
  eventsBytesMax: number;
  /** The words of all recipients' decisive replies, in characters. Beyond it each recipient has an equal part. */
  repliesLengthMax: number;
}

const LIMITS: MessageReportLimits = { eventsBytesMax: 512 * 1024, repliesLengthMax: 256 * 1024 };

/** However many the recipients are, so much is shown of a reply. */
const REPLY_LENGTH_MIN = 100;

interface MessageRow {
  seq: number;
  id: string;
  account_id: string;
  key_id: string;
  created_at_ms: number;
  updated_at_ms: number;
  expires_at_ms: number;
  deadline_ms: number | null;
  sender: string;
  subject: string;
  message_id: string;
  tags: string | null;
  metadata: string | null;
}

interface RecipientRow {
  position: number;
  email: string;
  domain: string;
  field: RecipientField | null;
  state: "pending" | "marked" | "delivered" | "failed" | "unknown";
  reason: string | null;
  category: Category | null;
  attempts: number;
  next_attempt_at_ms: number | null;
  updated_at_ms: number;
  smtp: string | null;
}

export function prepareMessageReport(db: Database, limits = LIMITS): (messageId: string) => MessageReport | null {
  const message = db.prepare<[string], MessageRow>(
    `SELECT seq, id, account_id, key_id, created_at_ms, updated_at_ms, expires_at_ms, deadline_ms, sender,
            ${shortened("subject")} AS subject, ${shortened("message_id")} AS message_id, tags, metadata
       FROM messages WHERE id = ?`,
  );
  const recipients = db.prepare<[number], RecipientRow>(
    `SELECT position, email, domain, field, state, reason, category, attempts, next_attempt_at_ms, updated_at_ms, smtp
       FROM recipients WHERE seq = ? ORDER BY position`,
  );
  const historiesOf = prepareHistories(db, limits.eventsBytesMax);
  const quarantine = db.prepare<[number], NonNullable<MessageReport["quarantined"]>>(
    "SELECT found_at_ms AS foundAtMs, part, error FROM quarantined WHERE seq = ?",
  );
  /** Without what is damaged: the results are in the recipients. */
  const readableHistories = (seq: number, recipients: number): ReturnType<typeof historiesOf> =>
    readable(() => historiesOf(seq, recipients)) ?? new Map();
  const quarantineOf = (seq: number): Pick<MessageReport, "quarantined"> => {
    const quarantined = readable(() => quarantine.get(seq));
    return quarantined === undefined ? {} : { quarantined };
  };
  function report(messageId: string): MessageReport | null {
    const m = message.get(messageId);
    if (m === undefined) return null;
    const rows = recipients.all(m.seq);
    const histories = readableHistories(m.seq, rows.length);
    const replyLengthMax = Math.max(REPLY_LENGTH_MIN, Math.floor(limits.repliesLengthMax / rows.length));
    // Acceptance is in every recipient's history and never differs from created_at, so it is not stored again.
    const accepted: SpoolEvent = { at_ms: m.created_at_ms, type: "accepted" };
    return {
      ...headOf(m),
      ...quarantineOf(m.seq),
      recipients: rows.map((row) => {
        const { events, omitted } = histories.get(row.position) ?? { events: [], omitted: 0 };
        const shown = events.map((event) => withoutDeadline(event, m.deadline_ms));
        const recipient = { ...recipientOf(row, m, replyLengthMax), events: [accepted, ...shown] };
        return omitted === 0 ? recipient : { ...recipient, eventsOmitted: omitted };
      }),
    };
  }
  // One snapshot for the three tables: a settlement between them must not show half of itself. In a snapshot everything
  // must be readable; without one, a part that is not is left out.
  const whole = db.transaction(report);
  return (messageId) => {
    try {
      return whole(messageId);
    } catch (error) {
      if (!isDamage(error)) throw error;
      return report(messageId);
    }
  };
}

const areTexts = (value: unknown): value is Record<string, string> => isObject(value) && isTexts(Object.values(value));

function headOf(m: MessageRow): Omit<MessageReport, "recipients"> {
  return {
    id: m.id,
    accountId: m.account_id,
    keyId: m.key_id,
    createdAtMs: m.created_at_ms,
    updatedAtMs: m.updated_at_ms,
    expiresAtMs: m.expires_at_ms,
    from: m.sender,
    subject: m.subject,
    messageId: m.message_id,
    tags: m.tags === null ? [] : (soundJson(m.tags, isTexts) ?? []),
    metadata: m.metadata === null ? {} : (soundJson(m.metadata, areTexts) ?? {}),
  };
}

function withoutDeadline(event: SpoolEvent, deadlineMs: number | null): SpoolEvent {
  if (!("next_attempt_at_ms" in event)) return event;
  return { ...event, next_attempt_at_ms: dueOf(event.next_attempt_at_ms, deadlineMs).nextAttemptAtMs };
}

function recipientOf(row: RecipientRow, m: MessageRow, replyLengthMax: number): Omit<RecipientReport, "events"> {
  return {
    position: row.position,
    email: row.email,
    domain: row.domain,
    field: row.field ?? "to",
    result: row.state === "marked" ? "pending" : row.state,
    reason: row.reason,
    category: row.category,
    attempts: row.attempts,
    ...dueOf(row.next_attempt_at_ms, m.deadline_ms),
    updatedAtMs: row.updated_at_ms,
    smtp: storedReply(row.smtp, replyLengthMax),
  };
}
