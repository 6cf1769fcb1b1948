/**
 * Rows as one parameter of a statement. `json_each($1)` returns them: `key` is the position of a row, and `value ->> 'name'` one of its
 * values.
 */

/** Strings are without what PostgreSQL's json cannot contain: U+0000 and lone surrogates become U+FFFD. */
export const jsonRows = (rows: readonly object[]): string =>
  JSON.stringify({ ...rows }, (_name, value: unknown) =>
    typeof value === "string" ? value.toWellFormed().replaceAll("\0", "\uFFFD") : value,
  );
