/** Accounts and their users as the command line and the management interface show them. */
import { rfc3339 } from "../../lib/clock.ts";
import { type Account, GRACE_MS } from "../../spool/port/accounts.ts";
import { ownMembership } from "../../spool/port/memberships.ts";
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

/** `accounts`: names by id. */
export function userView(user: User, accounts: ReadonlyMap<string, string>) {
  const { accountId, role } = ownMembership(user);
  return {
    id: user.id,
    email: user.email,
    account: accounts.get(accountId) ?? accountId,
    operator: user.operator,
    role,
    second_factor: user.sealedTotp !== null,
    created_at: rfc3339(user.createdAtMs),
  };
}
