/**
 * Accounts and the creation of their users; see quota-blocks.ts for the quotas that they use. Limits hold over all nodes: what an
 * account has is counted under a lock on its row.
 */
import { randomBytes } from "node:crypto";
import { newId } from "../../lib/new-id.ts";
import { type Account, type Accounts, type NewUser, SETUP_ENTRY } from "../port/accounts.ts";
import type { Database } from "./database.ts";
import { type Session, statement } from "./statement.ts";
import { storedText } from "./stored-text.ts";

const COLUMNS = `id, name, created_at_ms AS "createdAtMs", quota_daily AS "quotaDaily", deleted_at_ms AS "deletedAtMs",
  emptied_at_ms IS NOT NULL AS "isEmptied"`;

const add = statement<Account>(
  `INSERT INTO accounts (id, name, created_at_ms) VALUES ($1, $2, $3) ON CONFLICT (name) DO NOTHING RETURNING ${COLUMNS}`,
);
const all = statement<Account>(`SELECT ${COLUMNS} FROM accounts ORDER BY name`);
const named = statement<Account>(`SELECT ${COLUMNS} FROM accounts WHERE name = $1 AND emptied_at_ms IS NULL`);
const setQuotaOf = statement("UPDATE accounts SET quota_daily = $2 WHERE id = $1");

// Weaker than FOR UPDATE: rows that refer to the account are inserted meanwhile.
const lock = statement("SELECT FROM accounts WHERE id = $1 FOR NO KEY UPDATE");
const deleted = statement("SELECT FROM accounts WHERE id = $1 AND deleted_at_ms IS NOT NULL");

const anyUser = statement("SELECT FROM users LIMIT 1");
const countUsers = statement<{ count: number }>("SELECT count(*) AS count FROM users WHERE account_id = $1");
const userExists = statement(`SELECT FROM users WHERE lower(email) = lower($1 COLLATE "C")`);
const addUser = statement(
  `INSERT INTO users (id, email, account_id, password_hash, operator, role, created_at_ms) VALUES ($1, $2, $3, $4, $5, $6, $7)
     ON CONFLICT (lower(email)) DO NOTHING`,
);

// Conflicts with the lock of every INSERT.
const lockUsers = statement("LOCK TABLE users IN SHARE ROW EXCLUSIVE MODE");

const SEED_BYTES = 16;
const addSeed = statement(
  `INSERT INTO key_values (name, text) SELECT '${SETUP_ENTRY}', $1 WHERE NOT EXISTS (SELECT FROM users)
     ON CONFLICT (name) DO NOTHING`,
);
const findSeed = statement<{ text: string }>(
  `SELECT text FROM key_values WHERE name = '${SETUP_ENTRY}' AND NOT EXISTS (SELECT FROM users)`,
);
const removeSeed = statement(`DELETE FROM key_values WHERE name = '${SETUP_ENTRY}'`);

/** Makes other transactions that take this lock wait until the end of this one. To be taken before what is limited is counted. */
export async function lockAccount(session: Session, accountId: string): Promise<void> {
  await session.run(lock, [accountId]);
}

/** The caller has the account's lock. */
export async function isAccountDeleted(session: Session, accountId: string): Promise<boolean> {
  return (await session.run(deleted, [accountId])).count > 0;
}

type Removals = "deleteAccount" | "restoreAccount" | "removeDeletedAccounts";

export function accountOperations(database: Database): Omit<Accounts, "quotaUsed" | Removals> {
  return {
    async createAccount(name, createdAtMs) {
      const { rows } = await database.run(add, [newId("acc"), storedText(name), createdAtMs]);
      return rows[0] ?? "exists";
    },
    async accounts() {
      return (await database.run(all)).rows;
    },
    async accountNamed(name) {
      return (await database.run(named, [storedText(name)])).rows[0] ?? null;
    },
    async setQuota(accountId, quotaDaily) {
      await database.run(setQuotaOf, [accountId, quotaDaily]);
    },
    createUser: (user) => database.transaction((session) => createUser(session, user)),
    createFirstUser: (user) => database.transaction((session) => createFirstUser(session, user)),
    async hasUsers() {
      return (await database.run(anyUser)).count > 0;
    },
    async setupSeed() {
      const [stored] = (await database.run(findSeed)).rows;
      if (stored !== undefined) return stored.text;
      await database.run(addSeed, [randomBytes(SEED_BYTES).toString("base64url")]);
      return (await database.run(findSeed)).rows[0]?.text ?? null;
    },
  };
}

async function createUser(session: Session, user: NewUser): Promise<{ id: string } | "exists" | "too_many"> {
  const email = storedText(user.email);
  await lockAccount(session, user.accountId);
  const [users] = (await session.run(countUsers, [user.accountId])).rows;
  if (users !== undefined && users.count >= user.usersMax) {
    return (await session.run(userExists, [email])).count > 0 ? "exists" : "too_many";
  }
  return (await insertUser(session, user)) ?? "exists";
}

async function createFirstUser(
  session: Session,
  user: Omit<NewUser, "usersMax">,
): Promise<{ id: string } | "has_users"> {
  // In the order in which createUser takes its locks.
  await lockAccount(session, user.accountId);
  await session.run(lockUsers);
  if ((await session.run(anyUser)).count > 0) return "has_users";
  return (await insertUser(session, user)) ?? "has_users";
}

/** Returns null if there is a user with this email address. */
export async function insertUser(session: Session, user: Omit<NewUser, "usersMax">): Promise<{ id: string } | null> {
  const id = newId("usr");
  const { email, accountId, passwordHash, operator, role = "owner", createdAtMs } = user;
  const values = [id, storedText(email), accountId, passwordHash, operator, role, createdAtMs];
  if ((await session.run(addUser, values)).count === 0) return null;
  await session.run(removeSeed);
  return { id };
}
