/**
 * Reports one message with its recipients and their histories. It runs on the thread that serves HTTP, so it limits how much
 * it reads and parses, whatever is stored: a peer may have sent a 4 KB reply to each of many attempts.
 */

import type { Database } from "better-sqlite3";
import type { Category } from "../../message/category.ts";
import type { RecipientField } from "../port/mail.ts";
import type { MessageReport, RecipientReport, SpoolEvent } from "../port/results.ts";
import { isDamage, isObject, isTexts, readable, soundJson } from "./damage.ts";
import { prepareHistories, type RecipientHistory } from "./histories.ts";
import { shortened } from "./shortened.ts";
import { dueOf } from "./stored-due.ts";
import { storedReply } from "./stored-reply.ts";

export interface MessageReportLimits {
  /** The size of a message's events in JSON. Beyond it each recipient gets an equal share, for its newest events. */
  eventsBytesMax: number;
  /** The text of all recipients' decisive replies, in characters. Beyond it each recipient gets an equal share. */
  repliesLengthMax: number;
}

const LIMITS: MessageReportLimits = { eventsBytesMax: 512 * 1024, repliesLengthMax: 256 * 1024 };

/** The characters shown of a reply, however many recipients there are. */
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

export class MessageReports {
  readonly #limits: MessageReportLimits;
  readonly #message;
  readonly #recipients;
  readonly #histories;
  readonly #quarantined;
  readonly #inSnapshot;

  constructor(db: Database, limits = LIMITS) {
    this.#limits = limits;
    this.#message = db.prepare<[string], MessageRow>(
      `SELECT seq, id, account_id, key_id, created_at_ms, updated_at_ms, expires_at_ms, deadline_ms, sender,
              ${shortened("subject")} AS subject, ${shortened("message_id")} AS message_id, tags, metadata
         FROM messages WHERE id = ?`,
    );
    this.#recipients = db.prepare<[number], RecipientRow>(
      `SELECT position, email, domain, field, state, reason, category, attempts, next_attempt_at_ms, updated_at_ms, smtp
         FROM recipients WHERE seq = ? ORDER BY position`,
    );
    this.#histories = prepareHistories(db, limits.eventsBytesMax);
    this.#quarantined = db.prepare<[number], NonNullable<MessageReport["quarantined"]>>(
      "SELECT found_at_ms AS foundAtMs, part, error FROM quarantined WHERE seq = ?",
    );
    this.#inSnapshot = db.transaction((messageId: string) => this.#read(messageId));
  }

  /** Returns null if there is no such message. */
  report(messageId: string): MessageReport | null {
    // In one snapshot, so that a settlement between two reads does not show half of itself. A snapshot must be readable as a
    // whole; without one, a damaged part is left out.
    try {
      return this.#inSnapshot(messageId);
    } catch (error) {
      if (!isDamage(error)) throw error;
      return this.#read(messageId);
    }
  }

  #read(messageId: string): MessageReport | null {
    const m = this.#message.get(messageId);
    if (m === undefined) return null;
    const rows = this.#recipients.all(m.seq);
    // The results are in the recipients, so damaged histories are left out.
    const histories = readable(() => this.#histories(m.seq, rows.length)) ?? new Map<number, RecipientHistory>();
    const replyLengthMax = Math.max(REPLY_LENGTH_MIN, Math.floor(this.#limits.repliesLengthMax / rows.length));
    const quarantined = readable(() => this.#quarantined.get(m.seq));
    return {
      ...messageOf(m),
      ...(quarantined === undefined ? {} : { quarantined }),
      recipients: rows.map((row) => ({
        ...recipientOf(row, m, replyLengthMax),
        ...historyOf(m, histories.get(row.position)),
      })),
    };
  }
}

/** Every history begins with the acceptance. It never differs from created_at, so it is not stored. */
function historyOf(
  m: MessageRow,
  { events, omitted }: RecipientHistory = { events: [], omitted: 0 },
): Pick<RecipientReport, "events" | "eventsOmitted"> {
  const accepted: SpoolEvent = { at_ms: m.created_at_ms, type: "accepted" };
  const shown = [accepted, ...events.map((event) => withoutDeadline(event, m.deadline_ms))];
  return omitted === 0 ? { events: shown } : { events: shown, eventsOmitted: omitted };
}

const areTexts = (value: unknown): value is Record<string, string> => isObject(value) && isTexts(Object.values(value));

function messageOf(m: MessageRow): Omit<MessageReport, "recipients"> {
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
