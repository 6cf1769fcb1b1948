/** Password resets. A link from the future is not valid: one that was made while the clock was ahead must not last longer. */

import { first, type Session } from "../../engine/session.ts";
import { statement } from "../../engine/statement.ts";
import {
  type LinkUse,
  type NewPasswordReset,
  PASSWORD_RESET_MS,
  PASSWORD_RESETS_MAX,
  PASSWORD_RESETS_MS,
} from "../../port/password-resets.ts";

const within = (limitMs: number, parameter: string): string =>
  `abs(created_at_ms - CAST(${parameter} AS bigint)) < ${limitMs}`;

const sweep = statement(`DELETE FROM password_resets WHERE NOT ${within(PASSWORD_RESET_MS, "$1")}`);
const count = statement<{ count: number }>(
  `SELECT count(*) AS count FROM password_resets WHERE user_id = $1 AND ${within(PASSWORD_RESETS_MS, "$2")}`,
);
const add = statement("INSERT INTO password_resets (hash, user_id, created_at_ms) VALUES ($1, $2, $3)");
const find = statement<{ userId: string }>(
  `SELECT user_id AS "userId" FROM password_resets WHERE hash = $1 AND ${within(PASSWORD_RESET_MS, "$2")}`,
);
const setPassword = statement("UPDATE users SET password_hash = $2 WHERE id = $1");
const endSessions = statement("DELETE FROM sessions WHERE user_id = $1");
const endResets = statement("DELETE FROM password_resets WHERE user_id = $1");

const userOf = async (session: Session, hash: Buffer, nowMs: number): Promise<string | null> =>
  (await first(session, find, [hash, nowMs]))?.userId ?? null;

export const passwordResetOperations = {
  reads: { passwordResetOf: userOf },
  writes: {
    async createPasswordReset(session: Session, { hash, userId, createdAtMs }: NewPasswordReset): Promise<boolean> {
      // Links of one user that are made at the same time are counted one after the other.
      if (!(await session.lock("users", userId))) return false;
      await session.run(sweep, [createdAtMs]);
      const made = await first(session, count, [userId, createdAtMs]);
      if (made !== null && made.count >= PASSWORD_RESETS_MAX) return false;
      await session.run(add, [hash, userId, createdAtMs]);
      return true;
    },
    async resetPassword(session: Session, { hash, passwordHash, nowMs }: LinkUse): Promise<string | null> {
      const found = await userOf(session, hash, nowMs);
      if (found === null) return null;
      // The user first, as where a password is changed otherwise: no two nodes wait for each other. A second use of the link waits here.
      await session.lock("users", found);
      if ((await userOf(session, hash, nowMs)) === null) return null;
      await session.run(setPassword, [found, passwordHash]);
      await session.run(endSessions, [found]);
      await session.run(endResets, [found]);
      return found;
    },
  },
};
