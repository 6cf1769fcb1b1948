/**
 * The history of a bound domain's checks. The caller holds the transaction of a write.
 */
import type { Database } from "better-sqlite3";
import type { CheckChange, DomainChecks } from "../port/domains.ts";
import { CHANGES_KEPT, changedChecks, storedChecks } from "../records/stored-checks.ts";
import type { DamageLog } from "./damage.ts";

interface DomainRow {
  accountId: string;
  name: string;
  checks: string;
}

/**
 * Records each check that changes its state; to be called before the new checks are stored. If the former checks are damaged,
 * every state counts as changed. If the history is damaged, nothing is recorded.
 */
export function prepareCheckChanges(db: Database, damage: DamageLog): (domainId: string, checks: DomainChecks) => void {
  const before = db.prepare<[string], DomainRow>(
    "SELECT account_id AS accountId, name, checks FROM domains WHERE id = ?",
  );
  const addChange = prepareAddChange(db);
  return (domainId, checks) => {
    const row = before.get(domainId);
    if (row === undefined) return;
    const changes = changedChecks(storedChecks(row.checks), checks);
    const addChanges = (): void => {
      for (const change of changes) addChange(row, change);
    };
    damage.runOptional("the history of domains' checks", addChanges, undefined);
  };
}

/** Returns a function that adds a change to the history of the domain, which is bounded. */
export function prepareAddChange(
  db: Database,
): (domain: { accountId: string; name: string }, change: CheckChange) => void {
  const add = db.prepare(
    `INSERT INTO check_changes (account_id, domain, check_name, state, detail, at_ms)
       VALUES (@accountId, @domain, @check, @state, @detail, @atMs)`,
  );
  const sweep = db.prepare(
    `DELETE FROM check_changes WHERE account_id = @accountId AND domain = @domain AND number <=
       (SELECT number FROM check_changes WHERE account_id = @accountId AND domain = @domain
          ORDER BY number DESC LIMIT 1 OFFSET ${CHANGES_KEPT})`,
  );
  return ({ accountId, name: domain }, change) => {
    add.run({ accountId, domain, ...change });
    sweep.run({ accountId, domain });
  };
}

export function prepareCheckHistory(db: Database) {
  const history = db.prepare<[string, string, number], CheckChange>(
    `SELECT check_name AS "check", state, detail, at_ms AS atMs FROM check_changes
       WHERE account_id = ? AND domain = ? ORDER BY number DESC LIMIT ?`,
  );
  return (accountId: string, name: string, limit: number) => history.all(accountId, name, limit);
}
