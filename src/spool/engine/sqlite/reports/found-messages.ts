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

interface StateRow extends Pick<FoundRecipient, "email" | "result" | "reason" | "category"> {
  position: number;
}

export class FoundMessageReader {
  readonly #message;
  readonly #states;
  readonly #feedback;
  readonly #reply;
  readonly #entries;
  readonly #recipients;
  readonly #acted;

  constructor(db: Database) {
    this.#message = db.prepare<[number], MessageRow>(
      `SELECT id, created_at_ms AS createdAtMs, sender AS "from", ${shortened("subject")} AS subject,
              ${shortened("message_id")} AS messageId, key_id AS keyId, tags, test FROM messages WHERE seq = ?`,
    );
    this.#states = db.prepare<[number], StateRow>(
      "SELECT position, email, result, reason, category FROM recipient_states WHERE seq = ? ORDER BY position",
    );
    this.#feedback = db.prepare<[number], FeedbackKind>("SELECT DISTINCT kind FROM feedback WHERE seq = ?").pluck();
    this.#reply = db
      .prepare<[number, number], string | null>("SELECT smtp FROM recipient_states WHERE seq = ? AND position = ?")
      .pluck();
    this.#entries = db
      .prepare<[number, number, string], string>(
        `SELECT iif(octet_length(history) <= ${ENTRY_BYTES_MAX}, history, '') FROM events WHERE seq = ? AND position = ?
           AND instr(substr(history, 1, ${ENTRY_HEAD_LENGTH}), ${reasonSql("?")}) > 0 ORDER BY number DESC LIMIT ${ENTRIES_MAX}`,
      )
      .pluck();
    this.#recipients = db.prepare<[number], Stored<FoundRecipient>>(
      `SELECT r.email, coalesce(r.field, 'to') AS field, r.result, r.reason, r.category, r.attempts,
              coalesce(r.at_ms, m.created_at_ms) AS updatedAtMs, r.smtp
         FROM recipient_states r JOIN messages m USING (seq) WHERE r.seq = ? ORDER BY r.position`,
    );
    // Rows as arrays: an action may be about ten thousand.
    this.#acted = db
      .prepare<[string], ActedRow>(
        `SELECT m.id, m.created_at_ms, r.position, r.email, r.result, r.reason, r.category, coalesce(r.at_ms, m.created_at_ms)
           FROM json_each(?) AS s CROSS JOIN messages m ON m.seq = s.value CROSS JOIN recipient_states r ON r.seq = m.seq
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
    // With a damaged one among them, each separately.
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
    const states = this.#states.all(seq);
    const results = { delivered: 0, failed: 0, unknown: 0, pending: 0 };
    for (const { result } of states) results[result] += 1;
    const tags = tagsOf(row.tags);
    const test = row.test === 1;
    const categories = [...new Set(states.flatMap(({ category }) => category ?? []))].sort();
    const feedback = listedFeedback(this.#feedback.all(seq));
    return {
      ...row,
      tags,
      test,
      recipients: states.length,
      to: states[0]?.email ?? "",
      results,
      categories,
      ...feedback,
      ...this.#obstacleOf(seq, states, filter),
    };
  }

  #obstacleOf(
    seq: number,
    states: readonly StateRow[],
    { result, category }: RecipientFilter,
  ): Pick<FoundMessage, "obstacle"> {
    const rank = (state: StateRow): number[] => [
      Number(state.result === result),
      Number(state.category === category),
      Number(state.result === "failed"),
      Number(state.result === "unknown"),
    ];
    const obstacles = states.filter((state) => state.result !== "delivered" && state.reason !== null);
    const [first] = obstacles.sort((a, b) => compareRanks(rank(b), rank(a)) || a.position - b.position);
    const { position = 0, email = "", reason = null } = first ?? {};
    if (first === undefined || reason === null) return {};
    const smtp = this.#reply.get(seq, position) ?? null;
    const obstacle = withReply({ email, reason, category: first.category, smtp });
    if (!isUnknownReason(reason)) return { obstacle };
    // A damaged history does not hide the message.
    const entries = readable(() => this.#entries.all(seq, position, reason)) ?? [];
    return { obstacle: { ...obstacle, ...obstacleAttempt(entries, reason) } };
  }
}

const compareRanks = (a: readonly number[], b: readonly number[]): number => {
  const i = a.findIndex((each, place) => each !== b[place]);
  return i === -1 ? 0 : (a[i] ?? 0) - (b[i] ?? 0);
};

const withReply = <Row extends { smtp: string | null }>({ smtp, ...row }: Row) => ({
  ...row,
  smtp: storedReply(smtp, LISTED_LENGTH_MAX),
});
