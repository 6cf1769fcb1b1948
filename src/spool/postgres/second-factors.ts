/** Second factors (RFC 6238) and their recovery codes. Whatever is spent is spent once, at whichever nodes it is offered. */
import { type SecondFactors, TOTP_STEPS_AHEAD_MAX } from "../port/people.ts";
import type { Database } from "./database.ts";
import { statement } from "./statement.ts";

// The user's row is locked first, so of two calls at the same time one replaces all codes of the other.
const setTotpOf = statement("UPDATE users SET sealed_totp = $2, totp_step = 0 WHERE id = $1");
const dropCodes = statement("DELETE FROM recovery_codes WHERE user_id = $1");
const addCodes = statement(
  "INSERT INTO recovery_codes (user_id, hash) SELECT $1, hash FROM unnest($2::bytea[]) AS codes (hash)",
);

// A step further ahead than any accepted code was spent while the clock was ahead. It must not lock the user out until then.
const spendStep = statement(
  `UPDATE users SET totp_step = $2
     WHERE id = $1 AND (totp_step < $2 OR totp_step > $2::bigint + ${TOTP_STEPS_AHEAD_MAX})`,
);
const spendCode = statement("DELETE FROM recovery_codes WHERE user_id = $1 AND hash = $2");
const countCodes = statement<{ count: number }>("SELECT count(*) AS count FROM recovery_codes WHERE user_id = $1");

export function secondFactorOperations(database: Database): SecondFactors {
  return {
    async setTotp(userId, totp) {
      await database.transaction(async (session) => {
        const { count } = await session.run(setTotpOf, [userId, totp?.sealed ?? null]);
        if (count === 0) return;
        await session.run(dropCodes, [userId]);
        if (totp !== null) await session.run(addCodes, [userId, totp.recoveryHashes]);
      });
    },
    async spendTotpStep(userId, step) {
      return (await database.run(spendStep, [userId, step])).count === 1;
    },
    async spendRecoveryCode(userId, hash) {
      return (await database.run(spendCode, [userId, hash])).count === 1;
    },
    async recoveryCodesLeft(userId) {
      return (await database.run(countCodes, [userId])).rows[0]?.count ?? 0;
    },
  };
}
