/** Finds messages by their Message-ID. */
import { SENT_AFTER_MS, SENT_BEFORE_MS, SENT_LOOKED_AT, type SentMessageQuery } from "../../../port/incoming.ts";
import type { Database } from "../connection/database.ts";
import { statement } from "../connection/statement.ts";
import { storedText } from "../connection/stored-text.ts";
import { firstNumberAt } from "../mail/message-number.ts";

const findSent = statement<{ id: string }>(
  `SELECT id FROM (SELECT id, message_id FROM messages WHERE account_id = $1 AND seq BETWEEN $2 AND $3
                     ORDER BY seq LIMIT ${SENT_LOOKED_AT}) AS sent WHERE message_id = $4 LIMIT 1`,
);

/** As Incoming.sentMessage. */
export async function sentMessage(
  database: Database,
  { accountId, messageId, aboutMs }: SentMessageQuery,
): Promise<string | null> {
  const [from, to] = [firstNumberAt(aboutMs - SENT_BEFORE_MS), firstNumberAt(aboutMs + SENT_AFTER_MS)];
  const { rows } = await database.run(findSent, [accountId, from, to, storedText(messageId)]);
  return rows[0]?.id ?? null;
}
