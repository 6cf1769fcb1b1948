/**
 * Parameters in conditions of statements that run for each message. SQLite plans a statement again at each run in which a bound parameter
 * meets its statistics, the condition of a partial index or, from 3.54 on, a column that joins tables, which costs more than the statement. It
 * knows nothing of an expression.
 */

/** A parameter for a column of text. */
export const TEXT = "(? || '')";

/** A parameter for a column of numbers. */
export const NUMBER = "(? + 0)";
