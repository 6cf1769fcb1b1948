/** Statements of tests alone, which no test of the store's statements meets. */
import { named, type Statement } from "../../src/spool/engine/statement.ts";

export const unlistedStatement = <Row>(text: string, booleans: readonly string[] = []): Statement<Row> => ({
  text,
  postgres: named(text),
  booleans,
  ifDamaged: null,
});
