/**
 * Second factors (RFC 6238) and their recovery codes. The caller holds the transaction of a write.
 */
import type { Database } from "better-sqlite3";
import { TOTP_STEPS_AHEAD_MAX } from "../port/people.ts";
import type { WriteHandlers } from "./writer-operations.ts";

type SecondFactorWrites = Pick<WriteHandlers, "setTotp" | "spendTotpStep" | "spendRecoveryCode">;

export function prepareSecondFactorWrites(db: Database): SecondFactorWrites {
  // A step further ahead than any accepted code was spent while the clock was ahead. It must not lock the user out until then.
  const spendStep = db.prepare(
    `UPDATE users SET totp_step = @step
       WHERE id = @userId AND (totp_step < @step OR totp_step > @step + ${TOTP_STEPS_AHEAD_MAX})`,
  );
  const spendCode = db.prepare("DELETE FROM recovery_codes WHERE user_id = ? AND hash = ?");
  return {
    setTotp: prepareSetTotp(db),
    spendTotpStep(args) {
      return { value: spendStep.run(args).changes === 1 };
    },
    spendRecoveryCode({ userId, hash }) {
      return { value: spendCode.run(userId, hash).changes === 1 };
    },
  };
}

function prepareSetTotp(db: Database): SecondFactorWrites["setTotp"] {
  const setTotp = db.prepare("UPDATE users SET sealed_totp = ?, totp_step = 0 WHERE id = ?");
  const dropCodes = db.prepare("DELETE FROM recovery_codes WHERE user_id = ?");
  const addCode = db.prepare("INSERT INTO recovery_codes (user_id, hash) VALUES (?, ?)");
  return ({ userId, totp }) => {
    setTotp.run(totp?.sealed ?? null, userId);
    dropCodes.run(userId);
    for (const hash of totp?.recoveryHashes ?? []) addCode.run(userId, hash);
    return { value: undefined };
  };
}

export function prepareSecondFactorReads(db: Database) {
  const codes = db.prepare<[string], number>("SELECT count(*) FROM recovery_codes WHERE user_id = ?").pluck();
  return { recoveryCodesLeft: (userId: string) => codes.get(userId) ?? 0 };
}
