/** Sessions of signed-in users. */

import { first, type Session } from "../../engine/session.ts";
import { statement } from "../../engine/statement.ts";
import {
  type NewSession,
  SESSIONS_MAX,
  type SessionTimes,
  type User,
  type Session as UserSession,
} from "../../port/people.ts";
import { sweepOf } from "../rows/sweep.ts";
import { findUser } from "./users.ts";

const COLUMNS = `hash, user_id AS "userId", account_id AS "accountId", created_at_ms AS "createdAtMs",
  seen_at_ms AS "seenAtMs", agent, ip, provider_sid AS "providerSid", provider_auth_at_ms AS "providerAuthAtMs"`;

const start = statement(
  `INSERT INTO sessions (hash, user_id, account_id, created_at_ms, seen_at_ms, agent, ip, provider_sid, provider_auth_at_ms)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
);
const endOldest = statement(
  `DELETE FROM sessions WHERE user_id = $1 AND hash NOT IN (
     SELECT hash FROM sessions WHERE user_id = $1 ORDER BY hash = $2 DESC, created_at_ms DESC LIMIT ${SESSIONS_MAX})`,
);
const find = statement<UserSession>(`SELECT ${COLUMNS} FROM sessions WHERE hash = $1`);
const ofUser = statement<UserSession>(`SELECT ${COLUMNS} FROM sessions WHERE user_id = $1 ORDER BY seen_at_ms DESC`);
const touch = statement("UPDATE sessions SET seen_at_ms = $2 WHERE hash = $1");
const sweep = sweepOf("sessions", "hash", "seen_at_ms < $1 OR created_at_ms < $2");
const switchTo = statement("UPDATE sessions SET account_id = $2 WHERE hash = $1");
const end = statement("DELETE FROM sessions WHERE user_id = $1 AND hash = $2");
const endAll = statement("DELETE FROM sessions WHERE user_id = $1");
const endOthers = statement("DELETE FROM sessions WHERE user_id = $1 AND hash <> $2");

export const sessionOperations = {
  reads: {
    async session(session: Session, hash: Buffer): Promise<{ session: UserSession; user: User } | null> {
      const found = await first(session, find, [hash]);
      const user = found === null ? null : await findUser(session, found.userId);
      return found === null || user === null ? null : { session: found, user };
    },
    sessions: async (session: Session, userId: string) => (await session.run(ofUser, [userId])).rows,
  },
  writes: {
    async startSession(session: Session, started: NewSession): Promise<void> {
      const { hash, userId, accountId, createdAtMs, seenAtMs, agent, ip } = started;
      const { providerSid = null, providerAuthAtMs = null } = started;
      if (!(await session.lock("users", userId))) return;
      await session.run(start, [
        hash,
        userId,
        accountId,
        createdAtMs,
        seenAtMs,
        agent,
        ip,
        providerSid,
        providerAuthAtMs,
      ]);
      await session.run(endOldest, [userId, hash]);
    },
    async touchSession(session: Session, hash: Buffer, times: SessionTimes): Promise<void> {
      await session.run(touch, [hash, times.nowMs]);
      await session.run(sweep, [times.idleSinceMs, times.begunSinceMs]);
    },
    async switchAccount(session: Session, hash: Buffer, accountId: string): Promise<void> {
      await session.run(switchTo, [hash, accountId]);
    },
    endSession: async (session: Session, userId: string, hash: Buffer) =>
      (await session.run(end, [userId, hash])).count === 1,
    endSessions: async (session: Session, userId: string, except: Buffer | null) =>
      (await (except === null ? session.run(endAll, [userId]) : session.run(endOthers, [userId, except]))).count,
  },
};
