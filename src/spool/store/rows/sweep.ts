/** Statements that remove rows, without waiting for another node that uses some of them at this moment: those are left to it. */
import { type Statement, type StatementOptions, statement } from "../../engine/statement.ts";

/** Describes the removal of the rows that meet a condition; `key` has the columns of the primary key. */
export const sweepOf = (
  table: string,
  key: string,
  condition: string,
  options: Pick<StatementOptions, "ifDamaged"> = {},
): Statement =>
  statement(
    `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE ${condition} FOR UPDATE SKIP LOCKED)`,
    options,
  );
