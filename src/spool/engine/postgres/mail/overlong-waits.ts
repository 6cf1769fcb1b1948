/**
 * Shortens waits that are longer than allowed, because their times were set while the clock was ahead. A pass goes over all
 * pending recipients in the order of their messages. A time that the sender has chosen stays. Marked ones are left out: their result is on its way.
 */
import type { ShortenWaitsResult, ShortenWaitsStep } from "../../../port/operations.ts";
import { type Session, statement } from "../connection/statement.ts";

interface Shortened {
  looked: number;
  lastSeq: number | null;
  lastPosition: number | null;
  shortened: number;
  nextDueMs: number | null;
}

// In the order of the primary key, which this does not change. A row that another transaction has locked is being claimed,
// settled or released, at the time as it is now.
const shorten = statement<Shortened>(
  `WITH page AS MATERIALIZED (
     SELECT seq, position FROM work WHERE (seq, position) > ($1, $2) ORDER BY seq, position LIMIT $3
   ), later AS MATERIALIZED (
     SELECT w.* FROM page, LATERAL (
       SELECT seq, position, $4 + longest_ms AS latest_ms
         FROM work, LATERAL (SELECT ($5::bigint[])[least(attempts, array_length($5::bigint[], 1) - 1) + 1]) AS l (longest_ms)
         WHERE seq = page.seq AND position = page.position AND mark IS NULL AND due_ms > $4 + longest_ms
           AND due_ms IS DISTINCT FROM (SELECT send_at_ms FROM messages m WHERE m.seq = page.seq)
         FOR NO KEY UPDATE OF work SKIP LOCKED
     ) w
   ), shortened AS (
     UPDATE work w SET due_ms = later.latest_ms FROM later WHERE w.seq = later.seq AND w.position = later.position
       RETURNING w.due_ms
   )
   SELECT (SELECT count(*) FROM page) AS looked, last.seq AS "lastSeq", last.position AS "lastPosition",
          (SELECT count(*) FROM shortened) AS shortened, (SELECT min(due_ms) FROM shortened) AS "nextDueMs"
     FROM (VALUES (1)) AS one LEFT JOIN (SELECT * FROM page ORDER BY seq DESC, position DESC LIMIT 1) AS last ON true`,
);

/** Runs one step. `nextDueMs` is when the first of the shortened recipients is due; null if there is none. */
export async function shortenWaits(
  session: Session,
  { nowMs, longestMs, after, limit }: ShortenWaitsStep,
): Promise<ShortenWaitsResult & { nextDueMs: number | null }> {
  const [, , , afterSeq, afterPosition] = after ?? ["", "", 0, -1, 0];
  const [row] = (await session.run(shorten, [afterSeq, afterPosition, limit, nowMs, longestMs])).rows;
  if (row === undefined) throw new Error("the step of shortening waits returned no row");
  const { looked, lastSeq, lastPosition, shortened, nextDueMs } = row;
  const isEnd = looked < limit || lastSeq === null || lastPosition === null;
  // The cursor's first three places are for spools whose order begins with them.
  return { recipients: shortened, next: isEnd ? null : ["", "", 0, lastSeq, lastPosition], nextDueMs };
}
