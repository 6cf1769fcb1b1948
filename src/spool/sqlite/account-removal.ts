/**
 * The deletion of accounts: the grace period, and the removal of what belongs to an account after it. The caller holds the
 * transaction of a write.
 */
import type { Database } from "better-sqlite3";
import type { DamageLog } from "./damage.ts";
import { prepareEndpointWrites } from "./endpoints.ts";
import { prepareRemoveUser } from "./users.ts";
import type { WriteHandlers } from "./writer-operations.ts";

type RemovalWrites = Pick<WriteHandlers, "deleteAccount" | "restoreAccount" | "removeDeletedAccounts">;

export function prepareAccountRemoval(db: Database, damage: DamageLog): RemovalWrites {
  return {
    deleteAccount: prepareDelete(db),
    restoreAccount: prepareRestore(db),
    removeDeletedAccounts: prepareRemoval(db, damage),
  };
}

function prepareDelete(db: Database): RemovalWrites["deleteAccount"] {
  const find = db.prepare<[string], number>("SELECT deleted_at_ms IS NOT NULL FROM accounts WHERE id = ?").pluck();
  const operator = db.prepare("SELECT 1 FROM users WHERE account_id = ? AND operator = 1");
  const begin = db.prepare("UPDATE accounts SET deleted_at_ms = ? WHERE id = ?");
  const suspend = db.prepare(
    "UPDATE api_keys SET revoked_at_ms = ?, suspended = 1 WHERE account_id = ? AND revoked_at_ms IS NULL",
  );
  return ({ accountId, atMs }) => {
    const isDeleted = find.get(accountId);
    if (isDeleted === undefined) return { value: "not_found" };
    if (isDeleted === 1) return { value: "already_deleted" };
    if (operator.get(accountId) !== undefined) return { value: "has_operators" };
    begin.run(atMs, accountId);
    suspend.run(atMs, accountId);
    return { value: "deleted" };
  };
}

function prepareRestore(db: Database): RemovalWrites["restoreAccount"] {
  const end = db.prepare(
    "UPDATE accounts SET deleted_at_ms = NULL WHERE id = ? AND deleted_at_ms IS NOT NULL AND emptied_at_ms IS NULL",
  );
  const resume = db.prepare(
    "UPDATE api_keys SET revoked_at_ms = NULL, suspended = 0 WHERE account_id = ? AND suspended = 1",
  );
  return (accountId) => {
    if (end.run(accountId).changes === 0) return { value: false };
    resume.run(accountId);
    return { value: true };
  };
}

function prepareRemoval(db: Database, damage: DamageLog): RemovalWrites["removeDeletedAccounts"] {
  const next = db
    .prepare<[number], string>(
      `SELECT id FROM accounts WHERE deleted_at_ms < ? AND emptied_at_ms IS NULL
         AND NOT EXISTS (SELECT 1 FROM users WHERE account_id = accounts.id AND operator = 1)
         ORDER BY deleted_at_ms LIMIT 1`,
    )
    .pluck();
  const empty = prepareEmpty(db, damage);
  const dropAddresses = ["refused_addresses", "suppressed_addresses"].map((table) =>
    db.prepare(
      `DELETE FROM ${table} WHERE (account_id, address) IN (
         SELECT account_id, address FROM accounts a JOIN ${table} ON account_id = a.id
           WHERE a.emptied_at_ms IS NOT NULL LIMIT ?)`,
    ),
  );
  return ({ nowMs, deletedBeforeMs, limit }) => {
    const accountId = next.get(deletedBeforeMs);
    if (accountId !== undefined) {
      empty(accountId, nowMs);
      return { value: { emptied: [accountId], isMore: true } };
    }
    const dropped = dropAddresses.map((drop) =>
      damage.runOptional("the addresses of deleted accounts", () => drop.run(limit).changes, 0),
    );
    return { value: { emptied: [], isMore: dropped.some((count) => count === limit) } };
  };
}

/** The number of rows is bounded by the limits of an account, but for revoked keys. */
function prepareEmpty(db: Database, damage: DamageLog): (accountId: string, nowMs: number) => void {
  const users = db.prepare<[string], string>("SELECT id FROM users WHERE account_id = ?").pluck();
  const removeUser = prepareRemoveUser(db);
  const endpoints = db.prepare<[string], string>("SELECT id FROM endpoints WHERE account_id = ?").pluck();
  const { removeEndpoint } = prepareEndpointWrites(db, damage);
  const drops = ["sessions", "invitations", "api_keys", "return_paths"].map((table) =>
    db.prepare(`DELETE FROM ${table} WHERE account_id = ?`),
  );
  const removeDomains = db.prepare(
    "UPDATE domains SET removed_at_ms = ? WHERE account_id = ? AND removed_at_ms IS NULL",
  );
  // An account's name has no space, so the new one is never taken.
  const end = db.prepare("UPDATE accounts SET emptied_at_ms = ?, name = id || ' (deleted)' WHERE id = ?");
  return (accountId, nowMs) => {
    for (const userId of users.all(accountId)) removeUser(userId);
    for (const endpointId of endpoints.all(accountId)) removeEndpoint({ accountId, endpointId });
    // Sessions of operators whose current account it is end too.
    for (const drop of drops) drop.run(accountId);
    removeDomains.run(nowMs, accountId);
    end.run(nowMs, accountId);
  };
}
