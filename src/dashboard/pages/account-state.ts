/** What an account's page shows: the account, its users and its quota, with what the last form of the page led to. */

import type { Account } from "../../spool/port/accounts.ts";
import type { User } from "../../spool/port/people.ts";
import type { DashboardParts } from "../web/parts.ts";

/** How the last form of the page ended, and what it held. */
export interface AccountForm {
  done?: string;
  /** Of the whole page; the other errors belong to a field. */
  error?: string;
  quotaError?: string;
  userError?: string;
  typed?: string;
  typedOperator?: boolean;
}

export interface AccountState extends AccountForm {
  account: Account;
  users: User[];
  /** Recipients today. */
  used: number;
  /** The installation's quota. */
  quotaDaily: number;
  nowMs: number;
}

export async function accountState(
  { registry, people, clock, sending }: DashboardParts,
  account: Account,
  form: AccountForm,
): Promise<AccountState> {
  const users = await people.users(account.id);
  const used = await registry.quotaUsed(account.id, clock.now());
  return { account, users, used, quotaDaily: sending.quotaDaily, nowMs: clock.now(), ...form };
}
