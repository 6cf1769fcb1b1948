/** Users; see accounts.ts for their creation. */
import type { User, Users } from "../port/people.ts";
import type { Database } from "./database.ts";
import { statement } from "./statement.ts";
import { storedText } from "./stored-text.ts";

const COLUMNS = `id, email, account_id AS "accountId", password_hash AS "passwordHash", operator,
  created_at_ms AS "createdAtMs", sealed_totp AS "sealedTotp"`;

const find = statement<User>(`SELECT ${COLUMNS} FROM users WHERE id = $1`);
// "C" folds ASCII letters only, as the index does; the collation of the database may fold more.
const named = statement<User>(`SELECT ${COLUMNS} FROM users WHERE lower(email) = lower($1 COLLATE "C")`);
const all = statement<User>(
  `SELECT ${COLUMNS} FROM users WHERE $1::text IS NULL OR account_id = $1 ORDER BY lower(email)`,
);
const setPasswordOf = statement("UPDATE users SET password_hash = $2 WHERE id = $1");
// The user's sessions and recovery codes refer to the row, and are deleted with it.
const remove = statement("DELETE FROM users WHERE id = $1");

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
    async setPassword(userId, passwordHash) {
      await database.run(setPasswordOf, [userId, passwordHash]);
    },
    async removeUser(userId) {
      return (await database.run(remove, [storedText(userId)])).count === 1;
    },
  };
}
