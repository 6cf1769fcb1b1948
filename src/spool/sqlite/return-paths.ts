/**
 * Return paths of bound domains, by account and name. The caller holds the transaction of a write.
 */
import type { Database } from "better-sqlite3";
import type { ReturnPath, ReturnPathOwner } from "../port/return-paths.ts";
import {
  changedReturnPathChecks,
  isProven,
  storedReturnPathChecks,
  uncheckedReturnPath,
  unreadableReturnPathChecks,
} from "../records/stored-checks.ts";
import { prepareAddChange } from "./check-changes.ts";
import { type DamageLog, type DamageReports, RowDamaged } from "./damage.ts";
import type { WriteHandlers } from "./writer-operations.ts";

interface ReturnPathRow {
  accountId: string;
  domain: string;
  checks: string;
  active: number;
  sinceMs: number;
}

interface OwnerRow extends ReturnPathOwner {
  verified: number;
  checks: string;
}

const PATHS = `SELECT p.account_id AS accountId, p.domain, p.checks, p.active, p.since_ms AS sinceMs
  FROM return_paths p JOIN domains d ON d.account_id = p.account_id AND d.name = p.domain AND d.removed_at_ms IS NULL`;

export function prepareReturnPathWrites(
  db: Database,
  damage: DamageLog,
): Pick<WriteHandlers, "setReturnPath" | "saveReturnPath"> {
  const isBound = db
    .prepare<[string, string], number>(
      "SELECT 1 FROM domains WHERE account_id = ? AND name = ? AND removed_at_ms IS NULL",
    )
    .pluck();
  const turnOn = db.prepare(
    "INSERT OR IGNORE INTO return_paths (account_id, domain, checks, active, since_ms) VALUES (?, ?, ?, 0, ?)",
  );
  const turnOff = prepareRemoveReturnPath(db);
  const makeDue = db.prepare(
    `UPDATE domains SET next_check_at_ms = ? WHERE account_id = ? AND name = ? AND removed_at_ms IS NULL
       AND next_check_at_ms > ?`,
  );
  const before = db
    .prepare<[string, string], string>("SELECT checks FROM return_paths WHERE account_id = ? AND domain = ?")
    .pluck();
  const save = db.prepare("UPDATE return_paths SET checks = ?, active = ? WHERE account_id = ? AND domain = ?");
  const addChange = prepareAddChange(db);
  return {
    setReturnPath({ accountId, name, on, atMs }) {
      if (isBound.get(accountId, name) === undefined) return { value: false };
      const isChanged = on
        ? turnOn.run(accountId, name, JSON.stringify(uncheckedReturnPath()), atMs).changes === 1
        : turnOff(accountId, name);
      if (isChanged) makeDue.run(atMs, accountId, name, atMs);
      return { value: true };
    },
    saveReturnPath({ accountId, domain, checks, active }) {
      const former = before.get(accountId, domain);
      if (former === undefined) return { value: undefined };
      const changes = changedReturnPathChecks(storedReturnPathChecks(former), checks);
      const addChanges = (): void => {
        for (const change of changes) addChange({ accountId, name: domain }, change);
      };
      damage.runOptional("the history of domains' checks", addChanges, undefined);
      save.run(JSON.stringify(checks), active ? 1 : 0, accountId, domain);
      return { value: undefined };
    },
  };
}

/** Returns a function that turns the return path of a name off, and returns whether it was on. */
export function prepareRemoveReturnPath(db: Database): (accountId: string, name: string) => boolean {
  const remove = db.prepare("DELETE FROM return_paths WHERE account_id = ? AND domain = ?");
  return (accountId, name) => remove.run(accountId, name).changes === 1;
}

export function prepareReturnPathReads(db: Database, damage: DamageReports) {
  const ofAccount = db.prepare<[string], ReturnPathRow>(`${PATHS} WHERE p.account_id = ? ORDER BY p.domain`);
  const named = db.prepare<[string, string], ReturnPathRow>(`${PATHS} WHERE p.account_id = ? AND p.domain = ?`);
  const active = db.prepare<[string], { name: string }>(
    `SELECT s.name
       FROM domains d JOIN domains s ON s.account_id = d.account_id AND s.name = d.name AND s.removed_at_ms IS NULL
       JOIN return_paths p ON p.account_id = s.account_id AND p.domain = s.name
       WHERE d.id = ? AND p.active = 1`,
  );
  const owners = db.prepare<[string], OwnerRow>(
    `SELECT p.account_id AS accountId, d.id AS domainId, d.verified, d.checks
       FROM return_paths p JOIN domains d ON d.account_id = p.account_id AND d.name = p.domain AND d.removed_at_ms IS NULL
       WHERE p.domain = ? ORDER BY d.verified DESC, d.created_at_ms, p.account_id`,
  );
  const pathOf = (row: ReturnPathRow): ReturnPath => returnPathOf(row, damage);
  return {
    returnPaths: (accountId: string) => ofAccount.all(accountId).map(pathOf),
    returnPathNamed(accountId: string, name: string): ReturnPath | null {
      const row = named.get(accountId, name);
      return row === undefined ? null : pathOf(row);
    },
    activeReturnPath: (domainId: string) => active.get(domainId) ?? null,
    returnPathOwner(name: string): ReturnPathOwner | null {
      const proven = owners.all(name).find(({ verified, checks }) => isProven({ verified: verified === 1, checks }));
      return proven === undefined ? null : { accountId: proven.accountId, domainId: proven.domainId };
    },
  };
}

function returnPathOf({ checks: json, active, ...row }: ReturnPathRow, damage: DamageReports): ReturnPath {
  const isActive = active === 1;
  const checks = storedReturnPathChecks(json);
  if (checks === null) {
    damage.note(`the checks of the return path of ${row.domain}`, new RowDamaged("they cannot be decoded"));
  }
  return { ...row, active: isActive, checks: checks ?? unreadableReturnPathChecks(isActive) };
}
