/** Accounts and their users as the command line and the management interface show them. */
import { rfc3339 } from "../../lib/clock.ts";
import { type Account, GRACE_MS } from "../../spool/port/accounts.ts";
import type { User } from "../../spool/port/people.ts";

/** With the times of its deletion, if it is deleted. */
export const accountView = ({ id, name, createdAtMs, deletedAtMs }: Account) => ({
  id,
  name,
  created_at: rfc3339(createdAtMs),
  ...(deletedAtMs === null ? {} : deletionView(deletedAtMs)),
});

export const deletionView = (deletedAtMs: number) => ({
  deleted_at: rfc3339(deletedAtMs),
  restorable_until: rfc3339(deletedAtMs + GRACE_MS),
});

/** `accounts`: names by id. `accountId`: the account whose users are shown; the user's own if null. */
export function userView(user: User, accounts: ReadonlyMap<string, string>, accountId: string | null) {
  const memberships = user.memberships.map((each) => ({
    account: accounts.get(each.accountId) ?? each.accountId,
    role: each.role,
    by_group: each.byGroup,
  }));
  const shown = user.memberships.findIndex((each) => each.accountId === accountId);
  const { account, role } = memberships[Math.max(shown, 0)] as (typeof memberships)[number];
  return {
    id: user.id,
    email: user.email,
    account,
    operator: user.operator,
    role,
    memberships,
    second_factor: user.sealedTotp !== null,
    created_at: rfc3339(user.createdAtMs),
  };
}
