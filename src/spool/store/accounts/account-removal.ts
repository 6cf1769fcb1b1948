/**
 * The deletion of accounts: the grace period, and the removal of what belongs to an account after it. Each change is made under the
 * account's lock, as those of its keys and domains are.
 */

import { first, type Session } from "../../engine/session.ts";
import { statement } from "../../engine/statement.ts";
import type { AccountRemoval, AccountRemovalResult } from "../../port/accounts.ts";
import { removeEndpoints } from "../webhooks/endpoints.ts";
import { membersOf } from "./memberships.ts";
import { removeMember } from "./users.ts";

const find = statement<{ isDeleted: boolean }>(
  `SELECT deleted_at_ms IS NOT NULL AS "isDeleted" FROM accounts WHERE id = $1`,
  { booleans: ["isDeleted"] },
);
const operators = statement("SELECT 1 FROM users WHERE account_id = $1 AND operator LIMIT 1");
const begin = statement("UPDATE accounts SET deleted_at_ms = $2 WHERE id = $1");
const suspend = statement(
  "UPDATE api_keys SET revoked_at_ms = $2, suspended = TRUE WHERE account_id = $1 AND revoked_at_ms IS NULL",
);

const end = statement(
  "UPDATE accounts SET deleted_at_ms = NULL WHERE id = $1 AND deleted_at_ms IS NOT NULL AND emptied_at_ms IS NULL",
);
const resume = statement(
  "UPDATE api_keys SET revoked_at_ms = NULL, suspended = FALSE WHERE account_id = $1 AND suspended",
);

const next = statement<{ id: string }>(
  `SELECT id FROM accounts WHERE deleted_at_ms < $1 AND emptied_at_ms IS NULL
     AND NOT EXISTS (SELECT 1 FROM users WHERE account_id = accounts.id AND operator) ORDER BY deleted_at_ms LIMIT 1`,
);
const isDue = statement("SELECT 1 FROM accounts WHERE id = $1 AND deleted_at_ms < $2 AND emptied_at_ms IS NULL");
// The number of rows is bounded by the limits of an account, but for revoked keys. Sessions of operators whose current account it is end too.
const drops = ["sessions", "invitations", "api_keys", "key_fuses", "request_answers", "return_paths"].map((table) =>
  statement(`DELETE FROM ${table} WHERE account_id = $1`),
);
const removeDomains = statement(
  "UPDATE domains SET removed_at_ms = $2 WHERE account_id = $1 AND removed_at_ms IS NULL",
);
// An account's name has no space, so the new one is never taken.
const empty = statement("UPDATE accounts SET emptied_at_ms = $2, name = id || ' (deleted)' WHERE id = $1");

const dropAddresses = ["refused_addresses", "suppressed_addresses"].map((table) =>
  statement(
    `DELETE FROM ${table} WHERE (account_id, address) IN (
       SELECT account_id, address FROM accounts JOIN ${table} ON account_id = accounts.id
        WHERE emptied_at_ms IS NOT NULL LIMIT $1)`,
    { ifDamaged: "the addresses of deleted accounts" },
  ),
);

export const accountRemovalOperations = {
  reads: {},
  writes: {
    async deleteAccount(
      session: Session,
      accountId: string,
      atMs: number,
    ): Promise<"deleted" | "already_deleted" | "has_operators" | "not_found"> {
      await session.lock("accounts", accountId);
      const account = await first(session, find, [accountId]);
      if (account === null) return "not_found";
      if (account.isDeleted) return "already_deleted";
      if ((await session.run(operators, [accountId])).count > 0) return "has_operators";
      await session.run(begin, [accountId, atMs]);
      await session.run(suspend, [accountId, atMs]);
      return "deleted";
    },
    async restoreAccount(session: Session, accountId: string): Promise<boolean> {
      await session.lock("accounts", accountId);
      if ((await session.run(end, [accountId])).count === 0) return false;
      await session.run(resume, [accountId]);
      return true;
    },
    async removeDeletedAccounts(
      session: Session,
      { nowMs, deletedBeforeMs, limit }: AccountRemoval,
    ): Promise<AccountRemovalResult> {
      const due = await first(session, next, [deletedBeforeMs]);
      if (due !== null) {
        await session.lock("accounts", due.id);
        const isStillDue = (await session.run(isDue, [due.id, deletedBeforeMs])).count > 0;
        if (isStillDue) await emptyAccount(session, due.id, nowMs);
        return { emptied: isStillDue ? [due.id] : [], isMore: true };
      }
      let isMore = false;
      for (const drop of dropAddresses) isMore = (await session.run(drop, [limit])).count === limit || isMore;
      return { emptied: [], isMore };
    },
  },
};

async function emptyAccount(session: Session, accountId: string, nowMs: number): Promise<void> {
  await removeEndpoints(session, accountId);
  for (const userId of await membersOf(session, accountId)) await removeMember(session, { userId, accountId });
  for (const drop of drops) await session.run(drop, [accountId]);
  await session.run(removeDomains, [accountId, nowMs]);
  await session.run(empty, [accountId, nowMs]);
}
