/** Lists the undelivered recipients of an account, in one snapshot. */
import type { QueueEntry, QueueFilter } from "../../../port/results.ts";
import { isInQueueSql } from "../../../records/quarantined.ts";
import { dueOf } from "../../../records/stored-due.ts";
import { LISTED_LENGTH_MAX, shortenedReply } from "../../../records/stored-reply.ts";
import { isLiveSql } from "../../../records/test-routes.ts";
import type { RecipientKey } from "../../session.ts";
import type { Database } from "../connection/database.ts";
import { type Session, statement } from "../connection/statement.ts";
import { keyColumns, type NewestState, newestStates, recipientName } from "./recipient-states.ts";

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
         AND ($3::boolean IS NULL OR (${isLiveSql("domain")}) <> $3) AND ${isInQueueSql("seq")}`;

const WORK_COLUMNS = `seq, position, domain, attempts, CASE WHEN mark IS NULL THEN due_ms END AS "dueMs"`;

// By an index of those in an attempt. Marked recipients first: they are at their final dot.
const findLeased = statement<OpenRow>(
  `SELECT ${WORK_COLUMNS} FROM work WHERE owner IS NOT NULL AND ${SELECTED}
     ORDER BY mark IS NULL, due_ms, seq, position LIMIT $4`,
);

// In the order of an index of what is due, of all domains or of one: the first rows are read, however many wait. Of rows that are due
// at the same time, as after a retry of them all, an order by number would read and sort every one.
const waitingOf = (domain: string, order: string) =>
  statement<OpenRow>(
    `SELECT ${WORK_COLUMNS} FROM work WHERE owner IS NULL AND ${domain} AND ${SELECTED} ORDER BY ${order} LIMIT $4`,
  );
const findWaiting = waitingOf("$2::text IS NULL", "due_ms");
const findWaitingAtDomain = waitingOf("domain = $2::text", "due_ms, seq, position");

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
  const pending = result === "unknown" ? [] : await readPending(session, [...values, limit]);
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

/** The marked recipients, then all others by their due time. The last value is the limit. */
async function readPending(session: Session, values: [...unknown[], limit: number]): Promise<OpenRow[]> {
  const leased = (await session.run(findLeased, values)).rows;
  const { rows } = await session.run(values[1] === null ? findWaiting : findWaitingAtDomain, values);
  const inOrder = [...leased, ...rows].sort(
    (a, b) => (a.dueMs ?? 0) - (b.dueMs ?? 0) || a.seq - b.seq || a.position - b.position,
  );
  return inOrder.slice(0, values.at(-1) as number);
}

/** `newest`: undefined before the first attempt. */
function entryOf(
  { domain, attempts, dueMs }: OpenRow,
  { email, messageId, createdAtMs, deadlineMs, test }: MessageRow,
  newest: NewestState | undefined,
): Omit<QueueEntry, "result"> {
  const { reason = null, category = null, smtp = null } = newest ?? {};
  return {
    messageId,
    email,
    domain,
    reason,
    category,
    attempts,
    createdAtMs,
    test,
    ...dueOf(dueMs, deadlineMs),
    smtp: smtp === null ? null : shortenedReply(smtp, LISTED_LENGTH_MAX),
  };
}
