/** Return paths of bound domains, by account and name. They are turned on and off under the account's lock, as domains are bound. */
import type { ReturnPath, ReturnPathOwner, ReturnPaths } from "../port/return-paths.ts";
import {
  changedReturnPathChecks,
  isProven,
  storedReturnPathChecks,
  uncheckedReturnPath,
  unreadableReturnPathChecks,
} from "../records/stored-checks.ts";
import { lockAccount } from "./accounts.ts";
import { addToHistory } from "./check-history.ts";
import type { Database } from "./database.ts";
import { GatheredReads } from "./gathered-reads.ts";
import { type Session, statement } from "./statement.ts";
import { storedText } from "./stored-text.ts";

type ReturnPathRow = Omit<ReturnPath, "checks"> & { checks: string };

const PATHS = `SELECT p.account_id AS "accountId", p.domain, p.checks, p.active, p.since_ms AS "sinceMs"
  FROM return_paths p JOIN domains d ON d.account_id = p.account_id AND d.name = p.domain AND d.removed_at_ms IS NULL`;

const ofAccount = statement<ReturnPathRow>(`${PATHS} WHERE p.account_id = $1 ORDER BY p.domain`);
const named = statement<ReturnPathRow>(`${PATHS} WHERE p.account_id = $1 AND p.domain = $2`);
const active = statement<{ id: string; name: string }>(
  `SELECT d.id, s.name
     FROM domains d JOIN domains s ON s.account_id = d.account_id AND s.name = d.name AND s.removed_at_ms IS NULL
     JOIN return_paths p ON p.account_id = s.account_id AND p.domain = s.name
     WHERE d.id = ANY ($1::text[]) AND p.active`,
);
const owners = statement<ReturnPathOwner & { verified: boolean; checks: string }>(
  `SELECT p.account_id AS "accountId", d.id AS "domainId", d.verified, d.checks
     FROM return_paths p JOIN domains d ON d.account_id = p.account_id AND d.name = p.domain AND d.removed_at_ms IS NULL
     WHERE p.domain = $1 ORDER BY d.verified DESC, d.created_at_ms, p.account_id`,
);

const isBound = statement("SELECT FROM domains WHERE account_id = $1 AND name = $2 AND removed_at_ms IS NULL");
const turnOn = statement(
  `INSERT INTO return_paths (account_id, domain, checks, active, since_ms) VALUES ($1, $2, $3, false, $4)
     ON CONFLICT (domain, account_id) DO NOTHING`,
);
const turnOff = statement("DELETE FROM return_paths WHERE account_id = $1 AND domain = $2");
const makeDue = statement(
  `UPDATE domains SET next_check_at_ms = $3 WHERE account_id = $1 AND name = $2 AND removed_at_ms IS NULL
     AND next_check_at_ms > $3`,
);
const lock = statement<{ checks: string }>(
  "SELECT checks FROM return_paths WHERE account_id = $1 AND domain = $2 FOR NO KEY UPDATE",
);
const save = statement("UPDATE return_paths SET checks = $3, active = $4 WHERE account_id = $1 AND domain = $2");

export function returnPathOperations(database: Database): ReturnPaths {
  const reads = new GatheredReads({ nameOf: (id: string) => id, readAll: (ids) => readActive(database, ids) });
  return {
    setReturnPath: (accountId, name, on, atMs) =>
      database.transaction((session) => setReturnPath(session, { accountId, domain: storedText(name), on, atMs })),
    async returnPaths(accountId) {
      return (await database.run(ofAccount, [accountId])).rows.map(returnPathOf);
    },
    async returnPathNamed(accountId, name) {
      const [row] = (await database.run(named, [accountId, storedText(name)])).rows;
      return row === undefined ? null : returnPathOf(row);
    },
    saveReturnPath: (path) => database.transaction((session) => saveReturnPath(session, path)),
    returnPath: (domainId) => reads.read(domainId),
    async returnPathOwner(name) {
      const proven = (await database.run(owners, [storedText(name)])).rows.find(isProven);
      return proven === undefined ? null : { accountId: proven.accountId, domainId: proven.domainId };
    },
  };
}

/** Turns the return path of a name off. `session` is in a transaction that has the account's lock. Returns whether it was on. */
export async function removeReturnPath(session: Session, accountId: string, domain: string): Promise<boolean> {
  return (await session.run(turnOff, [accountId, domain])).count === 1;
}

interface Setting extends Pick<ReturnPath, "accountId" | "domain"> {
  on: boolean;
  atMs: number;
}

async function setReturnPath(session: Session, { accountId, domain, on, atMs }: Setting): Promise<boolean> {
  await lockAccount(session, accountId);
  if ((await session.run(isBound, [accountId, domain])).count === 0) return false;
  const isChanged = on
    ? (await session.run(turnOn, [accountId, domain, JSON.stringify(uncheckedReturnPath()), atMs])).count === 1
    : await removeReturnPath(session, accountId, domain);
  if (isChanged) await session.run(makeDue, [accountId, domain, atMs]);
  return true;
}

type Results = Pick<ReturnPath, "accountId" | "domain" | "checks" | "active">;

async function saveReturnPath(session: Session, { accountId, domain, checks, active }: Results): Promise<void> {
  const [before] = (await session.run(lock, [accountId, domain])).rows;
  if (before === undefined) return;
  const changes = changedReturnPathChecks(storedReturnPathChecks(before.checks), checks);
  await addToHistory(session, { accountId, name: domain }, changes);
  await session.run(save, [accountId, domain, JSON.stringify(checks), active]);
}

async function readActive(database: Database, ids: string[]): Promise<Map<string, string>> {
  const { rows } = await database.run(active, [ids]);
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Checks that cannot be decoded are replaced by the next check. */
const returnPathOf = ({ checks, ...row }: ReturnPathRow): ReturnPath => ({
  ...row,
  checks: storedReturnPathChecks(checks) ?? unreadableReturnPathChecks(row.active),
});
