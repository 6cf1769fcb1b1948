/**
 * Invitations and password resets, valid at every node. A link from the future is not valid: one that was made while the clock was
 * ahead must not last longer.
 */
import { INVITATION_MS, type Invitation, type Invitations, type NewInvitation } from "../port/invitations.ts";
import {
  type LinkUse,
  type NewPasswordReset,
  PASSWORD_RESET_MS,
  PASSWORD_RESETS_MAX,
  PASSWORD_RESETS_MS,
  type PasswordResets,
} from "../port/password-resets.ts";
import { insertUser, isAccountDeleted, lockAccount } from "./accounts.ts";
import type { Database } from "./database.ts";
import { type Session, statement } from "./statement.ts";
import { storedText } from "./stored-text.ts";

const COLUMNS = `id, account_id AS "accountId", email, role, invited_by AS "invitedBy", created_at_ms AS "createdAtMs"`;

const openAt = (parameter: string): string => `abs(created_at_ms - ${parameter}) < ${INVITATION_MS}`;
const validAt = (parameter: string): string => `abs(created_at_ms - ${parameter}) < ${PASSWORD_RESET_MS}`;

const SAME_EMAIL = `account_id = $1 AND lower(email) = lower($2 COLLATE "C")`;
const isMember = statement(`SELECT FROM users WHERE ${SAME_EMAIL}`);
const dropEnded = statement(`DELETE FROM invitations WHERE account_id = $1 AND NOT ${openAt("$2::bigint")}`);
const dropEarlier = statement(`DELETE FROM invitations WHERE ${SAME_EMAIL}`);
const count = statement<{ count: number }>(
  `SELECT (SELECT count(*) FROM users WHERE account_id = $1)
        + (SELECT count(*) FROM invitations WHERE account_id = $1) AS count`,
);
const add = statement(
  `INSERT INTO invitations (id, hash, account_id, email, role, invited_by, created_at_ms) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
);
const ofAccount = statement<Invitation>(
  `SELECT ${COLUMNS} FROM invitations WHERE account_id = $1 AND ${openAt("$2::bigint")} ORDER BY created_at_ms DESC, id`,
);
const find = statement<Invitation>(`SELECT ${COLUMNS} FROM invitations WHERE hash = $1 AND ${openAt("$2::bigint")}`);
const drop = statement("DELETE FROM invitations WHERE hash = $1");
const revoke = statement("DELETE FROM invitations WHERE account_id = $1 AND id = $2");

const sweepResets = statement(`DELETE FROM password_resets WHERE NOT ${validAt("$1::bigint")}`);
// Links of one user that are made at the same time are counted one after the other.
const lockUser = statement("SELECT FROM users WHERE id = $1 FOR NO KEY UPDATE");
const addReset = statement(
  `INSERT INTO password_resets (hash, user_id, created_at_ms)
     SELECT $1::bytea, $2::text, $3::bigint WHERE ${PASSWORD_RESETS_MAX} > (
       SELECT count(*) FROM password_resets WHERE user_id = $2 AND abs(created_at_ms - $3) < ${PASSWORD_RESETS_MS})`,
);
const findReset = statement<{ userId: string }>(
  `SELECT user_id AS "userId" FROM password_resets WHERE hash = $1 AND ${validAt("$2::bigint")}`,
);
const useReset = statement<{ userId: string }>(
  `DELETE FROM password_resets WHERE hash = $1 AND ${validAt("$2::bigint")} RETURNING user_id AS "userId"`,
);
const setPassword = statement("UPDATE users SET password_hash = $2 WHERE id = $1");
const endSessions = statement("DELETE FROM sessions WHERE user_id = $1");
const endResets = statement("DELETE FROM password_resets WHERE user_id = $1");

export function invitationOperations(database: Database): Invitations {
  return {
    createInvitation: (invitation) => database.transaction((session) => createInvitation(session, invitation)),
    async invitations(accountId, nowMs) {
      return (await database.run(ofAccount, [accountId, nowMs])).rows;
    },
    async invitationOf(hash, nowMs) {
      return (await database.run(find, [hash, nowMs])).rows[0] ?? null;
    },
    acceptInvitation: (use) => database.transaction((session) => acceptInvitation(session, use)),
    async revokeInvitation(accountId, invitationId) {
      return (await database.run(revoke, [accountId, storedText(invitationId)])).count === 1;
    },
  };
}

export function passwordResetOperations(database: Database): PasswordResets {
  return {
    async createPasswordReset(reset) {
      await database.run(sweepResets, [reset.createdAtMs]);
      return database.transaction((session) => createReset(session, reset));
    },
    async passwordResetOf(hash, nowMs) {
      return (await database.run(findReset, [hash, nowMs])).rows[0]?.userId ?? null;
    },
    resetPassword: (use) => database.transaction((session) => resetPassword(session, use)),
  };
}

async function createInvitation(
  session: Session,
  { id, hash, accountId, email, role, invitedBy, createdAtMs, usersMax }: NewInvitation,
): Promise<"created" | "is_member" | "too_many" | "gone"> {
  const stored = storedText(email);
  await lockAccount(session, accountId);
  if (await isAccountDeleted(session, accountId)) return "gone";
  if ((await session.run(isMember, [accountId, stored])).count > 0) return "is_member";
  await session.run(dropEnded, [accountId, createdAtMs]);
  await session.run(dropEarlier, [accountId, stored]);
  const [counted] = (await session.run(count, [accountId])).rows;
  if (counted !== undefined && counted.count >= usersMax) return "too_many";
  await session.run(add, [id, hash, accountId, stored, role, invitedBy, createdAtMs]);
  return "created";
}

async function acceptInvitation(
  session: Session,
  { hash, passwordHash, nowMs }: LinkUse,
): Promise<{ userId: string } | "gone" | "exists"> {
  const [found] = (await session.run(find, [hash, nowMs])).rows;
  if (found === undefined) return "gone";
  await lockAccount(session, found.accountId);
  // Under the lock of the account: a second use of the link waits here, and finds it used.
  const [invitation] = (await session.run(find, [hash, nowMs])).rows;
  if (invitation === undefined || (await isAccountDeleted(session, found.accountId))) return "gone";
  const { email, accountId, role } = invitation;
  const user = { email, accountId, role, passwordHash, operator: false, createdAtMs: nowMs };
  const created = await insertUser(session, user);
  if (created === null) return "exists";
  await session.run(drop, [hash]);
  return { userId: created.id };
}

async function createReset(session: Session, { hash, userId, createdAtMs }: NewPasswordReset): Promise<boolean> {
  if ((await session.run(lockUser, [userId])).count === 0) return false;
  return (await session.run(addReset, [hash, userId, createdAtMs])).count === 1;
}

async function resetPassword(session: Session, { hash, passwordHash, nowMs }: LinkUse): Promise<string | null> {
  const [found] = (await session.run(findReset, [hash, nowMs])).rows;
  if (found === undefined) return null;
  // The user first, as where a password is changed otherwise: no two nodes wait for each other.
  await session.run(lockUser, [found.userId]);
  const [used] = (await session.run(useReset, [hash, nowMs])).rows;
  if (used === undefined) return null;
  await session.run(setPassword, [used.userId, passwordHash]);
  await session.run(endSessions, [used.userId]);
  await session.run(endResets, [used.userId]);
  return used.userId;
}
