/**
 * What happens to a bound domain over time: how its checks changed, and the DKIM key that waits to take over. The
 * caller holds the transaction.
 */
import { randomBytes } from "node:crypto";
import type { Database } from "better-sqlite3";
import { CHECK_NAMES, type CheckChange, type DomainChecks, type Rotation } from "../port/accounts.ts";
import { type DamageLog, isObject, soundJson } from "./damage.ts";
import type { Written } from "./written.ts";

/** Changes kept for each domain. */
const CHANGES_KEPT = 200;

interface DomainRow {
  account_id: string;
  name: string;
  checks: string;
}

export const areChecks = (value: unknown): value is DomainChecks =>
  isObject(value) && CHECK_NAMES.every((name) => isObject(value[name]));

/**
 * Notes each check that comes to another state; to be called before the new checks are stored. Where the former checks are
 * damaged, each state counts as another; where the changes are, none is noted.
 */
export function prepareCheckChanges(db: Database, log: DamageLog): (domainId: string, checks: DomainChecks) => void {
  const before = db.prepare<[string], DomainRow>("SELECT account_id, name, checks FROM domains WHERE id = ?");
  const add = db.prepare(
    `INSERT INTO check_changes (account_id, domain, check_name, state, detail, at_ms)
       VALUES (@accountId, @domain, @check, @state, @detail, @atMs)`,
  );
  const sweep = db.prepare(
    `DELETE FROM check_changes WHERE account_id = @accountId AND domain = @domain AND number <=
       (SELECT number FROM check_changes WHERE account_id = @accountId AND domain = @domain
          ORDER BY number DESC LIMIT 1 OFFSET ${CHANGES_KEPT})`,
  );
  return (domainId, checks) => {
    const row = before.get(domainId);
    if (row === undefined) return;
    const former = soundJson(row.checks, areChecks);
    const named = { accountId: row.account_id, domain: row.name };
    const addChanges = (): void => {
      for (const check of CHECK_NAMES) {
        const { state, detail, checkedAtMs } = checks[check];
        if (state === former?.[check].state || checkedAtMs === null) continue;
        add.run({ ...named, check, state, detail, atMs: checkedAtMs });
        sweep.run(named);
      }
    };
    log.runOptional("the history of domains' checks", addChanges, undefined);
  };
}

export function prepareRotationWrites(db: Database) {
  const start = db.prepare(
    `INSERT OR REPLACE INTO rotations (domain_id, selector, public_key, sealed_private_key, started_at_ms)
       VALUES (@domainId, @selector, @publicKey, @sealedPrivateKey, @startedAtMs)`,
  );
  const cancel = db.prepare("DELETE FROM rotations WHERE domain_id = ?");
  const waits = db
    .prepare<[string], number>(
      `SELECT 1 FROM rotations JOIN domains ON domains.id = domain_id WHERE domain_id = ? AND removed_at_ms IS NULL`,
    )
    .pluck();
  const retire = db.prepare("UPDATE domains SET removed_at_ms = ? WHERE id = ?");
  const succeed = db.prepare(
    `INSERT INTO domains (id, account_id, name, token, created_at_ms, verified, checks, next_check_at_ms, selector,
         public_key, sealed_private_key)
       SELECT ?, account_id, name, token, created_at_ms, verified, checks, next_check_at_ms, r.selector, r.public_key,
         r.sealed_private_key FROM domains JOIN rotations r ON r.domain_id = id WHERE id = ?`,
  );
  return {
    startRotation(rotation: Rotation): Written<void> {
      start.run(rotation);
      return { value: undefined };
    },
    cancelRotation(domainId: string): Written<boolean> {
      return { value: cancel.run(domainId).changes === 1 };
    },
    finishRotation({ domainId, atMs }: { domainId: string; atMs: number }): Written<boolean> {
      if (waits.get(domainId) === undefined) return { value: false };
      // An account binds a name once: the former row makes room first.
      retire.run(atMs, domainId);
      succeed.run(`dom_${randomBytes(12).toString("base64url")}`, domainId);
      cancel.run(domainId);
      return { value: true };
    },
  };
}

export function prepareRotationReads(db: Database) {
  const rotations = db.prepare<[], Rotation>(
    `SELECT domain_id AS domainId, r.selector, r.public_key AS publicKey, r.sealed_private_key AS sealedPrivateKey,
            started_at_ms AS startedAtMs
       FROM rotations r JOIN domains ON domains.id = domain_id WHERE removed_at_ms IS NULL`,
  );
  const history = db.prepare<[string, string, number], CheckChange>(
    `SELECT check_name AS "check", state, detail, at_ms AS atMs FROM check_changes
       WHERE account_id = ? AND domain = ? ORDER BY number DESC LIMIT ?`,
  );
  return {
    rotations: () => rotations.all(),
    checkHistory: (accountId: string, name: string, limit: number) => history.all(accountId, name, limit),
  };
}
