/**
 * Runs the store's operations: a write in a transaction, each statement of a read separately, and each of a report when it is the report's
 * turn.
 */
import type { Operation, Runner } from "../../operations.ts";
import { accountOf } from "../../operations.ts";
import { ReportQueue } from "../reports/report-queue.ts";
import type { Database } from "./database.ts";
import { type Effects, PostgresSession } from "./postgres-session.ts";

export interface RunnerParts {
  reports?: ReportQueue;
  /** Called with the effects of each write after its commit. */
  committed?: (effects: Effects) => void;
}

export function postgresRunner(
  database: Database,
  { reports = new ReportQueue(database), committed = () => {} }: RunnerParts = {},
): Runner {
  const reading = new PostgresSession(database);
  const run = (operation: Operation, session: PostgresSession, args: unknown[]) =>
    (operation as Operation<unknown[]>)(session, ...args);
  return {
    read: (_name, operation, args) => run(operation, reading, args),
    async write(_name, operation, args) {
      const { value, effects } = await database.transaction(async (connection) => {
        const session = new PostgresSession(connection);
        return { value: await run(operation, session, args), effects: session.effects };
      });
      committed(effects);
      return value;
    },
    report: (_name, operation, args) =>
      reports.run(accountOf(args), (read) =>
        run(operation, new PostgresSession({ run: (...query) => read((session) => session.run(...query)) }), args),
      ),
  };
}
