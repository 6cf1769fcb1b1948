/** Reads messages as a list shows them. */
import type { FoundMessage } from "../port/reports.ts";
import { tagsOf } from "../records/message-labels.ts";
import { type FeedbackKind, listedFeedback } from "../records/recipient-feedback.ts";
import { shortened } from "./shortened.ts";
import { type Session, unprepared } from "./statement.ts";

interface FoundRow extends Omit<FoundMessage, "tags" | "results" | "feedback"> {
  tags: string | null;
  delivered: number;
  failed: number;
  unknown: number;
  kinds: FeedbackKind[];
}

const OF_MESSAGE = "seq = f.seq AND seq >= $2 AND seq <= $3";

// Not prepared, as the statements of a search: it is planned for the partitions of its messages.
const findMessages = unprepared<FoundRow>(
  `SELECT m.*, r.*, s.*, b.*
     FROM unnest($1::bigint[]) WITH ORDINALITY AS f (seq, place),
     LATERAL (
       SELECT id, created_at_ms AS "createdAtMs", sender AS "from", ${shortened("subject")} AS subject,
              ${shortened("message_id")} AS "messageId", key_id AS "keyId", tags, test
         FROM messages WHERE ${OF_MESSAGE} OFFSET 0
     ) AS m,
     LATERAL (
       SELECT count(*) AS recipients, coalesce(min(email) FILTER (WHERE position = 0), '') AS "to"
         FROM recipients WHERE ${OF_MESSAGE}
     ) AS r,
     LATERAL (
       SELECT count(*) FILTER (WHERE result = 'delivered') AS delivered, count(*) FILTER (WHERE result = 'failed') AS failed,
              count(*) FILTER (WHERE result = 'unknown') AS unknown,
              coalesce(array_agg(DISTINCT category ORDER BY category) FILTER (WHERE category IS NOT NULL), '{}') AS categories
         FROM (
           SELECT DISTINCT ON (position) result, category FROM events
             WHERE ${OF_MESSAGE} AND position IS NOT NULL ORDER BY position, number DESC
         ) AS newest
     ) AS s,
     LATERAL (
       SELECT coalesce(array_agg(DISTINCT kind), '{}') AS kinds FROM feedback WHERE ${OF_MESSAGE}
     ) AS b
     ORDER BY f.place`,
);

/** Returns the messages with these numbers, in this order; without those that are gone. */
export async function readFound(session: Session, seqs: readonly number[]): Promise<FoundMessage[]> {
  if (seqs.length === 0) return [];
  const { rows } = await session.run(findMessages, [seqs, Math.min(...seqs), Math.max(...seqs)]);
  return rows.map(({ delivered, failed, unknown, tags, kinds, ...row }) => {
    const pending = row.recipients - delivered - failed - unknown;
    return { ...row, tags: tagsOf(tags), results: { delivered, failed, unknown, pending }, ...listedFeedback(kinds) };
  });
}
