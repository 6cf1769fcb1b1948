/**
 * The deletion of accounts: the grace period, and the removal of what belongs to an account after it. Each change is made under the
 * account's lock, as those of its keys and domains are. A node of the version before may add users and keys to a deleted account:
 * they are removed as well, also once it is emptied.
 */
import type { Accounts } from "../port/accounts.ts";
import { lockAccount } from "./accounts.ts";
import type { Database } from "./database.ts";
import { type Session, statement } from "./statement.ts";

type Removals = Pick<Accounts, "deleteAccount" | "restoreAccount" | "removeDeletedAccounts">;

const find = statement<{ isDeleted: boolean }>(
  `SELECT deleted_at_ms IS NOT NULL AS "isDeleted" FROM accounts WHERE id = $1`,
);
const operators = statement("SELECT FROM users WHERE account_id = $1 AND operator LIMIT 1");
const begin = statement("UPDATE accounts SET deleted_at_ms = $2 WHERE id = $1");
const suspend = statement(
  "UPDATE api_keys SET revoked_at_ms = $2, suspended = true WHERE account_id = $1 AND revoked_at_ms IS NULL",
);

const end = statement(
  "UPDATE accounts SET deleted_at_ms = NULL WHERE id = $1 AND deleted_at_ms IS NOT NULL AND emptied_at_ms IS NULL",
);
const resume = statement(
  "UPDATE api_keys SET revoked_at_ms = NULL, suspended = false WHERE account_id = $1 AND suspended",
);

const next = statement<{ id: string }>(
  `SELECT id FROM accounts WHERE deleted_at_ms < $1 AND emptied_at_ms IS NULL
     AND NOT EXISTS (SELECT FROM users WHERE account_id = accounts.id AND operator) ORDER BY deleted_at_ms LIMIT 1`,
);
const isDue = statement("SELECT FROM accounts WHERE id = $1 AND deleted_at_ms < $2 AND emptied_at_ms IS NULL");
// A user's sessions, codes and resets, and the retries and attempts of an endpoint, are deleted with it. Sessions of operators
// whose current account it is end too.
const drops = ["users", "endpoints", "sessions", "invitations", "api_keys", "return_paths"].map((table) =>
  statement(`DELETE FROM ${table} WHERE account_id = $1`),
);
const removeDomains = statement(
  "UPDATE domains SET removed_at_ms = $2 WHERE account_id = $1 AND removed_at_ms IS NULL",
);
// An account's name has no space, so the new one is never taken.
const empty = statement("UPDATE accounts SET emptied_at_ms = $2, name = id || ' (deleted)' WHERE id = $1");

const dropLate = ["users", "api_keys"].map((table) =>
  statement(`DELETE FROM ${table} WHERE account_id IN (SELECT id FROM accounts WHERE emptied_at_ms IS NOT NULL)`),
);
const dropAddresses = ["refused_addresses", "suppressed_addresses"].map((table) =>
  statement(
    `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
       SELECT r.ctid FROM accounts a JOIN ${table} r ON r.account_id = a.id WHERE a.emptied_at_ms IS NOT NULL LIMIT $1))`,
  ),
);

export function accountRemovals(database: Database): Removals {
  return {
    deleteAccount: (accountId, atMs) => database.transaction((session) => deleteAccount(session, accountId, atMs)),
    restoreAccount: (accountId) =>
      database.transaction(async (session) => {
        await lockAccount(session, accountId);
        if ((await session.run(end, [accountId])).count === 0) return false;
        await session.run(resume, [accountId]);
        return true;
      }),
    async removeDeletedAccounts({ nowMs, deletedBeforeMs, limit }) {
      const [due] = (await database.run(next, [deletedBeforeMs])).rows;
      if (due !== undefined) {
        const isEmptied = await database.transaction(async (session) => {
          await lockAccount(session, due.id);
          if ((await session.run(isDue, [due.id, deletedBeforeMs])).count === 0) return false;
          await emptyAccount(session, due.id, nowMs);
          return true;
        });
        return { emptied: isEmptied ? [due.id] : [], isMore: true };
      }
      for (const drop of dropLate) await database.run(drop);
      let isMore = false;
      for (const drop of dropAddresses) isMore = (await database.run(drop, [limit])).count === limit || isMore;
      return { emptied: [], isMore };
    },
  };
}

async function deleteAccount(session: Session, accountId: string, atMs: number) {
  await lockAccount(session, accountId);
  const [account] = (await session.run(find, [accountId])).rows;
  if (account === undefined) return "not_found";
  if (account.isDeleted) return "already_deleted";
  if ((await session.run(operators, [accountId])).count > 0) return "has_operators";
  await session.run(begin, [accountId, atMs]);
  await session.run(suspend, [accountId, atMs]);
  return "deleted";
}

async function emptyAccount(session: Session, accountId: string, nowMs: number): Promise<void> {
  for (const drop of drops) await session.run(drop, [accountId]);
  await session.run(removeDomains, [accountId, nowMs]);
  await session.run(empty, [accountId, nowMs]);
}
