/**
 * Users. The caller holds the transaction of a write.
 */
import type { Database } from "better-sqlite3";
import type { Role, User } from "../port/people.ts";
import type { WriteHandlers } from "./writer-operations.ts";

export interface UserRow {
  id: string;
  email: string;
  account_id: string;
  password_hash: string;
  operator: number;
  role: Role;
  created_at_ms: number;
  sealed_totp: Buffer | null;
}

export const USER_COLUMNS = "id, email, account_id, password_hash, operator, role, created_at_ms, sealed_totp";

export const toUser = (row: UserRow): User => ({
  id: row.id,
  email: row.email,
  accountId: row.account_id,
  operator: row.operator === 1,
  role: row.role,
  createdAtMs: row.created_at_ms,
  passwordHash: row.password_hash,
  sealedTotp: row.sealed_totp,
});

type UserWrites = Pick<WriteHandlers, "setPassword" | "changeMember" | "removeUser">;

export function prepareUserWrites(db: Database): UserWrites {
  const setPassword = db.prepare("UPDATE users SET password_hash = ? WHERE id = ?");
  const endResets = db.prepare("DELETE FROM password_resets WHERE user_id = ?");
  const remove = prepareRemoveUser(db);
  return {
    setPassword({ userId, passwordHash }) {
      setPassword.run(passwordHash, userId);
      endResets.run(userId);
      return { value: undefined };
    },
    changeMember: prepareChangeMember(db),
    removeUser: (userId) => ({ value: remove(userId) }),
  };
}

/**
 * Returns a function that removes a user with all that belongs to it, and returns whether there was one. The invitations that the user
 * has sent end too: a removed owner may have the link of one.
 */
export function prepareRemoveUser(db: Database): (userId: string) => boolean {
  const endInvitations = db.prepare(
    "DELETE FROM invitations WHERE invited_by = (SELECT email FROM users WHERE id = ?)",
  );
  const drops = ["sessions", "recovery_codes", "password_resets"].map((table) =>
    db.prepare(`DELETE FROM ${table} WHERE user_id = ?`),
  );
  const remove = db.prepare("DELETE FROM users WHERE id = ?");
  return (userId) => {
    endInvitations.run(userId);
    for (const drop of drops) drop.run(userId);
    return remove.run(userId).changes === 1;
  };
}

function prepareChangeMember(db: Database): UserWrites["changeMember"] {
  const exists = db.prepare("SELECT 1 FROM users WHERE id = ? AND account_id = ?");
  const otherOwner = db.prepare("SELECT 1 FROM users WHERE account_id = ? AND role = 'owner' AND id <> ?");
  const setRole = db.prepare("UPDATE users SET role = ? WHERE id = ?");
  // An operator invites users whatever the role.
  const endInvitations = db.prepare(
    "DELETE FROM invitations WHERE invited_by = (SELECT email FROM users WHERE id = ? AND operator = 0)",
  );
  const remove = prepareRemoveUser(db);
  return ({ accountId, userId, role, keepOwner }) => {
    if (exists.get(userId, accountId) === undefined) return { value: "not_found" };
    const hasOwner = role === "owner" || otherOwner.get(accountId, userId) !== undefined;
    if (keepOwner && !hasOwner) return { value: "last_owner" };
    if (role === null) remove(userId);
    else setRole.run(role, userId);
    if (role !== null && role !== "owner") endInvitations.run(userId);
    return { value: "changed" };
  };
}

export function prepareUserReads(db: Database) {
  const user = db.prepare<[string], UserRow>(`SELECT ${USER_COLUMNS} FROM users WHERE id = ?`);
  const named = db.prepare<[string], UserRow>(`SELECT ${USER_COLUMNS} FROM users WHERE email = ?`);
  const users = db.prepare<{ accountId: string | null }, UserRow>(
    `SELECT ${USER_COLUMNS} FROM users WHERE @accountId IS NULL OR account_id = @accountId ORDER BY email`,
  );
  const userOf = (row: UserRow | undefined): User | null => (row === undefined ? null : toUser(row));
  return {
    user: (userId: string) => userOf(user.get(userId)),
    userNamed: (email: string) => userOf(named.get(email)),
    users: (accountId: string | null) => users.all({ accountId }).map(toUser),
  };
}
