/**
 * Damages stored rows of undelivered messages, in each way that a claim, an attempt or a start can encounter. Every
 * damage can be repaired, as an operator would from a backup.
 */
import type { Database } from "better-sqlite3";
import Sqlite from "../src/spool/engine/sqlite/connection/driver.ts";
import type { Prng } from "./prng.ts";

export type DamagedTable = "messages" | "contents" | "content_parts" | "recipients" | "work" | "events";

interface Kind {
  table: DamagedTable;
  column: string;
  /** An SQL expression. */
  damaged: string;
}

/** Changes one byte of the text near the end; the length and the header fields stay the same. */
const CHANGED_BYTE = "CAST(substr(content, 1, length(content) - 4) || '~' || substr(content, -3) AS BLOB)";

const KINDS: readonly [Kind, ...Kind[]] = [
  { table: "messages", column: "sender", damaged: "'nobody'" },
  { table: "contents", column: "content", damaged: "substr(content, 2)" },
  { table: "contents", column: "content", damaged: CHANGED_BYTE },
  { table: "content_parts", column: "content", damaged: CHANGED_BYTE },
  { table: "recipients", column: "email", damaged: "'nobody'" },
  { table: "work", column: "mark", damaged: "iif(mark IS NULL, NULL, '{')" },
  { table: "events", column: "smtp", damaged: "iif(smtp IS NULL, NULL, '{')" },
];

/** How the rows of a message are selected, and told apart. */
const ROWS: Record<DamagedTable, { key: string; where: string }> = {
  messages: { key: "seq", where: "seq = ?" },
  contents: { key: "seq", where: "seq = ?" },
  content_parts: { key: "number", where: "number >> 10 = (SELECT tail FROM contents WHERE seq = ?)" },
  recipients: { key: "position", where: "seq = ?" },
  work: { key: "position", where: "seq = ?" },
  events: { key: "number", where: "seq = ?" },
};

/** A damaged row and how to restore its values. */
export interface Damaged {
  seq: number;
  /** The values before the damage. */
  content: string;
  emails: string[];
  repair(db: Database): void;
}

/** Bypasses the simulated disk, because the service does not cause the damage. */
const statement = (db: Database, sql: string) =>
  Sqlite.prototype.prepare.call(db, sql) as ReturnType<typeof db.prepare<unknown[], unknown>>;

const column = <T>(db: Database, sql: string, ...parameters: unknown[]): T[] =>
  statement(db, sql)
    .pluck()
    .all(...parameters) as T[];

/** Damages a row of an undelivered message, in one of these tables. Returns null if there is none, or if a transaction is open. */
export function damageRow(db: Database, prng: Prng, tables: readonly DamagedTable[] | null): Damaged | null {
  if (db.inTransaction) return null;
  const [first, ...others] = column<number>(
    db,
    `SELECT DISTINCT seq FROM work JOIN contents USING (seq) WHERE seq NOT IN (SELECT seq FROM quarantined) ORDER BY seq`,
  );
  if (first === undefined) return null;
  const picked = prng.pick([first, ...others]);
  const kind = prng.pick(kindsOf(tables));
  const seq = kind.table === "content_parts" ? withParts(db, [picked, first, ...others]) : picked;
  const content = Buffer.concat([
    ...column<Buffer>(db, "SELECT content FROM contents WHERE seq = ?", seq),
    ...column<Buffer>(db, `SELECT content FROM content_parts WHERE ${ROWS.content_parts.where} ORDER BY number`, seq),
  ]);
  const emails = column<string>(db, "SELECT email FROM recipients WHERE seq = ? ORDER BY position", seq);
  try {
    return { seq, content: content.toString("latin1"), emails, repair: applyDamage(db, seq, kind) };
  } catch (error) {
    // On a full disk, a row cannot grow.
    if ((error as { code?: string }).code === "SQLITE_FULL") return null;
    throw error;
  }
}

function kindsOf(tables: readonly DamagedTable[] | null): typeof KINDS {
  const [first, ...others] = KINDS.filter(({ table }) => tables?.includes(table) ?? true);
  return first === undefined ? KINDS : [first, ...others];
}

/** The first of these messages that has later parts of its content, as few have; else the first one. */
function withParts(db: Database, seqs: readonly [number, ...number[]]): number {
  const hasParts = statement(db, `SELECT 1 FROM content_parts WHERE ${ROWS.content_parts.where} LIMIT 1`);
  return seqs.find((seq) => hasParts.get(seq) !== undefined) ?? seqs[0];
}

/** Damages the column in the message's rows. Returns a function that restores the values. */
function applyDamage(db: Database, seq: number, { table, column: name, damaged }: Kind): Damaged["repair"] {
  const { key, where } = ROWS[table];
  const before = statement(db, `SELECT ${key} AS at, ${name} AS value FROM ${table} WHERE ${where}`).all(seq);
  statement(db, `UPDATE ${table} SET ${name} = ${damaged} WHERE ${where}`).run(seq);
  // Later replies and marks overwrite the damaged ones; those must stay.
  const only = ["smtp", "mark"].includes(name) ? `AND ${name} = '{'` : "";
  return (current) => {
    const put = statement(current, `UPDATE ${table} SET ${name} = ? WHERE ${where} AND ${key} = ? ${only}`);
    for (const { at, value } of before as { at: number; value: unknown }[]) put.run(value, seq, at);
  };
}
