/** Second factors (RFC 6238) and their recovery codes. Whatever is spent is spent once, at whichever nodes it is offered. */

import { first, type Session } from "../../engine/session.ts";
import { statement } from "../../engine/statement.ts";
import { TOTP_STEPS_AHEAD_MAX } from "../../port/people.ts";

// The user's row is locked first, so of two calls at the same time one replaces all codes of the other.
const setTotpOf = statement("UPDATE users SET sealed_totp = $2, totp_step = 0 WHERE id = $1");
const dropCodes = statement("DELETE FROM recovery_codes WHERE user_id = $1");
const addCode = statement("INSERT INTO recovery_codes (user_id, hash) VALUES ($1, $2)");

// A step further ahead than any accepted code was spent while the clock was ahead. It must not lock the user out until then.
const spendStep = statement(
  `UPDATE users SET totp_step = $2
     WHERE id = $1 AND (totp_step < $2 OR totp_step > CAST($2 AS bigint) + ${TOTP_STEPS_AHEAD_MAX})`,
);
const spendCode = statement("DELETE FROM recovery_codes WHERE user_id = $1 AND hash = $2");
const countCodes = statement<{ count: number }>("SELECT count(*) AS count FROM recovery_codes WHERE user_id = $1");

export const secondFactorOperations = {
  reads: {
    recoveryCodesLeft: async (session: Session, userId: string) =>
      (await first(session, countCodes, [userId]))?.count ?? 0,
  },
  writes: {
    setTotp,
    spendTotpStep: async (session: Session, userId: string, step: number) =>
      (await session.run(spendStep, [userId, step])).count === 1,
    spendRecoveryCode: async (session: Session, userId: string, hash: Buffer) =>
      (await session.run(spendCode, [userId, hash])).count === 1,
  },
};

export async function setTotp(
  session: Session,
  userId: string,
  totp: { sealed: Buffer; recoveryHashes: Buffer[] } | null,
): Promise<void> {
  if ((await session.run(setTotpOf, [userId, totp?.sealed ?? null])).count === 0) return;
  await session.run(dropCodes, [userId]);
  for (const hash of totp?.recoveryHashes ?? []) await session.run(addCode, [userId, hash]);
}
