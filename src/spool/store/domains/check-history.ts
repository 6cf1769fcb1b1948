/** The history of the checks of bound domains and of their return paths: bounded for each name that an account has bound. */
import type { Session } from "../../engine/session.ts";
import { statement } from "../../engine/statement.ts";
import type { CheckChange } from "../../port/domains.ts";
import { CHANGES_KEPT } from "../../records/stored-checks.ts";

const newest = statement<CheckChange>(
  `SELECT check_name AS "check", state, detail, at_ms AS "atMs" FROM check_changes
     WHERE account_id = $1 AND domain = $2 ORDER BY number DESC LIMIT $3`,
);

// The checks are worth more than their history.
const ifDamaged = "the history of domains' checks";
const add = statement(
  "INSERT INTO check_changes (account_id, domain, check_name, state, detail, at_ms) VALUES ($1, $2, $3, $4, $5, $6)",
  { ifDamaged },
);
const sweep = statement(
  `DELETE FROM check_changes WHERE account_id = $1 AND domain = $2 AND number <=
     (SELECT number FROM check_changes WHERE account_id = $1 AND domain = $2 ORDER BY number DESC
        LIMIT 1 OFFSET ${CHANGES_KEPT})`,
  { ifDamaged },
);

/** Adds changes in their order. */
export async function addToHistory(
  session: Session,
  { accountId, name }: { accountId: string; name: string },
  changes: readonly CheckChange[],
): Promise<void> {
  for (const { check, state, detail, atMs } of changes) {
    await session.run(add, [accountId, name, check, state, detail, atMs]);
  }
  if (changes.length > 0) await session.run(sweep, [accountId, name]);
}

export const checkHistoryOperations = {
  reads: {
    checkHistory: async (session: Session, accountId: string, name: string, limit: number) =>
      (await session.run(newest, [accountId, name, limit])).rows,
  },
  writes: {},
};
