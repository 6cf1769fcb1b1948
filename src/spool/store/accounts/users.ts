/** Users; see accounts.ts for their creation. A user's sessions, recovery codes and password resets are deleted with the row. */

import { first, type Session } from "../../engine/session.ts";
import { statement } from "../../engine/statement.ts";
import type { Membership } from "../../port/memberships.ts";
import type { MemberChange, User } from "../../port/people.ts";
import { foldedEmail } from "./folded-email.ts";

type UserRow = Omit<User, "memberships"> & Omit<Membership, "joinedAtMs">;

/** The columns of a user, of the table named `users`. */
const USER_COLUMNS = `users.id, users.email, users.account_id AS "accountId", users.password_hash AS "passwordHash",
  users.operator, users.role, users.created_at_ms AS "createdAtMs", users.sealed_totp AS "sealedTotp",
  EXISTS (SELECT 1 FROM provider_identities p WHERE p.user_id = users.id AND p.by_group) AS "byGroup"`;

const user = (text: string) => statement<UserRow>(text, { booleans: ["operator", "byGroup"] });

const find = user(`SELECT ${USER_COLUMNS} FROM users WHERE id = $1`);
const named = user(`SELECT ${USER_COLUMNS} FROM users WHERE lower(email) = $1`);
const all = user(`SELECT ${USER_COLUMNS} FROM users ORDER BY lower(email)`);
const ofAccount = user(`SELECT ${USER_COLUMNS} FROM users WHERE account_id = $1 ORDER BY lower(email)`);

const setPasswordOf = statement("UPDATE users SET password_hash = $2 WHERE id = $1");
const endResets = statement("DELETE FROM password_resets WHERE user_id = $1");
const isMember = statement("SELECT 1 FROM users WHERE id = $1 AND account_id = $2");
const otherOwner = statement("SELECT 1 FROM users WHERE account_id = $1 AND role = 'owner' AND id <> $2 LIMIT 1");
const setRole = statement("UPDATE users SET role = $2 WHERE id = $1");
const remove = statement("DELETE FROM users WHERE id = $1");

// A removed owner may have the link of an invitation that the owner has sent.
const endInvitations = statement("DELETE FROM invitations WHERE invited_by = (SELECT email FROM users WHERE id = $1)");
// An operator invites users whatever the role.
const endInvitationsOfRole = statement(
  "DELETE FROM invitations WHERE invited_by = (SELECT email FROM users WHERE id = $1 AND NOT operator)",
);

const userOf = ({ accountId, role, byGroup, ...user }: UserRow): User => ({
  ...user,
  memberships: [{ accountId, role, byGroup, joinedAtMs: user.createdAtMs }],
});

async function findOne(session: Session, ...find: [typeof named, [string]]): Promise<User | null> {
  const row = await first(session, ...find);
  return row === null ? null : userOf(row);
}

export const findUser = (session: Session, userId: string): Promise<User | null> => findOne(session, find, [userId]);

export const findUserNamed = (session: Session, email: string): Promise<User | null> =>
  findOne(session, named, [foldedEmail(email)]);

export const userOperations = {
  reads: {
    user: findUser,
    userNamed: findUserNamed,
    users: async (session: Session, accountId: string | null) =>
      (await (accountId === null ? session.run(all) : session.run(ofAccount, [accountId]))).rows.map(userOf),
  },
  writes: {
    setPassword,
    changeMember,
    removeUser,
  },
};

export async function setPassword(session: Session, userId: string, passwordHash: string): Promise<void> {
  await session.run(setPasswordOf, [userId, passwordHash]);
  await session.run(endResets, [userId]);
}

async function changeMember(
  session: Session,
  { accountId, userId, role, keepOwner }: MemberChange,
): Promise<"changed" | "last_owner" | "not_found"> {
  // Two owners who remove each other at the same time are counted one after the other.
  await session.lock("accounts", accountId);
  if ((await session.run(isMember, [userId, accountId])).count === 0) return "not_found";
  const hasOwner = role === "owner" || (await session.run(otherOwner, [accountId, userId])).count > 0;
  if (keepOwner && !hasOwner) return "last_owner";
  if (role === null) {
    await removeUser(session, userId);
  } else {
    await session.run(setRole, [userId, role]);
    if (role !== "owner") await session.run(endInvitationsOfRole, [userId]);
  }
  return "changed";
}

async function removeUser(session: Session, userId: string): Promise<boolean> {
  await session.run(endInvitations, [userId]);
  return (await session.run(remove, [userId])).count === 1;
}
