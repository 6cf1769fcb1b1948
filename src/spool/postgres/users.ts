/** Users; see accounts.ts for their creation. */
import type { MemberChange, User, Users } from "../port/people.ts";
import { lockAccount } from "./accounts.ts";
import type { Database } from "./database.ts";
import { type Session, statement } from "./statement.ts";
import { storedText } from "./stored-text.ts";

const COLUMNS = `id, email, account_id AS "accountId", password_hash AS "passwordHash", operator, role,
  created_at_ms AS "createdAtMs", sealed_totp AS "sealedTotp"`;

const find = statement<User>(`SELECT ${COLUMNS} FROM users WHERE id = $1`);
// "C" folds ASCII letters only, as the index does; the collation of the database may fold more.
const named = statement<User>(`SELECT ${COLUMNS} FROM users WHERE lower(email) = lower($1 COLLATE "C")`);
const all = statement<User>(
  `SELECT ${COLUMNS} FROM users WHERE $1::text IS NULL OR account_id = $1 ORDER BY lower(email)`,
);
const setPasswordOf = statement("UPDATE users SET password_hash = $2 WHERE id = $1");
const endResets = statement("DELETE FROM password_resets WHERE user_id = $1");
const ofAccount = statement("SELECT FROM users WHERE id = $1 AND account_id = $2");
const otherOwner = statement("SELECT FROM users WHERE account_id = $1 AND role = 'owner' AND id <> $2 LIMIT 1");
const setRole = statement("UPDATE users SET role = $2 WHERE id = $1");
// The user's sessions, recovery codes and password resets refer to the row, and are deleted with it.
const remove = statement("DELETE FROM users WHERE id = $1");

// A removed owner may have the link of an invitation that the owner has sent.
const endInvitations = statement("DELETE FROM invitations WHERE invited_by = (SELECT email FROM users WHERE id = $1)");
// An operator invites users whatever the role.
const endInvitationsOfRole = statement(
  "DELETE FROM invitations WHERE invited_by = (SELECT email FROM users WHERE id = $1 AND NOT operator)",
);

export function userOperations(database: Database): Users {
  return {
    async user(userId) {
      return (await database.run(find, [storedText(userId)])).rows[0] ?? null;
    },
    async userNamed(email) {
      return (await database.run(named, [storedText(email)])).rows[0] ?? null;
    },
    async users(accountId) {
      return (await database.run(all, [accountId])).rows;
    },
    setPassword: (userId, passwordHash) =>
      database.transaction(async (session) => {
        await session.run(setPasswordOf, [userId, passwordHash]);
        await session.run(endResets, [userId]);
      }),
    changeMember: (change) => database.transaction((session) => changeMember(session, change)),
    removeUser: (userId) =>
      database.transaction(async (session) => {
        const id = storedText(userId);
        await session.run(endInvitations, [id]);
        return (await session.run(remove, [id])).count === 1;
      }),
  };
}

async function changeMember(
  session: Session,
  { accountId, userId, role, keepOwner }: MemberChange,
): Promise<"changed" | "last_owner" | "not_found"> {
  const id = storedText(userId);
  // Two owners who remove each other at the same time are counted one after the other.
  await lockAccount(session, accountId);
  if ((await session.run(ofAccount, [id, accountId])).count === 0) return "not_found";
  const hasOwner = role === "owner" || (await session.run(otherOwner, [accountId, id])).count > 0;
  if (keepOwner && !hasOwner) return "last_owner";
  if (role === null) {
    await session.run(endInvitations, [id]);
    await session.run(remove, [id]);
  } else {
    await session.run(setRole, [id, role]);
    if (role !== "owner") await session.run(endInvitationsOfRole, [id]);
  }
  return "changed";
}
