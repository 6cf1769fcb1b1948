/**
 * Accounts and the creation of their users. Limits hold over all nodes: what an account has is counted under a lock on its row.
 */
import { randomBytes } from "node:crypto";
import { newId } from "../../../lib/new-id.ts";
import { first, type Session } from "../../engine/session.ts";
import { statement } from "../../engine/statement.ts";
import { type Account, type NewUser, SETUP_ENTRY, STATUS_PAGES_OFF } from "../../port/accounts.ts";
import { foldedEmail } from "../../port/folded-email.ts";
import { countMembers } from "./memberships.ts";

const COLUMNS = `id, name, created_at_ms AS "createdAtMs", quota_daily AS "quotaDaily", deleted_at_ms AS "deletedAtMs",
  emptied_at_ms IS NOT NULL AS "isEmptied"`;

const account = (text: string) => statement<Account>(text, { booleans: ["isEmptied"] });

const add = account(
  `INSERT INTO accounts (id, name, created_at_ms) VALUES ($1, $2, $3) ON CONFLICT (name) DO NOTHING RETURNING ${COLUMNS}`,
);
const all = account(`SELECT ${COLUMNS} FROM accounts ORDER BY name`);
const named = account(`SELECT ${COLUMNS} FROM accounts WHERE name = $1 AND emptied_at_ms IS NULL`);
const withId = account(`SELECT ${COLUMNS} FROM accounts WHERE id = $1 AND emptied_at_ms IS NULL`);
const deleted = statement("SELECT 1 FROM accounts WHERE id = $1 AND deleted_at_ms IS NOT NULL");
const setQuotaOf = statement("UPDATE accounts SET quota_daily = $2 WHERE id = $1");

const findPagesOff = statement("SELECT 1 FROM key_values WHERE name = $1", { ifDamaged: "the key-value entries" });
const addPagesOff = statement("INSERT INTO key_values (name, text) VALUES ($1, '') ON CONFLICT (name) DO NOTHING");
const removePagesOff = statement("DELETE FROM key_values WHERE name = $1");

const anyUser = statement("SELECT 1 FROM users LIMIT 1");
const userExists = statement("SELECT 1 FROM users WHERE lower(email) = $1");
const addUser = statement(
  `INSERT INTO users (id, email, account_id, password_hash, operator, role, created_at_ms, by_group)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
     ON CONFLICT (lower(email)) DO NOTHING`,
);
// Conflicts with the lock of every INSERT; SQLite has one writer.
const lockUsers = statement("SELECT 1 FROM users LIMIT 0", {
  postgres: "LOCK TABLE users IN SHARE ROW EXCLUSIVE MODE",
});

const SEED_BYTES = 16;
const addSeed = statement(
  `INSERT INTO key_values (name, text) SELECT '${SETUP_ENTRY}', $1 WHERE NOT EXISTS (SELECT 1 FROM users)
     ON CONFLICT (name) DO NOTHING`,
);
const findSeed = statement<{ text: string }>(
  `SELECT text FROM key_values WHERE name = '${SETUP_ENTRY}' AND NOT EXISTS (SELECT 1 FROM users)`,
);
const removeSeed = statement(`DELETE FROM key_values WHERE name = '${SETUP_ENTRY}'`);

/** The caller has the account's lock. */
export const isAccountDeleted = async (session: Session, accountId: string): Promise<boolean> =>
  (await session.run(deleted, [accountId])).count > 0;

export const accountOperations = {
  reads: {
    accounts: async (session: Session) => (await session.run(all)).rows,
    accountNamed: (session: Session, name: string) => first(session, named, [name]),
    accountWithId: (session: Session, id: string) => first(session, withId, [id]),
    /** What may be off is not shown where that cannot be read. */
    async hasStatusPages(session: Session, accountId: string): Promise<boolean> {
      const { count, isDamaged } = await session.run(findPagesOff, [STATUS_PAGES_OFF + accountId]);
      return count === 0 && !isDamaged;
    },
    hasUsers: async (session: Session) => (await session.run(anyUser)).count > 0,
  },
  writes: {
    createAccount: async (session: Session, name: string, createdAtMs: number): Promise<Account | "exists"> =>
      (await first(session, add, [newId("acc"), name, createdAtMs])) ?? "exists",
    async setQuota(session: Session, accountId: string, quotaDaily: number | null): Promise<void> {
      await session.run(setQuotaOf, [accountId, quotaDaily]);
    },
    async setStatusPages(session: Session, accountId: string, isOn: boolean): Promise<void> {
      await session.run(isOn ? removePagesOff : addPagesOff, [STATUS_PAGES_OFF + accountId]);
    },
    createUser,
    createFirstUser,
    async setupSeed(session: Session): Promise<string | null> {
      await session.run(addSeed, [randomBytes(SEED_BYTES).toString("base64url")]);
      return (await first(session, findSeed))?.text ?? null;
    },
  },
};

async function createUser(session: Session, user: NewUser): Promise<{ id: string } | "exists" | "too_many"> {
  await session.lock("accounts", user.accountId);
  if ((await countMembers(session, user.accountId)) >= user.usersMax) {
    return (await session.run(userExists, [foldedEmail(user.email)])).count > 0 ? "exists" : "too_many";
  }
  return (await insertUser(session, user)) ?? "exists";
}

async function createFirstUser(
  session: Session,
  user: Omit<NewUser, "usersMax">,
): Promise<{ id: string } | "has_users"> {
  // In the order in which createUser takes its locks.
  await session.lock("accounts", user.accountId);
  await session.run(lockUsers);
  if ((await session.run(anyUser)).count > 0) return "has_users";
  return (await insertUser(session, user)) ?? "has_users";
}

/** Returns null if there is a user with this email address. `byGroup`: whether a group gives the user's membership. */
export async function insertUser(
  session: Session,
  user: Omit<NewUser, "usersMax"> & { byGroup?: boolean },
): Promise<{ id: string } | null> {
  const id = newId("usr");
  const { email, accountId, passwordHash, operator, role = "owner", createdAtMs, byGroup = false } = user;
  const values = [id, email, accountId, passwordHash, operator, role, createdAtMs, byGroup];
  const { count } = await session.run(addUser, values);
  if (count === 0) return null;
  await session.run(removeSeed);
  return { id };
}
