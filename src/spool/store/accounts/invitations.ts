/** Invitations. A link from the future is not valid: one that was made while the clock was ahead must not last longer. */

import { first, type Session } from "../../engine/session.ts";
import { statement } from "../../engine/statement.ts";
import { foldedEmail } from "../../port/folded-email.ts";
import { INVITATION_MS, type Invitation, type InvitationUse, type NewInvitation } from "../../port/invitations.ts";
import type { LinkUse } from "../../port/password-resets.ts";
import { insertUser, isAccountDeleted } from "./accounts.ts";
import { addMembership, countMembers, findMembership } from "./memberships.ts";

const COLUMNS = `id, account_id AS "accountId", email, role, invited_by AS "invitedBy", created_at_ms AS "createdAtMs"`;
const OPEN = `abs(created_at_ms - CAST($2 AS bigint)) < ${INVITATION_MS}`;

const isMember = statement(
  "SELECT 1 FROM users WHERE lower(email) = $2 AND id IN (SELECT user_id FROM memberships WHERE account_id = $1)",
);
const emailOf = statement<{ email: string }>("SELECT email FROM users WHERE id = $1");
const dropEnded = statement(`DELETE FROM invitations WHERE account_id = $1 AND NOT ${OPEN}`);
const dropEarlier = statement("DELETE FROM invitations WHERE account_id = $1 AND lower(email) = $2");
const count = statement<{ count: number }>(
  `SELECT count(*) AS count FROM invitations WHERE account_id = $1 AND ${OPEN}`,
);
const add = statement(
  `INSERT INTO invitations (id, hash, account_id, email, role, invited_by, created_at_ms) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
);
const ofAccount = statement<Invitation>(
  `SELECT ${COLUMNS} FROM invitations WHERE account_id = $1 AND ${OPEN} ORDER BY created_at_ms DESC, id`,
);
const find = statement<Invitation>(`SELECT ${COLUMNS} FROM invitations WHERE hash = $1 AND ${OPEN}`);
const drop = statement("DELETE FROM invitations WHERE hash = $1");
const revoke = statement("DELETE FROM invitations WHERE account_id = $1 AND id = $2");

export const invitationOperations = {
  reads: {
    invitations: async (session: Session, accountId: string, nowMs: number) =>
      (await session.run(ofAccount, [accountId, nowMs])).rows,
    invitationOf: (session: Session, hash: Buffer, nowMs: number) => first(session, find, [hash, nowMs]),
  },
  writes: {
    createInvitation,
    acceptInvitation,
    joinByInvitation,
    revokeInvitation: async (session: Session, accountId: string, invitationId: string) =>
      (await session.run(revoke, [accountId, invitationId])).count === 1,
  },
};

async function createInvitation(
  session: Session,
  { id, hash, accountId, email, role, invitedBy, createdAtMs, usersMax }: NewInvitation,
): Promise<"created" | "is_member" | "too_many" | "gone"> {
  await session.lock("accounts", accountId);
  if (await isAccountDeleted(session, accountId)) return "gone";
  if ((await session.run(isMember, [accountId, foldedEmail(email)])).count > 0) return "is_member";
  await session.run(dropEnded, [accountId, createdAtMs]);
  await session.run(dropEarlier, [accountId, foldedEmail(email)]);
  if ((await countPlaces(session, accountId, createdAtMs)) >= usersMax) return "too_many";
  await session.run(add, [id, hash, accountId, email, role, invitedBy, createdAtMs]);
  return "created";
}

/** The users of an account and its open invitations, each of which has a place. */
export async function countPlaces(session: Session, accountId: string, nowMs: number): Promise<number> {
  const invitations = await first(session, count, [accountId, nowMs]);
  return (await countMembers(session, accountId)) + (invitations?.count ?? 0);
}

/** Returns the open invitation of a link, with the lock of its account: a second use of the link waits there, and finds it used. */
async function lockedInvitation(session: Session, { hash, nowMs }: Pick<LinkUse, "hash" | "nowMs">) {
  const found = await first(session, find, [hash, nowMs]);
  if (found === null) return null;
  await session.lock("accounts", found.accountId);
  return (await isAccountDeleted(session, found.accountId)) ? null : first(session, find, [hash, nowMs]);
}

async function acceptInvitation(
  session: Session,
  { hash, passwordHash, nowMs }: LinkUse,
): Promise<{ userId: string } | "gone" | "exists"> {
  const invitation = await lockedInvitation(session, { hash, nowMs });
  if (invitation === null) return "gone";
  const { email, accountId, role } = invitation;
  const user = { email, accountId, role, passwordHash, operator: false, createdAtMs: nowMs };
  const created = await insertUser(session, user);
  if (created === null) return "exists";
  await session.run(drop, [hash]);
  return { userId: created.id };
}

async function joinByInvitation(
  session: Session,
  { hash, userId, nowMs }: InvitationUse,
): Promise<"joined" | "gone" | "other_address" | "is_member"> {
  const invitation = await lockedInvitation(session, { hash, nowMs });
  if (invitation === null) return "gone";
  await session.lock("users", userId);
  const user = await first(session, emailOf, [userId]);
  const { accountId, role, email } = invitation;
  if (user === null || foldedEmail(user.email) !== foldedEmail(email)) return "other_address";
  if ((await findMembership(session, { userId, accountId })) !== null) return "is_member";
  await addMembership(session, userId, { accountId, role, byGroup: false, joinedAtMs: nowMs });
  await session.run(drop, [hash]);
  return "joined";
}
