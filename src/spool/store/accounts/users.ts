/** Users; see accounts.ts for their creation. A user's sessions, recovery codes and password resets are deleted with the row. */

import { first, type Session } from "../../engine/session.ts";
import { statement } from "../../engine/statement.ts";
import { foldedEmail } from "../../port/folded-email.ts";
import type { MemberChange, User } from "../../port/people.ts";
import {
  findMembership,
  hasOtherOwner,
  leaveAccount,
  type MembershipKey,
  membershipsByUser,
  membershipsOf,
  setRole,
} from "./memberships.ts";

type UserRow = Omit<User, "memberships">;

/** The columns of a user, of the table named `users`. */
const USER_COLUMNS = `users.id, users.email, users.password_hash AS "passwordHash", users.operator,
  users.created_at_ms AS "createdAtMs", users.sealed_totp AS "sealedTotp"`;

const user = (text: string) => statement<UserRow>(text, { booleans: ["operator"] });

const find = user(`SELECT ${USER_COLUMNS} FROM users WHERE id = $1`);
const named = user(`SELECT ${USER_COLUMNS} FROM users WHERE lower(email) = $1`);
const all = user(`SELECT ${USER_COLUMNS} FROM users ORDER BY lower(email)`);
const ofAccount = user(
  `SELECT ${USER_COLUMNS} FROM users WHERE id IN (SELECT user_id FROM memberships WHERE account_id = $1) ORDER BY lower(email)`,
);

const setPasswordOf = statement("UPDATE users SET password_hash = $2 WHERE id = $1");
const endResets = statement("DELETE FROM password_resets WHERE user_id = $1");
const remove = statement("DELETE FROM users WHERE id = $1");

// A removed owner may have the link of an invitation that the owner has sent.
const endInvitations = statement("DELETE FROM invitations WHERE invited_by = (SELECT email FROM users WHERE id = $1)");

async function findOne(session: Session, ...find: [typeof named, [string]]): Promise<User | null> {
  const row = await first(session, ...find);
  const memberships = row === null ? null : await membershipsOf(session, row.id);
  // Removed between the two reads.
  return row === null || memberships === null ? null : { ...row, memberships };
}

export const findUser = (session: Session, userId: string): Promise<User | null> => findOne(session, find, [userId]);

export const findUserNamed = (session: Session, email: string): Promise<User | null> =>
  findOne(session, named, [foldedEmail(email)]);

async function users(session: Session, accountId: string | null): Promise<User[]> {
  const { rows } = await (accountId === null ? session.run(all) : session.run(ofAccount, [accountId]));
  const byUser = await membershipsByUser(session, accountId);
  return rows.flatMap((row) => {
    const memberships = byUser.get(row.id);
    return memberships === undefined ? [] : [{ ...row, memberships }];
  });
}

export const userOperations = {
  reads: {
    user: findUser,
    userNamed: findUserNamed,
    users,
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
  // A membership moves between the two tables when another one of the user ends.
  await session.lock("users", userId);
  const key = { userId, accountId };
  if ((await findMembership(session, key)) === null) return "not_found";
  if (keepOwner && role !== "owner" && !(await hasOtherOwner(session, key))) return "last_owner";
  if (role !== null) await setRole(session, key, role);
  else await removeMember(session, key);
  return "changed";
}

/** Removes the user from the account, and as a whole if it is the last one. */
export async function removeMember(session: Session, key: MembershipKey): Promise<void> {
  if (!(await leaveAccount(session, key))) await removeUser(session, key.userId);
}

async function removeUser(session: Session, userId: string): Promise<boolean> {
  await session.run(endInvitations, [userId]);
  return (await session.run(remove, [userId])).count === 1;
}
