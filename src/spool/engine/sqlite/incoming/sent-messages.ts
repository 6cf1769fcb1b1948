/** Finds messages by their Message-ID. */
import type { Database } from "better-sqlite3";
import { SENT_AFTER_MS, SENT_BEFORE_MS, SENT_LOOKED_AT, type SentMessageQuery } from "../../../port/incoming.ts";

export function prepareSentMessages(db: Database) {
  const sent = db
    .prepare<[string, number, number, string], string>(
      `SELECT id FROM (SELECT id, message_id FROM messages WHERE account_id = ? AND created_at_ms BETWEEN ? AND ?
                         ORDER BY created_at_ms LIMIT ${SENT_LOOKED_AT}) WHERE message_id = ? LIMIT 1`,
    )
    .pluck();
  return {
    sentMessage: ({ accountId, messageId, aboutMs }: SentMessageQuery) =>
      sent.get(accountId, aboutMs - SENT_BEFORE_MS, aboutMs + SENT_AFTER_MS, messageId) ?? null,
  };
}
