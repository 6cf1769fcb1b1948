/**
 * Deleting an account, with a grace period in which it can be restored: by an operator, or by an owner if an owner has deleted it. An
 * owner's deletion is recorded in the key-value store. A deletion without a record is an operator's.
 */
import { type Account, type Accounts, DELETED_BY_OWNER } from "../../spool/port/accounts.ts";
import type { KeyValueStore } from "../../spool/port/key-value.ts";
import type { User } from "../../spool/port/people.ts";
import { DEFAULT_ACCOUNT } from "../send/link-message.ts";

export interface DeletionParts {
  registry: Pick<Accounts, "deleteAccount" | "restoreAccount">;
  spool: Pick<KeyValueStore, "readValue" | "writeValue">;
}

/** The user who deletes or restores. An owner acts only on the owner's account. */
export type Actor = Pick<User, "operator">;

type DeletedAccount = Pick<Account, "id" | "deletedAtMs">;

export type AccountDeletion = Awaited<ReturnType<Accounts["deleteAccount"]>> | "is_default";

/** Begins the grace period. The default account cannot be deleted: the service sends its own messages from it. */
export async function deleteAccount(
  { registry, spool }: DeletionParts,
  account: Pick<Account, "id" | "name">,
  { by, nowMs }: { by: Actor; nowMs: number },
): Promise<AccountDeletion> {
  if (account.name === DEFAULT_ACCOUNT) return "is_default";
  // Before the deletion: after a crash between the two, an owner could not restore the account.
  if (!by.operator) await spool.writeValue(entryOf(account), String(nowMs));
  const deletion = await registry.deleteAccount(account.id, nowMs);
  // An operator who deletes what an owner has deleted takes the owner's right to restore it.
  if (by.operator && deletion === "already_deleted") await spool.writeValue(entryOf(account), "");
  return deletion;
}

/** Ends the grace period. Returns "not_found" unless the account is deleted and not emptied. */
export async function restoreAccount(
  parts: DeletionParts,
  account: DeletedAccount,
  by: Actor,
): Promise<"restored" | "not_allowed" | "not_found"> {
  if (account.deletedAtMs === null) return "not_found";
  if (!by.operator && !(await isDeletedByOwner(parts, account))) return "not_allowed";
  return (await parts.registry.restoreAccount(account.id)) ? "restored" : "not_found";
}

/** Whether an owner has deleted the account, so that an owner may restore it. */
export async function isDeletedByOwner(
  { spool }: Pick<DeletionParts, "spool">,
  account: DeletedAccount,
): Promise<boolean> {
  const { deletedAtMs } = account;
  // The time distinguishes this deletion from an earlier one, and from an operator's that came first.
  return deletedAtMs !== null && (await spool.readValue(entryOf(account))) === String(deletedAtMs);
}

const entryOf = ({ id }: Pick<Account, "id">): string => `${DELETED_BY_OWNER}${id}`;
