/**
 * Accounts and the creation of their users. The caller holds the transaction of a write.
 */
import type { Database } from "better-sqlite3";
import { newId } from "../../lib/new-id.ts";
import { type Account, type NewUser, SETUP_ENTRY } from "../port/accounts.ts";
import type { WriteHandlers } from "./writer-operations.ts";

interface AccountRow extends Omit<Account, "isEmptied"> {
  isEmptied: number;
}

const COLUMNS = `id, name, created_at_ms AS createdAtMs, quota_daily AS quotaDaily, deleted_at_ms AS deletedAtMs,
  emptied_at_ms IS NOT NULL AS isEmptied`;

const accountOf = (row: AccountRow): Account => ({ ...row, isEmptied: row.isEmptied === 1 });

type AccountWrites = Pick<WriteHandlers, "createAccount" | "setQuota" | "createUser" | "createFirstUser">;

export function prepareAccountWrites(db: Database): AccountWrites {
  return { ...prepareAccountChanges(db), ...prepareUserCreations(db) };
}

function prepareAccountChanges(db: Database): Pick<AccountWrites, "createAccount" | "setQuota"> {
  const add = db.prepare("INSERT OR IGNORE INTO accounts (id, name, created_at_ms) VALUES (?, ?, ?)");
  const setQuota = db.prepare("UPDATE accounts SET quota_daily = ? WHERE id = ?");
  return {
    createAccount(args) {
      const account = { id: newId("acc"), ...args, quotaDaily: null, deletedAtMs: null, isEmptied: false };
      const { changes } = add.run(account.id, account.name, account.createdAtMs);
      return { value: changes === 1 ? account : "exists" };
    },
    setQuota({ accountId, quotaDaily }) {
      setQuota.run(quotaDaily, accountId);
      return { value: undefined };
    },
  };
}

function prepareUserCreations(db: Database): Pick<AccountWrites, "createUser" | "createFirstUser"> {
  const insert = prepareInsertUser(db);
  const exists = db.prepare("SELECT 1 FROM users WHERE email = ?");
  const count = db.prepare<[string], number>("SELECT count(*) FROM users WHERE account_id = ?").pluck();
  const anyUser = db.prepare("SELECT 1 FROM users LIMIT 1");
  return {
    createUser(user) {
      if ((count.get(user.accountId) ?? 0) >= user.usersMax) {
        return { value: exists.get(user.email) === undefined ? "too_many" : "exists" };
      }
      return { value: insert(user) ?? "exists" };
    },
    createFirstUser(user) {
      return { value: anyUser.get() === undefined ? (insert(user) ?? "has_users") : "has_users" };
    },
  };
}

/** Returns null if there is a user with this email address. */
export function prepareInsertUser(db: Database): (user: Omit<NewUser, "usersMax">) => { id: string } | null {
  const add = db.prepare(
    `INSERT OR IGNORE INTO users (id, email, account_id, password_hash, operator, role, created_at_ms)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  const removeSeed = db.prepare("DELETE FROM notes WHERE name = ?");
  return ({ email, accountId, passwordHash, operator, role = "owner", createdAtMs }) => {
    const id = newId("usr");
    if (add.run(id, email, accountId, passwordHash, operator ? 1 : 0, role, createdAtMs).changes === 0) return null;
    removeSeed.run(SETUP_ENTRY);
    return { id };
  };
}

export function prepareAccountReads(db: Database) {
  const accounts = db.prepare<[], AccountRow>(`SELECT ${COLUMNS} FROM accounts ORDER BY name`);
  const named = db.prepare<[string], AccountRow>(
    `SELECT ${COLUMNS} FROM accounts WHERE name = ? AND emptied_at_ms IS NULL`,
  );
  const quotaUsed = db
    .prepare<[string, number], number>("SELECT used FROM quota WHERE account_id = ? AND day = ?")
    .pluck();
  const anyUser = db.prepare("SELECT 1 FROM users LIMIT 1");
  return {
    accounts: () => accounts.all().map(accountOf),
    accountNamed(name: string): Account | null {
      const row = named.get(name);
      return row === undefined ? null : accountOf(row);
    },
    quotaUsed: (accountId: string, day: number) => quotaUsed.get(accountId, day) ?? 0,
    hasUsers: () => anyUser.get() !== undefined,
  };
}
