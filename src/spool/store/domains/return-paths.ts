/** Return paths of bound domains, by account and name. They change under the account's lock, as the domains that are bound do. */
import { first, type Session } from "../../engine/session.ts";
import { statement } from "../../engine/statement.ts";
import type { ReturnPath, ReturnPathOwner } from "../../port/return-paths.ts";
import {
  changedReturnPathChecks,
  isProven,
  storedReturnPathChecks,
  uncheckedReturnPath,
  unreadableReturnPathChecks,
} from "../../records/stored-checks.ts";
import { addToHistory } from "./check-history.ts";

type ReturnPathRow = Omit<ReturnPath, "checks"> & { checks: string };

const BOUND = "domains d ON d.account_id = p.account_id AND d.name = p.domain AND d.removed_at_ms IS NULL";
const PATHS = `SELECT p.account_id AS "accountId", p.domain, p.checks, p.active, p.since_ms AS "sinceMs"
  FROM return_paths p JOIN ${BOUND}`;

const pathStatement = (text: string) => statement<ReturnPathRow>(text, { booleans: ["active"] });

const ofAccount = pathStatement(`${PATHS} WHERE p.account_id = $1 ORDER BY p.domain`);
const named = pathStatement(`${PATHS} WHERE p.account_id = $1 AND p.domain = $2`);
const active = statement<{ name: string }>(
  `SELECT s.name
     FROM domains d JOIN domains s ON s.account_id = d.account_id AND s.name = d.name AND s.removed_at_ms IS NULL
     JOIN return_paths p ON p.account_id = s.account_id AND p.domain = s.name
     WHERE d.id = $1 AND p.active`,
);
const owners = statement<ReturnPathOwner & { verified: boolean; checks: string }>(
  `SELECT p.account_id AS "accountId", d.id AS "domainId", d.verified, d.checks FROM return_paths p JOIN ${BOUND}
     WHERE p.domain = $1 ORDER BY d.verified DESC, d.created_at_ms, p.account_id`,
  { booleans: ["verified"] },
);

const isBound = statement("SELECT 1 FROM domains WHERE account_id = $1 AND name = $2 AND removed_at_ms IS NULL");
const turnOn = statement(
  `INSERT INTO return_paths (account_id, domain, checks, active, since_ms) VALUES ($1, $2, $3, FALSE, $4)
     ON CONFLICT (domain, account_id) DO NOTHING`,
);
const turnOff = statement("DELETE FROM return_paths WHERE account_id = $1 AND domain = $2");
const makeDue = statement(
  `UPDATE domains SET next_check_at_ms = $3 WHERE account_id = $1 AND name = $2 AND removed_at_ms IS NULL
     AND next_check_at_ms > $3`,
);
const formerChecks = statement<{ checks: string }>(
  "SELECT checks FROM return_paths WHERE account_id = $1 AND domain = $2",
);
const save = statement("UPDATE return_paths SET checks = $3, active = $4 WHERE account_id = $1 AND domain = $2");

export const returnPathOperations = {
  reads: {
    returnPaths: async (session: Session, accountId: string) =>
      (await session.run(ofAccount, [accountId])).rows.map((row) => returnPathOf(session, row)),
    async returnPathNamed(session: Session, accountId: string, name: string): Promise<ReturnPath | null> {
      const row = await first(session, named, [accountId, name]);
      return row === null ? null : returnPathOf(session, row);
    },
    returnPath: async (session: Session, domainId: string) => (await first(session, active, [domainId]))?.name ?? null,
    async returnPathOwner(session: Session, name: string): Promise<ReturnPathOwner | null> {
      const proven = (await session.run(owners, [name])).rows.find(isProven);
      return proven === undefined ? null : { accountId: proven.accountId, domainId: proven.domainId };
    },
  },
  writes: { setReturnPath, saveReturnPath },
};

/** Turns the return path of a name off; the caller has the account's lock. Returns whether it was on. */
export async function removeReturnPath(session: Session, accountId: string, name: string): Promise<boolean> {
  return (await session.run(turnOff, [accountId, name])).count === 1;
}

async function setReturnPath(
  session: Session,
  accountId: string,
  name: string,
  on: boolean,
  atMs: number,
): Promise<boolean> {
  await session.lock("accounts", accountId);
  if ((await session.run(isBound, [accountId, name])).count === 0) return false;
  const isChanged = on
    ? (await session.run(turnOn, [accountId, name, JSON.stringify(uncheckedReturnPath()), atMs])).count === 1
    : await removeReturnPath(session, accountId, name);
  if (isChanged) await session.run(makeDue, [accountId, name, atMs]);
  return true;
}

async function saveReturnPath(
  session: Session,
  { accountId, domain, checks, active: isActive }: Pick<ReturnPath, "accountId" | "domain" | "checks" | "active">,
): Promise<void> {
  await session.lock("accounts", accountId);
  const former = await first(session, formerChecks, [accountId, domain]);
  if (former === null) return;
  const changes = changedReturnPathChecks(storedReturnPathChecks(former.checks), checks);
  await addToHistory(session, { accountId, name: domain }, changes);
  await session.run(save, [accountId, domain, JSON.stringify(checks), isActive]);
}

/** Checks that cannot be decoded are replaced by the next check. */
function returnPathOf(session: Session, { checks: json, ...row }: ReturnPathRow): ReturnPath {
  const checks = storedReturnPathChecks(json);
  if (checks === null) {
    session.reportDamage(`the checks of the return path of ${row.domain}`, "they cannot be decoded");
  }
  return { ...row, checks: checks ?? unreadableReturnPathChecks(row.active) };
}
