/** Sessions of signed-in users, valid at every node. */
import { SESSIONS_MAX, type Sessions, type User, type Session as UserSession } from "../port/people.ts";
import type { Database } from "./database.ts";
import { type Session, statement } from "./statement.ts";
import { storedText } from "./stored-text.ts";

const COLUMNS = `sessions.hash, sessions.user_id AS "userId", sessions.account_id AS "accountId",
  sessions.created_at_ms AS "createdAtMs", sessions.seen_at_ms AS "seenAtMs", sessions.agent, sessions.ip`;

// Sessions of a user that begin at the same time are counted one after the other.
const lockUser = statement("SELECT FROM users WHERE id = $1 FOR NO KEY UPDATE");
const start = statement(
  `INSERT INTO sessions (hash, user_id, account_id, created_at_ms, seen_at_ms, agent, ip)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
);
const endOldest = statement(
  `DELETE FROM sessions WHERE user_id = $1 AND hash NOT IN (
     SELECT hash FROM sessions WHERE user_id = $1 ORDER BY hash = $2 DESC, created_at_ms DESC LIMIT ${SESSIONS_MAX})`,
);

type UserColumns = Omit<User, "id" | "accountId" | "createdAtMs"> & { userAccountId: string; userCreatedAtMs: number };

const find = statement<UserSession & UserColumns>(
  `SELECT ${COLUMNS}, users.email, users.account_id AS "userAccountId", users.operator, users.role,
          users.created_at_ms AS "userCreatedAtMs", users.password_hash AS "passwordHash", users.sealed_totp AS "sealedTotp"
     FROM sessions JOIN users ON users.id = user_id WHERE hash = $1`,
);
const ofUser = statement<UserSession>(`SELECT ${COLUMNS} FROM sessions WHERE user_id = $1 ORDER BY seen_at_ms DESC`);
const touch = statement("UPDATE sessions SET seen_at_ms = $2 WHERE hash = $1");
// A session that another node removes or touches at this moment is left to it.
const sweep = statement(
  `DELETE FROM sessions WHERE hash IN
     (SELECT hash FROM sessions WHERE seen_at_ms < $1 OR created_at_ms < $2 FOR UPDATE SKIP LOCKED)`,
);
const switchTo = statement("UPDATE sessions SET account_id = $2 WHERE hash = $1");
const end = statement("DELETE FROM sessions WHERE user_id = $1 AND hash = $2");
const endAll = statement("DELETE FROM sessions WHERE user_id = $1 AND hash IS DISTINCT FROM $2");

export function sessionOperations(database: Database): Sessions {
  return {
    startSession: (session) => database.transaction((transaction) => startSession(transaction, session)),
    async session(hash) {
      const [row] = (await database.run(find, [hash])).rows;
      return row === undefined ? null : foundSession(row);
    },
    async sessions(userId) {
      return (await database.run(ofUser, [storedText(userId)])).rows;
    },
    async touchSession(hash, { nowMs, idleSinceMs, begunSinceMs }) {
      await database.run(touch, [hash, nowMs]);
      await database.run(sweep, [idleSinceMs, begunSinceMs]);
    },
    async switchAccount(hash, accountId) {
      await database.run(switchTo, [hash, accountId]);
    },
    async endSession(userId, hash) {
      return (await database.run(end, [userId, hash])).count === 1;
    },
    async endSessions(userId, except) {
      return (await database.run(endAll, [userId, except])).count;
    },
  };
}

async function startSession(transaction: Session, session: UserSession): Promise<void> {
  const { hash, userId, accountId, createdAtMs, seenAtMs, agent, ip } = session;
  if ((await transaction.run(lockUser, [userId])).count === 0) return;
  await transaction.run(start, [hash, userId, accountId, createdAtMs, seenAtMs, storedText(agent), ip]);
  await transaction.run(endOldest, [userId, hash]);
}

function foundSession(row: UserSession & UserColumns): { session: UserSession; user: User } {
  const { hash, userId, accountId, createdAtMs, seenAtMs, agent, ip, ...user } = row;
  const { userAccountId, userCreatedAtMs, ...own } = user;
  return {
    session: { hash, userId, accountId, createdAtMs, seenAtMs, agent, ip },
    user: { id: userId, accountId: userAccountId, createdAtMs: userCreatedAtMs, ...own },
  };
}
