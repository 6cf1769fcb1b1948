/**
 * Statements about many rows. The databases have no list of values in common, so each number of rows has its own statement, up to a
 * limit; more rows take several statements.
 */
import type { Session } from "../../engine/session.ts";
import { type Statement, type StatementOptions, statement } from "../../engine/statement.ts";

const ROWS_MAX = 16;

/** By the number of rows, from 1. */
export type StatementOfRows<Row = unknown> = readonly Statement<Row>[];

/** Describes a statement whose text, for a number of rows, is that of `textFor`. */
export const statementOfRows = <Row>(
  textFor: (rowCount: number) => string,
  options?: StatementOptions,
): StatementOfRows<Row> => Array.from({ length: ROWS_MAX }, (_, i) => statement<Row>(textFor(i + 1), options));

/** Returns the parameters of rows for VALUES: each row begins with `$1`, and has `width` further parameters. */
export const rowParameters = (rowCount: number, width: number): string =>
  Array.from({ length: rowCount }, (_, row) => {
    const own = Array.from({ length: width }, (_, i) => `$${2 + row * width + i}`);
    return `($1, ${own.join(", ")})`;
  }).join(", ");

/** Returns the parameters of single values for IN, after `$1`. */
export const valueParameters = (count: number): string =>
  Array.from({ length: count }, (_, i) => `$${2 + i}`).join(", ");

/** Runs a statement for all rows, each an array of its values. `shared` is the value of `$1`. */
export async function runForRows<Row>(
  session: Session,
  statements: StatementOfRows<Row>,
  { shared, rows }: { shared: unknown; rows: readonly (readonly unknown[])[] },
): Promise<Row[]> {
  const found: Row[] = [];
  for (let from = 0; from < rows.length; from += ROWS_MAX) {
    const some = rows.slice(from, from + ROWS_MAX);
    const query = statements[some.length - 1];
    if (query === undefined) throw new Error(`no statement has ${some.length} rows`);
    found.push(...(await session.run(query, [shared, ...some.flat()])).rows);
  }
  return found;
}
