/**
 * The memberships of users: the first is in the row of the user, further ones are in further_memberships, and the view memberships has all.
 * Whoever changes those of an account has the account's lock; where a user may lose or get one, the user's row is locked as well.
 */
import { first, type Session } from "../../engine/session.ts";
import { statement } from "../../engine/statement.ts";
import type { Membership, Memberships, Role } from "../../port/memberships.ts";

interface MembershipRow extends Membership {
  userId: string;
}

const COLUMNS = `user_id AS "userId", account_id AS "accountId", role, by_group AS "byGroup", joined_at_ms AS "joinedAtMs"`;
const ORDER = "ORDER BY user_id, place, joined_at_ms, account_id";

const memberships = (text: string) => statement<MembershipRow>(text, { booleans: ["byGroup"] });

const ofUser = memberships(`SELECT ${COLUMNS} FROM memberships WHERE user_id = $1 ${ORDER}`);
const ofAll = memberships(`SELECT ${COLUMNS} FROM memberships ${ORDER}`);
const ofAccount = memberships(
  `SELECT ${COLUMNS} FROM memberships WHERE user_id IN (SELECT user_id FROM memberships WHERE account_id = $1) ${ORDER}`,
);
const find = memberships(`SELECT ${COLUMNS} FROM memberships WHERE user_id = $1 AND account_id = $2`);
const members = statement<{ userId: string }>(
  `SELECT user_id AS "userId" FROM memberships WHERE account_id = $1 ORDER BY user_id`,
);
const count = statement<{ count: number }>("SELECT count(*) AS count FROM memberships WHERE account_id = $1");
const otherOwner = statement(
  "SELECT 1 FROM memberships WHERE account_id = $1 AND role = 'owner' AND user_id <> $2 LIMIT 1",
);

const add = statement(
  `INSERT INTO further_memberships (user_id, account_id, role, by_group, joined_at_ms) VALUES ($1, $2, $3, $4, $5)`,
);
const setFirstRole = statement("UPDATE users SET role = $3 WHERE id = $1 AND account_id = $2");
const setFurtherRole = statement("UPDATE further_memberships SET role = $3 WHERE user_id = $1 AND account_id = $2");
const remove = statement("DELETE FROM further_memberships WHERE user_id = $1 AND account_id = $2");
const nextFirst = memberships(
  `SELECT ${COLUMNS} FROM memberships WHERE user_id = $1 AND place = 1 ORDER BY joined_at_ms, account_id LIMIT 1`,
);
const setFirst = statement(
  "UPDATE users SET account_id = $2, role = $3, by_group = $4, joined_at_ms = $5 WHERE id = $1",
);
// An operator may stay in an account without belonging to it.
const moveSessions = statement(
  `UPDATE sessions SET account_id = (SELECT account_id FROM users WHERE id = $1)
     WHERE user_id = $1 AND account_id = $2 AND NOT EXISTS (SELECT 1 FROM users WHERE id = $1 AND operator)`,
);
// Who has left may have the link of an invitation that they have sent. An operator invites users whatever the role.
const endInvitations = statement(
  `DELETE FROM invitations WHERE account_id = $2 AND invited_by = (SELECT email FROM users WHERE id = $1 AND NOT operator)`,
);

/** A membership, by its user and account. */
export interface MembershipKey {
  userId: string;
  accountId: string;
}

export async function membershipsOf(session: Session, userId: string): Promise<Memberships | null> {
  return asMemberships((await session.run(ofUser, [userId])).rows);
}

/** Of the users who belong to an account, or of all if null; by the ids of users. */
export async function membershipsByUser(
  session: Session,
  accountId: string | null,
): Promise<ReadonlyMap<string, Memberships>> {
  const { rows } = accountId === null ? await session.run(ofAll) : await session.run(ofAccount, [accountId]);
  const byUser = new Map<string, Memberships>();
  for (const { userId, ...membership } of rows) {
    const former = byUser.get(userId);
    byUser.set(userId, former === undefined ? [membership] : [...former, membership]);
  }
  return byUser;
}

function asMemberships(rows: readonly MembershipRow[]): Memberships | null {
  const [own, ...further] = rows.map(({ userId: _, ...membership }) => membership);
  return own === undefined ? null : [own, ...further];
}

export async function findMembership(
  session: Session,
  { userId, accountId }: MembershipKey,
): Promise<Membership | null> {
  const row = await first(session, find, [userId, accountId]);
  return asMemberships(row === null ? [] : [row])?.[0] ?? null;
}

export const countMembers = async (session: Session, accountId: string): Promise<number> =>
  (await first(session, count, [accountId]))?.count ?? 0;

/** The ids of the users who belong to an account. */
export const membersOf = async (session: Session, accountId: string): Promise<string[]> =>
  (await session.run(members, [accountId])).rows.map(({ userId }) => userId);

export const hasOtherOwner = async (session: Session, { userId, accountId }: MembershipKey): Promise<boolean> =>
  (await session.run(otherOwner, [accountId, userId])).count > 0;

/** The user exists, and does not belong to the account. */
export async function addMembership(session: Session, userId: string, membership: Membership): Promise<void> {
  const { accountId, role, byGroup, joinedAtMs } = membership;
  await session.run(add, [userId, accountId, role, byGroup, joinedAtMs]);
}

/** Also ends the invitations to the account that the user has sent, unless they remain an owner's or are an operator's. */
export async function setRole(session: Session, { userId, accountId }: MembershipKey, role: Role): Promise<void> {
  await session.run(setFirstRole, [userId, accountId, role]);
  await session.run(setFurtherRole, [userId, accountId, role]);
  if (role !== "owner") await session.run(endInvitations, [userId, accountId]);
}

/**
 * Removes a membership that is not the user's only one, and returns true; does nothing for the only one, and returns false. The invitations
 * to the account that the user has sent end, unless the user is an operator, and sessions there go to the user's own account.
 */
export async function leaveAccount(session: Session, { userId, accountId }: MembershipKey): Promise<boolean> {
  // Two memberships of one user that end at the same time must not both take the other for the one that is left.
  await session.lock("users", userId);
  if ((await session.run(remove, [userId, accountId])).count === 0) {
    const next = await first(session, nextFirst, [userId]);
    if (next === null) return false;
    await session.run(setFirst, [userId, next.accountId, next.role, next.byGroup, next.joinedAtMs]);
    await session.run(remove, [userId, next.accountId]);
  }
  await session.run(endInvitations, [userId, accountId]);
  await session.run(moveSessions, [userId, accountId]);
  return true;
}
