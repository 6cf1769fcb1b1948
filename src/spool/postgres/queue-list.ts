/** Lists the undelivered recipients of an account, in one snapshot. */
import type { QueueEntry, QueueFilter } from "../port/results.ts";
import { dueOf } from "../records/stored-due.ts";
import { LISTED_LENGTH_MAX, shortenedReply } from "../records/stored-reply.ts";
import { isLiveSql } from "../records/test-routes.ts";
import type { Database } from "./database.ts";
import { keyColumns, type NewestState, newestStates, type RecipientKey, recipientName } from "./recipient-states.ts";
import { type Session, statement } from "./statement.ts";

interface OpenRow extends RecipientKey {
  domain: string;
  attempts: number;
  dueMs: number | null;
}

interface MessageRow extends RecipientKey {
  email: string;
  messageId: string;
  createdAtMs: number;
  deadlineMs: number | null;
  test: boolean;
}

const SELECTED = `account_id = $1 AND ($2::text IS NULL OR domain = $2)
         AND ($3::boolean IS NULL OR (${isLiveSql("domain")}) <> $3)`;

// Marked recipients first: they are at their final dot.
const findPending = statement<OpenRow>(
  `SELECT seq, position, domain, attempts, CASE WHEN mark IS NULL THEN due_ms END AS "dueMs"
     FROM work WHERE ${SELECTED} ORDER BY mark IS NULL, due_ms, seq, position LIMIT $4`,
);

const findUnknown = statement<OpenRow>(
  `SELECT seq, position, domain, attempts, NULL::bigint AS "dueMs"
     FROM unknown_recipients WHERE ${SELECTED} ORDER BY seq, position LIMIT $4`,
);

const findMessages = statement<MessageRow>(
  `SELECT k.seq, k.position, r.email, m.id AS "messageId", m.created_at_ms AS "createdAtMs", m.deadline_ms AS "deadlineMs",
          m.test
     FROM unnest($1::bigint[], $2::int[]) AS k (seq, position),
          LATERAL (SELECT email FROM recipients WHERE seq = k.seq AND position = k.position OFFSET 0) AS r,
          LATERAL (SELECT id, created_at_ms, deadline_ms, test FROM messages WHERE seq = k.seq OFFSET 0) AS m`,
);

/** As Results.queue. */
export const listQueue = (database: Database, filter: QueueFilter): Promise<QueueEntry[]> =>
  database.snapshot((session) => readQueue(session, filter));

async function readQueue(
  session: Session,
  { accountId, domain, test, result, limit }: QueueFilter,
): Promise<QueueEntry[]> {
  const values = [accountId, domain ?? null, test ?? null];
  const pending = result === "unknown" ? [] : (await session.run(findPending, [...values, limit])).rows;
  const room = result === "pending" ? 0 : limit - pending.length;
  const unknown = room === 0 ? [] : (await session.run(findUnknown, [...values, room])).rows;
  const open = [...pending, ...unknown];
  if (open.length === 0) return [];
  const states = await newestStates(session, open);
  const { rows } = await session.run(findMessages, keyColumns(open));
  const messages = new Map(rows.map((row) => [recipientName(row), row]));
  return open.flatMap((row, i) => {
    const message = messages.get(recipientName(row));
    const result = i < pending.length ? "pending" : "unknown";
    return message === undefined ? [] : [{ ...entryOf(row, message, states.get(recipientName(row))), result }];
  });
}

/** `newest`: undefined before the first attempt. */
function entryOf(
  { domain, attempts, dueMs }: OpenRow,
  { email, messageId, createdAtMs, deadlineMs, test }: MessageRow,
  newest: NewestState | undefined,
): Omit<QueueEntry, "result"> {
  const { reason = null, category = null, smtp = null } = newest ?? {};
  return {
    ...{ messageId, email, domain, reason, category, attempts, createdAtMs, test },
    ...dueOf(dueMs, deadlineMs),
    smtp: smtp === null ? null : shortenedReply(smtp, LISTED_LENGTH_MAX),
  };
}
