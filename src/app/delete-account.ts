/** Deleting an account, with a grace period in which it can be restored. */
import type { Account, Accounts } from "../spool/port/accounts.ts";
import { DEFAULT_ACCOUNT } from "./link-message.ts";

export type AccountDeletion = Awaited<ReturnType<Accounts["deleteAccount"]>> | "is_default";

/** Begins the grace period. The default account cannot be deleted: the service sends messages of its own from it. */
export async function deleteAccount(
  registry: Pick<Accounts, "deleteAccount">,
  account: Pick<Account, "id" | "name">,
  nowMs: number,
): Promise<AccountDeletion> {
  return account.name === DEFAULT_ACCOUNT ? "is_default" : registry.deleteAccount(account.id, nowMs);
}
