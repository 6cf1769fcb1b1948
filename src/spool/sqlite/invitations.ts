/**
 * Invitations and password resets. The caller holds the transaction of a write. A link from the future is not valid: one that was
 * made while the clock was ahead must not last longer.
 */
import type { Database } from "better-sqlite3";
import { INVITATION_MS, type Invitation } from "../port/invitations.ts";
import { PASSWORD_RESET_MS, PASSWORD_RESETS_MAX, PASSWORD_RESETS_MS } from "../port/password-resets.ts";
import { prepareInsertUser } from "./accounts.ts";
import type { WriteHandlers } from "./writer-operations.ts";

const COLUMNS = "id, account_id AS accountId, email, role, invited_by AS invitedBy, created_at_ms AS createdAtMs";

const OPEN = `abs(created_at_ms - @nowMs) < ${INVITATION_MS}`;
const VALID = `abs(created_at_ms - @nowMs) < ${PASSWORD_RESET_MS}`;

type InvitationWrites = Pick<
  WriteHandlers,
  "createInvitation" | "acceptInvitation" | "revokeInvitation" | "createPasswordReset" | "resetPassword"
>;

export function prepareInvitationWrites(db: Database): InvitationWrites {
  const revoke = db.prepare("DELETE FROM invitations WHERE id = ? AND account_id = ?");
  return {
    createInvitation: prepareCreate(db),
    acceptInvitation: prepareAccept(db),
    revokeInvitation: ({ accountId, invitationId }) => ({ value: revoke.run(invitationId, accountId).changes === 1 }),
    createPasswordReset: prepareCreateReset(db),
    resetPassword: prepareResetPassword(db),
  };
}

function prepareCreate(db: Database): InvitationWrites["createInvitation"] {
  const isDeleted = db.prepare("SELECT 1 FROM accounts WHERE id = ? AND deleted_at_ms IS NOT NULL");
  const isMember = db.prepare("SELECT 1 FROM users WHERE account_id = ? AND email = ?");
  const dropEnded = db.prepare(`DELETE FROM invitations WHERE NOT ${OPEN}`);
  const dropEarlier = db.prepare("DELETE FROM invitations WHERE account_id = ? AND email = ?");
  const count = db
    .prepare<{ accountId: string }, number>(
      `SELECT (SELECT count(*) FROM users WHERE account_id = @accountId)
            + (SELECT count(*) FROM invitations WHERE account_id = @accountId)`,
    )
    .pluck();
  const add = db.prepare(
    `INSERT INTO invitations (id, hash, account_id, email, role, invited_by, created_at_ms)
       VALUES (@id, @hash, @accountId, @email, @role, @invitedBy, @createdAtMs)`,
  );
  return ({ usersMax, ...invitation }) => {
    const { accountId, email, createdAtMs } = invitation;
    if (isDeleted.get(accountId) !== undefined) return { value: "gone" };
    if (isMember.get(accountId, email) !== undefined) return { value: "is_member" };
    dropEnded.run({ nowMs: createdAtMs });
    dropEarlier.run(accountId, email);
    if ((count.get({ accountId }) ?? 0) >= usersMax) return { value: "too_many" };
    add.run(invitation);
    return { value: "created" };
  };
}

function prepareAccept(db: Database): InvitationWrites["acceptInvitation"] {
  const find = db.prepare<{ hash: Uint8Array; nowMs: number }, Invitation>(
    `SELECT ${COLUMNS} FROM invitations WHERE hash = @hash AND ${OPEN}
       AND account_id IN (SELECT id FROM accounts WHERE deleted_at_ms IS NULL)`,
  );
  const drop = db.prepare("DELETE FROM invitations WHERE hash = ?");
  const insert = prepareInsertUser(db);
  return ({ hash, passwordHash, nowMs }) => {
    const invitation = find.get({ hash, nowMs });
    if (invitation === undefined) return { value: "gone" };
    const { email, accountId, role } = invitation;
    const created = insert({ email, accountId, role, passwordHash, operator: false, createdAtMs: nowMs });
    if (created === null) return { value: "exists" };
    drop.run(hash);
    return { value: { userId: created.id } };
  };
}

function prepareCreateReset(db: Database): InvitationWrites["createPasswordReset"] {
  const dropEnded = db.prepare(`DELETE FROM password_resets WHERE NOT ${VALID}`);
  const add = db.prepare(
    `INSERT INTO password_resets (hash, user_id, created_at_ms)
       SELECT @hash, id, @createdAtMs FROM users WHERE id = @userId AND ${PASSWORD_RESETS_MAX} > (
         SELECT count(*) FROM password_resets
           WHERE user_id = @userId AND abs(created_at_ms - @createdAtMs) < ${PASSWORD_RESETS_MS})`,
  );
  return (reset) => {
    dropEnded.run({ nowMs: reset.createdAtMs });
    return { value: add.run(reset).changes === 1 };
  };
}

function prepareResetPassword(db: Database): InvitationWrites["resetPassword"] {
  const find = prepareFindReset(db);
  const setPassword = db.prepare("UPDATE users SET password_hash = ? WHERE id = ?");
  const endSessions = db.prepare("DELETE FROM sessions WHERE user_id = ?");
  const endResets = db.prepare("DELETE FROM password_resets WHERE user_id = ?");
  return ({ hash, passwordHash, nowMs }) => {
    const userId = find.get({ hash, nowMs }) ?? null;
    if (userId === null) return { value: null };
    setPassword.run(passwordHash, userId);
    endSessions.run(userId);
    endResets.run(userId);
    return { value: userId };
  };
}

const prepareFindReset = (db: Database) =>
  db
    .prepare<{ hash: Uint8Array; nowMs: number }, string>(
      `SELECT user_id FROM password_resets WHERE hash = @hash AND ${VALID}`,
    )
    .pluck();

export function prepareInvitationReads(db: Database) {
  const ofAccount = db.prepare<{ accountId: string; nowMs: number }, Invitation>(
    `SELECT ${COLUMNS} FROM invitations WHERE account_id = @accountId AND ${OPEN} ORDER BY created_at_ms DESC, id`,
  );
  const named = db.prepare<{ hash: Uint8Array; nowMs: number }, Invitation>(
    `SELECT ${COLUMNS} FROM invitations WHERE hash = @hash AND ${OPEN}`,
  );
  const reset = prepareFindReset(db);
  return {
    invitations: (accountId: string, nowMs: number) => ofAccount.all({ accountId, nowMs }),
    invitationOf: (hash: Uint8Array, nowMs: number) => named.get({ hash, nowMs }) ?? null,
    passwordResetOf: (hash: Uint8Array, nowMs: number) => reset.get({ hash, nowMs }) ?? null,
  };
}
