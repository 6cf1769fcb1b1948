/** Invitations. A link from the future is not valid: one that was made while the clock was ahead must not last longer. */

import { first, type Session } from "../../engine/session.ts";
import { statement } from "../../engine/statement.ts";
import { INVITATION_MS, type Invitation, type NewInvitation } from "../../port/invitations.ts";
import type { LinkUse } from "../../port/password-resets.ts";
import { insertUser, isAccountDeleted } from "./accounts.ts";
import { foldedEmail } from "./folded-email.ts";

const COLUMNS = `id, account_id AS "accountId", email, role, invited_by AS "invitedBy", created_at_ms AS "createdAtMs"`;
const OPEN = `abs(created_at_ms - CAST($2 AS bigint)) < ${INVITATION_MS}`;

const isMember = statement("SELECT 1 FROM users WHERE account_id = $1 AND lower(email) = $2");
const dropEnded = statement(`DELETE FROM invitations WHERE account_id = $1 AND NOT ${OPEN}`);
const dropEarlier = statement("DELETE FROM invitations WHERE account_id = $1 AND lower(email) = $2");
const count = statement<{ count: number }>(
  `SELECT (SELECT count(*) FROM users WHERE account_id = $1)
        + (SELECT count(*) FROM invitations WHERE account_id = $1) AS count`,
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
  const counted = await first(session, count, [accountId]);
  if (counted !== null && counted.count >= usersMax) return "too_many";
  await session.run(add, [id, hash, accountId, email, role, invitedBy, createdAtMs]);
  return "created";
}

async function acceptInvitation(
  session: Session,
  { hash, passwordHash, nowMs }: LinkUse,
): Promise<{ userId: string } | "gone" | "exists"> {
  const found = await first(session, find, [hash, nowMs]);
  if (found === null) return "gone";
  await session.lock("accounts", found.accountId);
  // Under the lock of the account: a second use of the link waits here, and finds it used.
  const invitation = await first(session, find, [hash, nowMs]);
  if (invitation === null || (await isAccountDeleted(session, found.accountId))) return "gone";
  const { email, accountId, role } = invitation;
  const user = { email, accountId, role, passwordHash, operator: false, createdAtMs: nowMs };
  const created = await insertUser(session, user);
  if (created === null) return "exists";
  await session.run(drop, [hash]);
  return { userId: created.id };
}
