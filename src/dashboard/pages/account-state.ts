/** The state of an account's page: the account, its users and quota, and the result of the last form. */
import type { Account } from "../../spool/port/accounts.ts";
import type { Role } from "../../spool/port/memberships.ts";
import type { User } from "../../spool/port/people.ts";
import type { DashboardParts } from "../web/parts.ts";

/** The result of the last form, and the values that it contained. */
export interface AccountForm {
  /** The name of the notice to show. */
  done?: string;
  /** An error of the whole form; the other errors belong to a field. */
  error?: string;
  quotaError?: string;
  userError?: string;
  typed?: string;
  typedOperator?: boolean;
  typedRole?: Role;
}

export interface AccountState extends AccountForm {
  account: Account;
  users: User[];
  /** Recipients today. */
  used: number;
  /** The default quota, QUOTA_DAILY. */
  quotaDaily: number;
  hasStatusPages: boolean;
  nowMs: number;
}

export async function accountState(
  { registry, people, clock, sending }: DashboardParts,
  account: Account,
  form: AccountForm,
): Promise<AccountState> {
  const users = await people.users(account.id);
  const used = await registry.quotaUsed(account.id, clock.now());
  const hasStatusPages = await registry.hasStatusPages(account.id);
  return { account, users, used, hasStatusPages, quotaDaily: sending.quotaDaily, nowMs: clock.now(), ...form };
}
