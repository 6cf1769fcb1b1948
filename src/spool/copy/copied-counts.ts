/** Counts what a copy had to write and what it has written, and compares both. */

import type { Database } from "better-sqlite3";
import { MASTER_KEY_ENTRY as KEY_ENTRY_OF_DATABASE } from "../engine/postgres/connection/server-checks.ts";
import { type Session, unprepared } from "../engine/postgres/connection/statement.ts";
import { MASTER_KEY_ENTRY } from "../engine/sqlite/files/backup.ts";
import { readable } from "../engine/sqlite/files/damage.ts";
import { PARTS_SPAN } from "../engine/sqlite/mail/content-parts.ts";
import type { CopiedCount } from "../port/spool-copy.ts";
import { type CopiedTable, OF_MESSAGES } from "./copied-tables.ts";
import type { CopyDamage } from "./copy-damage.ts";

interface CountQuery {
  /** Each column is a count by its name. */
  sql: string;
  /** The statement for the target, if it is another. */
  target?: string;
  /** The tables of the source that it depends on. */
  tables: readonly string[];
}

const sum = (value: string, name: string): string => `CAST(coalesce(sum(${value}), 0) AS bigint) AS "${name}"`;
const filtered = (condition: string, name: string): string => `count(*) FILTER (WHERE ${condition}) AS "${name}"`;
const result = (name: string): string => filtered(`result = '${name}'`, `recipients ${name}`);

const OF_MAIL: readonly CountQuery[] = [
  { sql: `SELECT count(*) AS messages, ${sum("size_bytes", "message bytes")} FROM messages`, tables: ["messages"] },
  { sql: "SELECT count(*) AS message_tags FROM message_tags", tables: ["message_tags", "messages"] },
  {
    sql: "SELECT count(*) AS contents FROM contents",
    target: "SELECT count(*) AS contents FROM contents WHERE part = 0",
    tables: ["contents", "messages"],
  },
  {
    sql: `SELECT count(p.number) AS "content parts",
                 coalesce(sum(length(p.content)), 0) + (SELECT coalesce(sum(length(content)), 0) FROM contents) AS "content bytes"
            FROM contents c JOIN content_parts p ON p.number > c.tail * ${PARTS_SPAN} AND p.number < (c.tail + 1) * ${PARTS_SPAN}`,
    target: `SELECT ${filtered("part > 0", "content parts")}, ${sum("octet_length(content)", "content bytes")} FROM contents`,
    tables: ["contents", "messages"],
  },
  { sql: "SELECT count(*) AS recipients FROM recipients", tables: ["recipients", "messages"] },
  {
    sql: `SELECT ${filtered("mark IS NULL", "recipients pending")}, ${filtered("mark IS NOT NULL", "recipients marked")} FROM work`,
    tables: ["recipients", "work", "messages"],
  },
  {
    sql: `SELECT ${["unknown", "delivered", "failed"].map(result).join(", ")} FROM recipient_states`,
    target: `SELECT (SELECT count(*) FROM unknown_recipients) AS "recipients unknown", ${["delivered", "failed"].map(result).join(", ")}
               FROM (SELECT DISTINCT ON (seq, position) seq, position, result FROM events
                       WHERE position IS NOT NULL ORDER BY seq, position, number DESC) AS newest
               WHERE NOT EXISTS (SELECT FROM work w WHERE w.seq = newest.seq AND w.position = newest.position)
                 AND NOT EXISTS (SELECT FROM unknown_recipients u WHERE u.seq = newest.seq AND u.position = newest.position)`,
    tables: ["recipients", "work", "unknown_recipients", "events", "messages"],
  },
  {
    sql: `SELECT count(history) AS "history entries", ${sum("octet_length(history)", "history bytes")}, count(type) AS events FROM events`,
    tables: ["events", "messages"],
  },
  {
    sql: `SELECT count(*) AS key_values FROM key_values WHERE name <> '${MASTER_KEY_ENTRY}'`,
    target: `SELECT (SELECT count(*) FROM key_values WHERE name <> '${KEY_ENTRY_OF_DATABASE}') + (SELECT count(*) FROM node_values) AS key_values`,
    tables: ["key_values"],
  },
];

const EVENTS_BY_ACCOUNT = `
  SELECT account_id AS id, count(*) AS count FROM events WHERE type IS NOT NULL GROUP BY account_id ORDER BY account_id`;

const queriesOf = (tables: readonly CopiedTable[]): CountQuery[] => [
  ...tables.map(({ name, where }) => ({
    sql: `SELECT count(*) AS "${name}" FROM ${name} WHERE ${where}`,
    target: `SELECT count(*) AS "${name}" FROM ${name}`,
    tables: [name],
  })),
  ...OF_MAIL,
];

type Counts = Map<string, number>;

const eventsOf = (account: string): string => `events of ${account}`;

/** Counts the target by the names of the counts. */
async function countTarget(session: Session, queries: readonly CountQuery[]): Promise<Counts> {
  const counts: Counts = new Map();
  for (const { sql, target = sql } of queries) {
    const { rows } = await session.run(unprepared<Record<string, number>>(target));
    for (const [name, count] of Object.entries(rows[0] ?? {})) counts.set(name, count);
  }
  const accounts = await session.run(unprepared<{ id: string; count: number }>(EVENTS_BY_ACCOUNT));
  for (const { id, count } of accounts.rows) counts.set(eventsOf(id), count);
  return counts;
}

export interface ComparedParts {
  db: Database;
  session: Session;
  damage: CopyDamage;
  /** Those that are copied row by row. */
  tables: readonly CopiedTable[];
  /** What the copy has added, by the name of the count. */
  added: Readonly<Record<string, number>>;
}

/** Counts both sides. A count differs only if everything that it depends on could be read. */
export async function compareCounts({ db, session, damage, tables, added }: ComparedParts): Promise<CopiedCount[]> {
  const queries = queriesOf(tables);
  const target = await countTarget(session, queries);
  const compare = (): CopiedCount[] => comparedWith(target, { db, damage, queries, added });
  const counts = compare();
  if (!counts.some(({ differs }) => differs)) return counts;
  noteOrphans(db, damage);
  return compare();
}

function comparedWith(
  target: Counts,
  { db, damage, queries, added }: Pick<ComparedParts, "db" | "damage" | "added"> & { queries: readonly CountQuery[] },
): CopiedCount[] {
  const isDamaged = (tables: readonly string[]): boolean => tables.some((table) => damage.concerns(table));
  const counts: CopiedCount[] = [];
  const add = (name: string, count: number | null, tables: readonly string[]): void => {
    const source = count === null ? null : count + (added[name] ?? 0);
    const copied = target.get(name) ?? 0;
    counts.push({
      name,
      source,
      target: copied,
      differs: source !== null && !isDamaged(tables) && source !== copied,
    });
  };
  for (const { sql, tables } of queries) {
    const query = db.prepare<[], Record<string, number>>(sql);
    const row = readable(() => query.get()) ?? readable(() => withoutIndex(db, sql).get());
    for (const { name } of query.columns()) add(name, row?.[name] ?? null, tables);
  }
  const accounts = readable(() => db.prepare<[], { id: string; count: number }>(EVENTS_BY_ACCOUNT).all()) ?? [];
  for (const { id, count } of accounts) add(eventsOf(id), count, ["events", "messages"]);
  // Accounts with events only in the target: in the source there are none, or they cannot be counted.
  const known = new Set(counts.map(({ name }) => name));
  for (const name of target.keys()) if (!known.has(name)) add(name, isDamaged(["events"]) ? null : 0, ["events"]);
  return counts;
}

/** For a file with a damaged index. */
const withoutIndex = (db: Database, sql: string) =>
  db.prepare<[], Record<string, number>>(sql.replace(/ FROM (?!recipient_states\b)(\w+)/, " FROM $1 NOT INDEXED"));

/** Notes rows whose messages are missing, as a repair of the file may leave them. A copy leaves them out. */
function noteOrphans(db: Database, damage: CopyDamage): void {
  for (const table of OF_MESSAGES.filter((name) => name !== "messages")) {
    const sql = `SELECT count(*) FROM ${table} AS own
                   WHERE seq <> 0 AND NOT EXISTS (SELECT 1 FROM messages WHERE messages.seq = own.seq)`;
    const count = readable(() => db.prepare<[], number>(sql).pluck().get()) ?? 0;
    if (count > 0)
      damage.note(table, { place: `${count} rows of the table ${table}`, error: "their messages are missing" });
  }
}
