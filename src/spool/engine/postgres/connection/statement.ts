/**
 * Statements by name. PostgreSQL parses a prepared one once for each connection.
 */
import type { QueryResultRow } from "pg";
import { named } from "../../statement.ts";

/** A statement whose rows have the shape Row. Parameters are `$1`, `$2`, … */
export interface Statement<Row extends QueryResultRow = QueryResultRow> {
  /** As `named` makes it; empty for a statement that is not prepared. */
  readonly name: string;
  readonly text: string;
  /** Not present at run time: only the type of the rows. */
  readonly row?: Row;
}

/** Describes a statement; to be called once for each, when a module is loaded. */
export const statement = <Row extends QueryResultRow = QueryResultRow>(text: string): Statement<Row> => named(text);

/** A statement that is not prepared: it runs once, or is planned for its parameters. */
export const unprepared = <Row extends QueryResultRow = QueryResultRow>(text: string): Statement<Row> => ({
  name: "",
  text,
});

/** What a statement did. */
export interface Result<Row> {
  rows: Row[];
  /** The number of rows that an INSERT, UPDATE or DELETE changed, or that a SELECT returned. */
  count: number;
}

/** Runs statements one after the other, in a transaction or each in its own. */
export interface Session {
  run<Row extends QueryResultRow>(query: Statement<Row>, values?: readonly unknown[]): Promise<Result<Row>>;
}
