/**
 * Reads a message as a list shows it, by its row.
 */

import type { Database } from "better-sqlite3";
import type { Category } from "../../message/category.ts";
import type { FoundMessage } from "../port/reports.ts";
import { tagsOf } from "../records/message-labels.ts";
import { type FeedbackKind, listedFeedback } from "../records/recipient-feedback.ts";
import { readable } from "./damage.ts";
import { shortened } from "./shortened.ts";

interface MessageRow {
  id: string;
  createdAtMs: number;
  from: string;
  subject: string;
  messageId: string;
  keyId: string;
  tags: string | null;
  test: number;
}

interface CountRow {
  recipients: number;
  delivered: number;
  failed: number;
  unknown: number;
  email: string;
}

export class FoundMessageReader {
  readonly #message;
  readonly #counts;
  readonly #categories;
  readonly #feedback;

  constructor(db: Database) {
    this.#message = db.prepare<[number], MessageRow>(
      `SELECT id, created_at_ms AS createdAtMs, sender AS "from", ${shortened("subject")} AS subject,
              ${shortened("message_id")} AS messageId, key_id AS keyId, tags, test FROM messages WHERE seq = ?`,
    );
    this.#counts = db.prepare<[number], CountRow>(
      `SELECT count(*) AS recipients, sum(state = 'delivered') AS delivered, sum(state = 'failed') AS failed,
              sum(state = 'unknown') AS unknown, (SELECT email FROM recipients WHERE seq = r.seq AND position = 0) AS email
         FROM recipients r WHERE seq = ?`,
    );
    this.#categories = db
      .prepare<[number], Category>(
        "SELECT DISTINCT category FROM recipients WHERE seq = ? AND category IS NOT NULL ORDER BY category",
      )
      .pluck();
    this.#feedback = db.prepare<[number], FeedbackKind>("SELECT DISTINCT kind FROM feedback WHERE seq = ?").pluck();
  }

  /** Returns null if the message is gone or damaged: the list goes on without it. */
  read(seq: number): FoundMessage | null {
    return readable(() => this.#read(seq)) ?? null;
  }

  #read(seq: number): FoundMessage | null {
    const row = this.#message.get(seq);
    if (row === undefined) return null;
    const { recipients = 0, delivered = 0, failed = 0, unknown = 0, email = "" } = this.#counts.get(seq) ?? {};
    const results = { delivered, failed, unknown, pending: recipients - delivered - failed - unknown };
    const tags = tagsOf(row.tags);
    const test = row.test === 1;
    const categories = this.#categories.all(seq);
    const feedback = listedFeedback(this.#feedback.all(seq));
    return { ...row, tags, test, recipients, to: email, results, categories, ...feedback };
  }
}
