/**
 * Reads a message as a list or an export shows it, by its row.
 */

import type { Database } from "better-sqlite3";
import type { Category } from "../../../../message/result/category.ts";
import { isUnknownReason } from "../../../../message/result/reasons.ts";
import type {
  ActedFilter,
  ActedMessage,
  FoundMessage,
  FoundRecipient,
  MessageRecipients,
  Obstacle,
} from "../../../port/reports.ts";
import { tagsOf } from "../../../records/message-labels.ts";
import {
  ENTRIES_MAX,
  ENTRY_BYTES_MAX,
  ENTRY_HEAD_LENGTH,
  obstacleAttempt,
  reasonSql,
} from "../../../records/obstacle-attempt.ts";
import { isInQueueSql } from "../../../records/quarantined.ts";
import { type FeedbackKind, listedFeedback } from "../../../records/recipient-feedback.ts";
import { isActed, isSelected, type RecipientFilter, shownDomain } from "../../../records/searched-filter.ts";
import { LISTED_LENGTH_MAX, storedReply } from "../../../records/stored-reply.ts";
import { shortened } from "../../../store/reports/shortened-text.ts";
import { readable } from "../files/damage.ts";

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

/** `smtp` is JSON. */
type Stored<Row extends { smtp: unknown }> = Omit<Row, "smtp"> & { smtp: string | null };

type ActedRow = [
  id: string,
  createdAtMs: number,
  position: number,
  email: string,
  result: FoundRecipient["result"],
  reason: string | null,
  category: Category | null,
  updatedAtMs: number,
];

interface ObstacleKey {
  seq: number;
  result: string | null;
  category: string | null;
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
  readonly #obstacle;
  readonly #entries;
  readonly #recipients;
  readonly #acted;

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
    this.#obstacle = db.prepare<ObstacleKey, Stored<Obstacle> & { position: number }>(
      `SELECT position, email, reason, category, smtp FROM
         (SELECT position, email, iif(state = 'marked', 'pending', state) AS result, reason, category, smtp
            FROM recipients WHERE seq = @seq AND state <> 'delivered' AND reason IS NOT NULL)
         ORDER BY result = @result DESC, category = @category DESC, result = 'failed' DESC, result = 'unknown' DESC, position LIMIT 1`,
    );
    this.#entries = db
      .prepare<[number, number, string], string>(
        `SELECT iif(octet_length(history) <= ${ENTRY_BYTES_MAX}, history, '') FROM events WHERE seq = ? AND position = ?
           AND instr(substr(history, 1, ${ENTRY_HEAD_LENGTH}), ${reasonSql("?")}) > 0 ORDER BY number DESC LIMIT ${ENTRIES_MAX}`,
      )
      .pluck();
    this.#recipients = db.prepare<[number], Stored<FoundRecipient>>(
      `SELECT email, coalesce(field, 'to') AS field, iif(state = 'marked', 'pending', state) AS result, reason, category,
              attempts, updated_at_ms AS updatedAtMs, smtp
         FROM recipients WHERE seq = ? ORDER BY position`,
    );
    // Rows as arrays: an action may be about ten thousand.
    this.#acted = db
      .prepare<[string], ActedRow>(
        `SELECT m.id, m.created_at_ms, r.position, r.email, iif(r.state = 'marked', 'pending', r.state), r.reason, r.category,
                r.updated_at_ms
           FROM json_each(?) AS s CROSS JOIN messages m ON m.seq = s.value CROSS JOIN recipients r ON r.seq = m.seq
           WHERE ${isInQueueSql("m.seq")}`,
      )
      .raw();
  }

  /** Returns null if the message is gone or damaged: the list goes on without it. */
  read(seq: number, filter: RecipientFilter): FoundMessage | null {
    return readable(() => this.#read(seq, filter)) ?? null;
  }

  /** As `read`, with the recipients that the filter selects. */
  readRecipients(seq: number, filter: RecipientFilter): MessageRecipients | null {
    return readable(() => this.#readRecipients(seq, filter)) ?? null;
  }

  /** Returns these messages with the recipients that the filter selects; without those that are gone or damaged. */
  readActed(seqs: readonly number[], filter: ActedFilter): ActedMessage[] {
    const all = readable(() => this.#readActed(seqs, filter));
    // With a damaged one among them, each by itself.
    return all ?? seqs.flatMap((seq) => readable(() => this.#readActed([seq], filter)) ?? []);
  }

  #readActed(seqs: readonly number[], filter: ActedFilter): ActedMessage[] {
    const messages: ActedMessage[] = [];
    for (const row of this.#acted.all(JSON.stringify(seqs))) {
      const [id, createdAtMs, position, email, result, reason, category, updatedAtMs] = row;
      if (messages.at(-1)?.id !== id) {
        messages.push({ id, createdAtMs, positions: [], ...(filter.withDomains ? { domains: [] } : {}) });
      }
      if (!isActed({ email, result, reason, category, updatedAtMs }, filter)) continue;
      messages.at(-1)?.positions.push(position);
      messages.at(-1)?.domains?.push(shownDomain(email));
    }
    return messages;
  }

  #readRecipients(seq: number, filter: RecipientFilter): MessageRecipients | null {
    const row = this.#message.get(seq);
    if (row === undefined) return null;
    const recipients = this.#recipients.all(seq).filter((recipient) => isSelected(recipient, filter));
    return { ...row, tags: tagsOf(row.tags), test: row.test === 1, recipients: recipients.map(withReply) };
  }

  #read(seq: number, filter: RecipientFilter): FoundMessage | null {
    const row = this.#message.get(seq);
    if (row === undefined) return null;
    const { recipients = 0, delivered = 0, failed = 0, unknown = 0, email = "" } = this.#counts.get(seq) ?? {};
    const results = { delivered, failed, unknown, pending: recipients - delivered - failed - unknown };
    const tags = tagsOf(row.tags);
    const test = row.test === 1;
    const categories = this.#categories.all(seq);
    const feedback = listedFeedback(this.#feedback.all(seq));
    const hasObstacle = delivered < recipients;
    return {
      ...row,
      tags,
      test,
      recipients,
      to: email,
      results,
      categories,
      ...feedback,
      ...(hasObstacle ? this.#obstacleOf(seq, filter) : {}),
    };
  }

  #obstacleOf(seq: number, filter: RecipientFilter): Pick<FoundMessage, "obstacle"> {
    const row = this.#obstacle.get({ seq, result: filter.result ?? null, category: filter.category ?? null });
    if (row === undefined) return {};
    const { position, ...obstacle } = row;
    const { reason } = obstacle;
    if (!isUnknownReason(reason)) return { obstacle: withReply(obstacle) };
    // A damaged history does not hide the message.
    const entries = readable(() => this.#entries.all(seq, position, reason)) ?? [];
    return { obstacle: { ...withReply(obstacle), ...obstacleAttempt(entries, reason) } };
  }
}

const withReply = <Row extends { smtp: string | null }>({ smtp, ...row }: Row) => ({
  ...row,
  smtp: storedReply(smtp, LISTED_LENGTH_MAX),
});
