/**
 * Reads the report of one message with its recipients and their histories. It runs on the thread that serves HTTP, so it limits
 * how much it reads and parses, whatever is stored. records/message-report.ts assembles the report.
 */

import type { Database } from "better-sqlite3";
import type { MessageReport } from "../../../port/results.ts";
import type { RecipientHistory } from "../../../records/histories.ts";
import {
  MESSAGE_REPORT_LIMITS,
  type MessageReportLimits,
  type MessageRow,
  messageReport,
  type RecipientRow,
} from "../../../records/message-report.ts";
import { IN_QUARANTINE } from "../../../records/quarantined.ts";
import type { FeedbackRow } from "../../../records/recipient-feedback.ts";
import { isDamage, readable } from "../files/damage.ts";
import { shortened } from "../mail/shortened-text.ts";
import { prepareHistories } from "./histories.ts";

interface StoredMessage extends Omit<MessageRow, "test"> {
  seq: number;
  test: number;
}

export class MessageReports {
  readonly #limits: MessageReportLimits;
  readonly #message;
  readonly #recipients;
  readonly #histories;
  readonly #feedback;
  readonly #quarantined;
  readonly #inSnapshot;

  constructor(db: Database, limits = MESSAGE_REPORT_LIMITS) {
    this.#limits = limits;
    this.#message = db.prepare<[string], StoredMessage>(
      `SELECT seq, id, account_id AS accountId, key_id AS keyId, created_at_ms AS createdAtMs, updated_at_ms AS updatedAtMs,
              expires_at_ms AS expiresAtMs, deadline_ms AS deadlineMs, sender AS "from",
              (SELECT name FROM domains WHERE id = domain_id) AS senderDomain, ${shortened("subject")} AS subject,
              ${shortened("message_id")} AS messageId, tags, metadata, request_id AS requestId,
              idempotency_key AS idempotencyKey, test
         FROM messages WHERE id = ?`,
    );
    this.#recipients = db.prepare<[number], RecipientRow>(
      `SELECT position, email, domain, field, iif(state = 'marked', 'pending', state) AS result, reason, category, attempts,
              next_attempt_at_ms AS dueMs, updated_at_ms AS updatedAtMs, smtp
         FROM recipients WHERE seq = ? ORDER BY position`,
    );
    this.#histories = prepareHistories(db, limits.eventsBytesMax);
    this.#feedback = db.prepare<[number], FeedbackRow>(
      "SELECT position, kind, at_ms AS atMs, detail FROM feedback WHERE seq = ?",
    );
    this.#quarantined = db.prepare<[number], NonNullable<MessageReport["quarantined"]>>(
      `SELECT found_at_ms AS foundAtMs, part, error FROM quarantined WHERE seq = ? AND ${IN_QUARANTINE}`,
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
    const row = this.#message.get(messageId);
    if (row === undefined) return null;
    const { seq, test, ...shown } = row;
    const message = { ...shown, test: test === 1 };
    const recipients = this.#recipients.all(seq);
    // The results are in the recipients, so damaged histories are left out.
    const histories = readable(() => this.#histories(seq, recipients.length)) ?? new Map<number, RecipientHistory>();
    const feedback = readable(() => this.#feedback.all(seq)) ?? [];
    const quarantined = readable(() => this.#quarantined.get(seq));
    return messageReport({ message, recipients, histories, feedback, quarantined }, this.#limits);
  }
}
