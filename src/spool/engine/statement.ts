/**
 * Statements in the SQL that both databases run: `$1` parameters, ON CONFLICT, RETURNING, IS DISTINCT FROM, CAST, and columns named as
 * `AS "camelCase"`. A row lock (FOR UPDATE, or FOR UPDATE SKIP LOCKED) takes effect only on PostgreSQL: SQLite has one writer.
 */
import { createHash } from "node:crypto";

export interface StatementOptions {
  /** Columns that SQLite stores as 0 or 1. */
  booleans?: readonly string[];
  /** The text for PostgreSQL, where the two must differ; the reason stands beside it. */
  postgres?: string;
  /**
   * Set if the statement is worth less than its operation: the part of the file that it needs, as damage of it is reported. SQLite leaves
   * the statement out while that part is damaged, as if there were no rows.
   */
  ifDamaged?: string;
}

/** A statement whose rows have the shape Row. */
export interface Statement<Row = unknown> {
  readonly text: string;
  /** The text for PostgreSQL, and its name there: PostgreSQL parses a named statement once for each connection. */
  readonly postgres: { readonly name: string; readonly text: string };
  readonly booleans: readonly string[];
  readonly ifDamaged: string | null;
  /** Not present at run time: only the type of the rows. */
  readonly row?: Row;
}

const all: Statement[] = [];

/** Returns a text with its name: the same text has the same name, and no two texts have one name. */
export const named = (text: string): { name: string; text: string } => ({
  name: createHash("sha256").update(text).digest("base64url").slice(0, 20),
  text,
});

const ROW_LOCK = / FOR UPDATE( SKIP LOCKED)?/g;

/** Returns a text as SQLite runs it. */
export const withoutRowLocks = (text: string): string => text.replace(ROW_LOCK, "");

/** Describes a statement; to be called once for each, when a module is loaded. */
export function statement<Row = unknown>(text: string, options: StatementOptions = {}): Statement<Row> {
  const { booleans = [], postgres = text, ifDamaged = null } = options;
  const described: Statement<Row> = { text: withoutRowLocks(text), postgres: named(postgres), booleans, ifDamaged };
  all.push(described);
  return described;
}

/** Every statement that was described by now. */
export const statements = (): readonly Statement[] => all;
