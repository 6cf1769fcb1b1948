/** The history of the checks of bound domains and of their return paths: bounded for each name that an account has bound. */
import type { CheckChange } from "../port/domains.ts";
import { CHANGES_KEPT } from "../records/stored-checks.ts";
import { type Session, statement } from "./statement.ts";
import { storedText } from "./stored-text.ts";

const history = statement<CheckChange>(
  `SELECT check_name AS "check", state, detail, at_ms AS "atMs" FROM check_changes
     WHERE account_id = $1 AND domain = $2 ORDER BY number DESC LIMIT $3`,
);

const addChanges = statement(
  `INSERT INTO check_changes (account_id, domain, check_name, state, detail, at_ms)
     SELECT $1, $2, check_name, state, detail, at_ms
       FROM unnest($3::text[], $4::text[], $5::text[], $6::bigint[]) WITH ORDINALITY
         AS changes (check_name, state, detail, at_ms, place) ORDER BY place`,
);
const sweepChanges = statement(
  `DELETE FROM check_changes WHERE account_id = $1 AND domain = $2 AND number <=
     (SELECT number FROM check_changes WHERE account_id = $1 AND domain = $2 ORDER BY number DESC
        LIMIT 1 OFFSET ${CHANGES_KEPT})`,
);

/** A domain by account and name. */
export interface DomainName {
  accountId: string;
  name: string;
}

/** The newest changes first. */
export async function readHistory(session: Session, { accountId, name, limit }: DomainName & { limit: number }) {
  return (await session.run(history, [accountId, name, limit])).rows;
}

/** Adds changes in their order. `session` is in a transaction. */
export async function addToHistory(
  session: Session,
  { accountId, name }: DomainName,
  changes: readonly CheckChange[],
): Promise<void> {
  if (changes.length === 0) return;
  await session.run(addChanges, [
    accountId,
    name,
    changes.map(({ check }) => check),
    changes.map(({ state }) => state),
    changes.map(({ detail }) => storedText(detail)),
    changes.map(({ atMs }) => atMs),
  ]);
  await session.run(sweepChanges, [accountId, name]);
}
