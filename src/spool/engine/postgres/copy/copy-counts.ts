/** Counts what a copy has written, under the names by which sqlite/copy-counts.ts counts the source. */
import { COPIED_TABLES, ENDPOINT_RETRIES, FEEDBACK, QUARANTINED } from "../../../records/copied-tables.ts";
import { MASTER_KEY_ENTRY } from "../connection/server-checks.ts";
import { type Session, unprepared } from "../connection/statement.ts";

const TABLES = [...COPIED_TABLES, ENDPOINT_RETRIES, FEEDBACK, QUARANTINED];

/** Each column is a count by its name. */
const COUNTS = [
  ...TABLES.map(({ name }) => `SELECT count(*) AS "${name}" FROM ${name}`),
  `SELECT (SELECT count(*) FROM key_values WHERE name <> '${MASTER_KEY_ENTRY}') + (SELECT count(*) FROM node_values) AS key_values`,
  `SELECT count(*) AS messages, coalesce(sum(size_bytes), 0)::bigint AS "message bytes" FROM messages`,
  "SELECT count(*) AS message_tags FROM message_tags",
  `SELECT count(*) FILTER (WHERE part = 0) AS contents, count(*) FILTER (WHERE part > 0) AS "content parts",
          coalesce(sum(octet_length(content)), 0)::bigint AS "content bytes" FROM contents`,
  "SELECT count(*) AS recipients FROM recipients",
  `SELECT count(*) FILTER (WHERE mark IS NULL) AS "recipients pending",
          count(*) FILTER (WHERE mark IS NOT NULL) AS "recipients marked" FROM work`,
  `SELECT count(*) AS "recipients unknown" FROM unknown_recipients`,
  `SELECT count(*) FILTER (WHERE result = 'delivered') AS "recipients delivered",
          count(*) FILTER (WHERE result = 'failed') AS "recipients failed"
     FROM (SELECT DISTINCT ON (seq, position) seq, position, result FROM events
             WHERE position IS NOT NULL ORDER BY seq, position, number DESC) AS newest
     WHERE NOT EXISTS (SELECT FROM work w WHERE w.seq = newest.seq AND w.position = newest.position)
       AND NOT EXISTS (SELECT FROM unknown_recipients u WHERE u.seq = newest.seq AND u.position = newest.position)`,
  `SELECT count(*) AS "history entries", coalesce(sum(octet_length(history)), 0)::bigint AS "history bytes" FROM events
     WHERE history IS NOT NULL`,
  `SELECT count(*) AS events FROM events WHERE type IS NOT NULL`,
];

const EVENTS_BY_ACCOUNT =
  "SELECT account_id AS id, count(*) AS count FROM events WHERE type IS NOT NULL GROUP BY account_id ORDER BY account_id";

export async function countCopied(session: Session): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const sql of COUNTS) {
    const [row = {}] = (await session.run(unprepared<Record<string, number>>(sql))).rows;
    for (const [name, count] of Object.entries(row)) counts.set(name, count);
  }
  const accounts = await session.run(unprepared<{ id: string; count: number }>(EVENTS_BY_ACCOUNT));
  for (const { id, count } of accounts.rows) counts.set(`events of ${id}`, count);
  return counts;
}
