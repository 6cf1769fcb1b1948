/** The end of a quarantined message whose events cannot be read or written. store/quarantine/discards.ts ends all others. */
import type { DiscardedMessage, DiscardRequest } from "../../../port/quarantine.ts";
import { DISCARD_ROW, IN_QUARANTINE } from "../../../records/quarantined.ts";
import type { Database } from "../connection/database.ts";
import { statement } from "../connection/statement.ts";
import { storedText } from "../connection/stored-text.ts";

const discard = statement<{ seq: number; messageId: string | null; failed: number }>(
  `WITH ended AS (
     UPDATE quarantined SET ${DISCARD_ROW} WHERE ${IN_QUARANTINE} AND (seq = $1 OR message_id = $2) RETURNING seq, message_id
   ), work_ended AS (
     DELETE FROM work w USING ended WHERE w.seq = ended.seq RETURNING w.seq
   ), unknown_ended AS (
     DELETE FROM unknown_recipients u USING ended WHERE u.seq = ended.seq RETURNING u.seq
   )
   SELECT seq, message_id AS "messageId", (SELECT count(*) FROM work_ended) + (SELECT count(*) FROM unknown_ended) AS failed
     FROM ended`,
);

/** Takes the recipients out of their places, without events and counts. */
export async function discardWithoutEvents(
  database: Database,
  { message }: DiscardRequest,
): Promise<DiscardedMessage | null> {
  const isId = typeof message === "string";
  const { rows } = await database.run(discard, [isId ? null : message, isId ? storedText(message) : null]);
  return rows[0] === undefined ? null : { ...rows[0], isComplete: false };
}
