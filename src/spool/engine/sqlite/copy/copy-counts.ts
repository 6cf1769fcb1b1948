/** Counts what a copy has to write, under the names by which postgres/copy-counts.ts counts the target. */
import type { Database } from "better-sqlite3";
import { COPIED_TABLES, ENDPOINT_RETRIES, FEEDBACK, KEY_VALUES, QUARANTINED } from "../../../records/copied-tables.ts";
import { MASTER_KEY_ENTRY } from "../files/backup.ts";
import { PARTS_SPAN } from "../mail/content-parts.ts";
import type { CopyDamage } from "./copy-damage.ts";
import { readOrNull } from "./copy-messages.ts";

export interface SourceCount {
  /** Null if it cannot be read. */
  count: number | null;
  /** The tables that it depends on. */
  tables: readonly string[];
}

interface CountQuery {
  /** Each column is a count by its name. */
  sql: string;
  tables: readonly string[];
}

const ofState = (state: string, condition: string): string =>
  `count(*) FILTER (WHERE ${condition}) AS "recipients ${state}"`;

const STATES = [
  ofState("pending", "result = 'pending' AND mark IS NULL"),
  ofState("marked", "mark IS NOT NULL"),
  ...["delivered", "failed", "unknown"].map((result) => ofState(result, `result = '${result}'`)),
].join(", ");

/** `by` is added to each table that may have an index. */
const queriesBy = (by: string): CountQuery[] => [
  ...[...COPIED_TABLES, ENDPOINT_RETRIES, FEEDBACK, QUARANTINED].map(({ name, source, where }) => ({
    sql: `SELECT count(*) AS "${name}" FROM ${source} ${by}${where === undefined ? "" : ` WHERE ${where}`}`,
    tables: [source],
  })),
  {
    sql: `SELECT count(*) AS key_values FROM ${KEY_VALUES.source} WHERE name <> '${MASTER_KEY_ENTRY}'`,
    tables: [KEY_VALUES.source],
  },
  { sql: `SELECT count(*) AS messages FROM messages ${by}`, tables: ["messages"] },
  { sql: `SELECT coalesce(sum(size_bytes), 0) AS "message bytes" FROM messages`, tables: ["messages"] },
  { sql: "SELECT count(*) AS message_tags FROM message_tags", tables: ["message_tags", "messages"] },
  { sql: "SELECT count(*) AS contents FROM contents", tables: ["contents", "messages"] },
  {
    sql: `SELECT count(p.number) AS "content parts",
                 coalesce(sum(length(p.content)), 0) + (SELECT coalesce(sum(length(content)), 0) FROM contents) AS "content bytes"
            FROM contents c JOIN content_parts p ON p.number > c.tail * ${PARTS_SPAN} AND p.number < (c.tail + 1) * ${PARTS_SPAN}`,
    tables: ["contents", "messages"],
  },
  {
    sql: `SELECT count(*) AS recipients FROM recipients ${by}`,
    tables: ["recipients", "messages"],
  },
  {
    sql: `SELECT ${STATES} FROM recipient_states`,
    tables: ["recipients", "work", "unknown_recipients", "events", "messages"],
  },
  {
    sql: `SELECT count(history) AS "history entries", coalesce(sum(octet_length(history)), 0) AS "history bytes", count(type) AS events
            FROM events`,
    tables: ["events", "messages"],
  },
];

/** The second ones are for a file with a damaged index. */
const QUERIES = queriesBy("").map((query, i) => ({ ...query, withoutIndex: queriesBy("NOT INDEXED")[i]?.sql ?? "" }));

const EVENTS_BY_ACCOUNT = `
  SELECT account_id AS id, count(*) AS count FROM events WHERE type IS NOT NULL GROUP BY account_id ORDER BY account_id`;

/** The tables whose rows belong to a message. */
const OF_MESSAGES = [
  { table: "contents", where: "true" },
  { table: "recipients", where: "true" },
  { table: "work", where: "true" },
  { table: "unknown_recipients", where: "true" },
  { table: "events", where: "seq <> 0" },
  { table: "message_tags", where: "true" },
] as const;

/** Notes rows whose messages are missing, as a repair of the file may leave them. A copy leaves them out. */
export function noteOrphans(db: Database, damage: CopyDamage): void {
  for (const { table, where } of OF_MESSAGES) {
    const sql = `SELECT count(*) FROM ${table} AS own
                   WHERE ${where} AND NOT EXISTS (SELECT 1 FROM messages WHERE messages.seq = own.seq)`;
    const count = readOrNull(() => db.prepare<[], number>(sql).pluck().get()) ?? 0;
    if (count > 0)
      damage.note(table, { place: `${count} rows of the table ${table}`, error: "their messages are missing" });
  }
}

export function countSource(db: Database): Map<string, SourceCount> {
  const counts = new Map<string, SourceCount>();
  for (const { sql, withoutIndex, tables } of QUERIES) {
    const query = db.prepare<[], Record<string, number>>(sql);
    const row =
      readOrNull(() => query.get()) ?? readOrNull(() => db.prepare<[], Record<string, number>>(withoutIndex).get());
    for (const { name } of query.columns()) counts.set(name, { count: row?.[name] ?? null, tables });
  }
  const accounts = db.prepare<[], { id: string; count: number }>(EVENTS_BY_ACCOUNT);
  for (const { id, count } of readOrNull(() => accounts.all()) ?? []) {
    counts.set(`events of ${id}`, { count, tables: ["events", "messages"] });
  }
  return counts;
}
