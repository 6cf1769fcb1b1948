/** Reads messages as a list or an export shows them. */
import type { Result } from "../../../../message/result/outcome.ts";
import { UNKNOWN_REASONS } from "../../../../message/result/reasons.ts";
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
import { type Session, unprepared } from "../connection/statement.ts";

interface FoundRow extends Omit<FoundMessage, "tags" | "results" | "feedback" | "obstacle"> {
  tags: string | null;
  delivered: number;
  failed: number;
  unknown: number;
  kinds: FeedbackKind[];
  obstacleAt: string | null;
  obstacleReason: string;
  obstacleCategory: Obstacle["category"];
  obstacleSmtp: string | null;
  obstacleEntries: string[] | null;
}

const MAY_BE_DELIVERED = UNKNOWN_REASONS.map((reason) => `'${reason}'`).join(", ");

const OF_MESSAGE = "seq = f.seq AND seq >= $2 AND seq <= $3";

const MESSAGE = `id, created_at_ms AS "createdAtMs", sender AS "from", ${shortened("subject")} AS subject,
  ${shortened("message_id")} AS "messageId", key_id AS "keyId", tags, test`;

// Not prepared, as the statements of a search: it is planned for the partitions of its messages.
const findMessages = unprepared<FoundRow>(
  `SELECT m.*, r.*, s.*, b.*, o.*
     FROM unnest($1::bigint[]) WITH ORDINALITY AS f (seq, place)
     CROSS JOIN LATERAL (SELECT ${MESSAGE} FROM messages WHERE ${OF_MESSAGE} OFFSET 0) AS m
     CROSS JOIN LATERAL (
       SELECT count(*) AS recipients, coalesce(min(email) FILTER (WHERE position = 0), '') AS "to"
         FROM recipients WHERE ${OF_MESSAGE}
     ) AS r
     CROSS JOIN LATERAL (
       SELECT count(*) FILTER (WHERE result = 'delivered') AS delivered, count(*) FILTER (WHERE result = 'failed') AS failed,
              count(*) FILTER (WHERE result = 'unknown') AS unknown,
              coalesce(array_agg(DISTINCT category ORDER BY category) FILTER (WHERE category IS NOT NULL), '{}') AS categories,
              (array_agg(number ORDER BY result = $4::text DESC NULLS LAST, category = $5::text DESC NULLS LAST, result = 'failed' DESC,
                 result = 'unknown' DESC, position)
                FILTER (WHERE result <> 'delivered' AND reason IS NOT NULL))[1] AS obstacle
         FROM (
           SELECT DISTINCT ON (position) position, number, result, reason, category FROM events
             WHERE ${OF_MESSAGE} AND position IS NOT NULL ORDER BY position, number DESC
         ) AS newest
     ) AS s
     CROSS JOIN LATERAL (
       SELECT coalesce(array_agg(DISTINCT kind), '{}') AS kinds FROM feedback WHERE ${OF_MESSAGE}
     ) AS b
     LEFT JOIN LATERAL (
       SELECT e.reason AS "obstacleReason", e.category AS "obstacleCategory", e.smtp AS "obstacleSmtp",
              (SELECT email FROM recipients WHERE ${OF_MESSAGE} AND position = e.position) AS "obstacleAt",
              CASE WHEN e.reason IN (${MAY_BE_DELIVERED}) THEN ARRAY(
                SELECT CASE WHEN octet_length(history) <= ${ENTRY_BYTES_MAX} THEN history ELSE '' END FROM events
                  WHERE ${OF_MESSAGE} AND position = e.position
                    AND strpos(left(history, ${ENTRY_HEAD_LENGTH}), ${reasonSql("e.reason")}) > 0
                  ORDER BY number DESC LIMIT ${ENTRIES_MAX}
              ) END AS "obstacleEntries"
         FROM events e WHERE ${OF_MESSAGE} AND number = s.obstacle
     ) AS o ON true
     ORDER BY f.place`,
);

// As messages' own report of its recipients, of several messages.
const findRecipientsOf = unprepared<Omit<FoundRecipient, "smtp"> & { place: number; smtp: string | null }>(
  `SELECT f.place, r.email, r.field, CASE WHEN w.seq IS NOT NULL THEN 'pending' WHEN u.seq IS NOT NULL THEN 'unknown'
                             ELSE coalesce(e.result, 'unknown') END AS result,
          e.reason, e.category, coalesce(w.attempts, u.attempts, e.attempts, 0) AS attempts,
          coalesce(e.at_ms, m.created_at_ms) AS "updatedAtMs", e.smtp
     FROM unnest($1::bigint[]) WITH ORDINALITY AS f (seq, place)
     CROSS JOIN LATERAL (SELECT created_at_ms FROM messages WHERE ${OF_MESSAGE} OFFSET 0) AS m
     CROSS JOIN LATERAL (
       SELECT position, email, coalesce(field, 'to') AS field FROM recipients WHERE ${OF_MESSAGE} OFFSET 0
     ) AS r
     LEFT JOIN LATERAL (SELECT seq, attempts FROM work WHERE seq = f.seq AND position = r.position OFFSET 0) AS w ON true
     LEFT JOIN LATERAL (
       SELECT seq, attempts FROM unknown_recipients WHERE seq = f.seq AND position = r.position OFFSET 0
     ) AS u ON true
     LEFT JOIN LATERAL (
       SELECT at_ms, result, reason, category, attempts, smtp FROM events
         WHERE ${OF_MESSAGE} AND position = r.position ORDER BY number DESC LIMIT 1
     ) AS e ON true
     ORDER BY f.place, r.position`,
);

interface ActedRow extends Pick<FoundRecipient, "email" | "reason" | "category" | "updatedAtMs"> {
  seq: number;
  id: string;
  createdAtMs: number;
  /** Null, like the members of FoundRecipient, for a message without a recipient of the result. */
  position: number | null;
}

/** The message's recipients with this result, each with the time, reason and category of its last event. */
const recipientsWith = (result: Result): string => {
  const newest = (position: string): string =>
    `SELECT DISTINCT ON (position) position, at_ms, result, reason, category FROM events
       WHERE ${OF_MESSAGE} AND ${position} ORDER BY position, number DESC`;
  const table = { pending: "work", unknown: "unknown_recipients" }[result as string];
  return table === undefined
    ? `SELECT * FROM (${newest("position IS NOT NULL")}) AS e WHERE result = '${result}'`
    : `SELECT w.position, e.at_ms, e.reason, e.category FROM ${table} AS w
         LEFT JOIN LATERAL (${newest("position = w.position")}) AS e ON true WHERE w.seq = f.seq`;
};

const hasAddress = ({ recipient, recipientIs }: ActedFilter): boolean => (recipient ?? recipientIs) !== undefined;

/** The addresses are read only for a filter that needs them. */
const findActed = (filter: ActedFilter) =>
  unprepared<ActedRow>(
    `SELECT f.seq, m.id, m."createdAtMs", p.position, ${hasAddress(filter) ? "r.email" : "''"} AS email, p.reason, p.category,
            coalesce(p.at_ms, m."createdAtMs") AS "updatedAtMs"
       FROM unnest($1::bigint[]) WITH ORDINALITY AS f (seq, place)
       CROSS JOIN LATERAL (SELECT id, created_at_ms AS "createdAtMs" FROM messages WHERE ${OF_MESSAGE} OFFSET 0) AS m
       LEFT JOIN LATERAL (${recipientsWith(filter.result)} OFFSET 0) AS p ON true
       ${hasAddress(filter) ? `LEFT JOIN LATERAL (SELECT email FROM recipients WHERE ${OF_MESSAGE} AND position = p.position OFFSET 0) AS r ON true` : ""}
       WHERE ${isInQueueSql("f.seq")} ORDER BY f.place, p.position`,
  );

/** The addresses of all recipients of the messages, whatever their result: one scan takes less than a look-up for each. */
const findAddresses = unprepared<{ seq: number; position: number; email: string }>(
  "SELECT seq, position, email FROM recipients WHERE seq = ANY ($1::bigint[]) AND seq >= $2 AND seq <= $3",
);

const findListed = unprepared<Omit<MessageRecipients, "tags" | "recipients"> & { place: number; tags: string | null }>(
  `SELECT f.place, m.* FROM unnest($1::bigint[]) WITH ORDINALITY AS f (seq, place)
     CROSS JOIN LATERAL (SELECT ${MESSAGE} FROM messages WHERE ${OF_MESSAGE} OFFSET 0) AS m ORDER BY f.place`,
);

/** Returns the messages with these numbers, in this order; without those that are gone. */
export async function readFound(
  session: Session,
  seqs: readonly number[],
  { result, category }: RecipientFilter,
): Promise<FoundMessage[]> {
  if (seqs.length === 0) return [];
  const { rows } = await session.run(findMessages, [...rangeOf(seqs), result ?? null, category ?? null]);
  return rows.map(foundMessage);
}

/** As `readFound`, with the recipients that the filter selects. */
export async function readRecipients(
  session: Session,
  seqs: readonly number[],
  filter: RecipientFilter,
): Promise<MessageRecipients[]> {
  if (seqs.length === 0) return [];
  const messages = (await session.run(findListed, rangeOf(seqs))).rows;
  const byPlace = new Map<number, FoundRecipient[]>(messages.map(({ place }) => [place, []]));
  for (const { place, smtp, ...recipient } of (await session.run(findRecipientsOf, rangeOf(seqs))).rows) {
    if (!isSelected(recipient, filter)) continue;
    byPlace.get(place)?.push({ ...recipient, smtp: storedReply(smtp, LISTED_LENGTH_MAX) });
  }
  return messages.map(({ place, tags, ...message }) => ({
    ...message,
    tags: tagsOf(tags),
    recipients: byPlace.get(place) ?? [],
  }));
}

/** Messages that one statement reads for an action, so that none takes as long as a statement may. */
const ACTED_AT_ONCE = 2000;

/** Returns the messages with these numbers, in this order, each with the recipients that the filter selects. */
export async function readActed(
  session: Session,
  seqs: readonly number[],
  filter: ActedFilter,
): Promise<ActedMessage[]> {
  const { result, withDomains = false } = filter;
  const messages = new Map<string, ActedMessage>();
  for (let from = 0; from < seqs.length; from += ACTED_AT_ONCE) {
    const range = rangeOf(seqs.slice(from, from + ACTED_AT_ONCE));
    const { rows } = await session.run(findActed(filter), range);
    const domainOf = withDomains ? await domainsOf(session, range) : undefined;
    for (const { seq, id, createdAtMs, position, ...row } of rows) {
      const message = messages.get(id) ?? { id, createdAtMs, positions: [], ...(withDomains ? { domains: [] } : {}) };
      messages.set(id, message);
      if (position === null || !isActed({ ...row, result }, filter)) continue;
      message.positions.push(position);
      message.domains?.push(domainOf?.(seq, position) ?? "");
    }
  }
  return [...messages.values()];
}

/** Returns a function that returns the domain of a recipient of these messages. */
async function domainsOf(
  session: Session,
  range: ReturnType<typeof rangeOf>,
): Promise<(seq: number, position: number) => string | undefined> {
  const domains = new Map<number, string[]>();
  for (const { seq, position, email } of (await session.run(findAddresses, range)).rows) {
    const own = domains.get(seq) ?? [];
    domains.set(seq, own);
    own[position] = shownDomain(email);
  }
  return (seq, position) => domains.get(seq)?.[position];
}

const rangeOf = (seqs: readonly number[]): [readonly number[], least: number, greatest: number] => [
  seqs,
  Math.min(...seqs),
  Math.max(...seqs),
];

function foundMessage(row: FoundRow): FoundMessage {
  const { delivered, failed, unknown, tags, kinds } = row;
  const { id, createdAtMs, from, subject, messageId, keyId, test, recipients, to, categories } = row;
  return {
    id,
    createdAtMs,
    from,
    subject,
    messageId,
    keyId,
    tags: tagsOf(tags),
    test,
    recipients,
    to,
    categories,
    results: { delivered, failed, unknown, pending: recipients - delivered - failed - unknown },
    ...listedFeedback(kinds),
    ...obstacleOf(row),
  };
}

function obstacleOf(row: FoundRow): Pick<FoundMessage, "obstacle"> {
  const { obstacleAt: email, obstacleReason: reason, obstacleCategory: category, obstacleSmtp } = row;
  if (email === null) return {};
  const smtp = storedReply(obstacleSmtp, LISTED_LENGTH_MAX);
  return { obstacle: { email, reason, category, smtp, ...obstacleAttempt(row.obstacleEntries ?? [], reason) } };
}
