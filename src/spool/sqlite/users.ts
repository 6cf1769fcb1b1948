/**
 * Users. The caller holds the transaction of a write.
 */
import type { Database } from "better-sqlite3";
import type { User } from "../port/people.ts";
import type { WriteHandlers } from "./writer-operations.ts";

export interface UserRow {
  id: string;
  email: string;
  account_id: string;
  password_hash: string;
  operator: number;
  created_at_ms: number;
  sealed_totp: Buffer | null;
}

export const USER_COLUMNS = "id, email, account_id, password_hash, operator, created_at_ms, sealed_totp";

export const toUser = (row: UserRow): User => ({
  id: row.id,
  email: row.email,
  accountId: row.account_id,
  operator: row.operator === 1,
  createdAtMs: row.created_at_ms,
  passwordHash: row.password_hash,
  sealedTotp: row.sealed_totp,
});

export function prepareUserWrites(db: Database): Pick<WriteHandlers, "setPassword" | "removeUser"> {
  const setPassword = db.prepare("UPDATE users SET password_hash = ? WHERE id = ?");
  const endSessions = db.prepare("DELETE FROM sessions WHERE user_id = ?");
  const dropCodes = db.prepare("DELETE FROM recovery_codes WHERE user_id = ?");
  const remove = db.prepare("DELETE FROM users WHERE id = ?");
  return {
    setPassword({ userId, passwordHash }) {
      setPassword.run(passwordHash, userId);
      return { value: undefined };
    },
    removeUser(userId) {
      endSessions.run(userId);
      dropCodes.run(userId);
      return { value: remove.run(userId).changes === 1 };
    },
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
