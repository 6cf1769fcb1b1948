/**
 * Types of columns by PostgreSQL's names. SQLite stores a bool as 0 or 1. A timestamptz is given in milliseconds since the epoch.
 * With `?`, values may be NULL.
 */
export type ColumnType = `${"text" | "bytea" | "int" | "bigint" | "bool" | "timestamptz"}${"" | "?"}`;

export type Columns = Readonly<Record<string, ColumnType>>;

/** A stored row, by the names of its columns. */
export type Row = Readonly<Record<string, unknown>>;
