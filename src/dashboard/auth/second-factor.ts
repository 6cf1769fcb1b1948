/**
 * The second factor: codes by time (RFC 6238), and recovery codes for the day when the app is gone. Each code counts
 * once.
 */
import { createHash, randomBytes } from "node:crypto";
import { Secret, TOTP } from "otpauth";
import { totpSealName } from "../../security/vault.ts";
import type { User } from "../../spool/port/people.ts";
import type { DashboardParts } from "../web/parts.ts";

const STEP_S = 30;
/** Steps that a clock may be off to either side. */
const WINDOW = 1;
const SECRET_BYTES = 20;
const RECOVERY_CODES = 8;
const RECOVERY_BYTES = 10;

const hashOf = (code: string): Buffer => createHash("sha256").update(code).digest();

export interface NewSecret {
  /** Base32, as people type it. */
  secret: string;
  /** For a QR code. */
  uri: string;
}

export function newSecret(email: string): NewSecret {
  return describe(new Secret({ buffer: arrayBufferOf(randomBytes(SECRET_BYTES)) }).base32, email);
}

/** The same secret once more, as a form brings it back; null when it is none. */
export function readSecret(secret: string, email: string): NewSecret | null {
  return /^[A-Z2-7]{32}$/.test(secret) ? describe(secret, email) : null;
}

function describe(secret: string, email: string): NewSecret {
  return { secret, uri: totpOf(secret, email).toString() };
}

const totpOf = (secret: string, label: string): TOTP =>
  new TOTP({ issuer: "Postrider", label, secret: Secret.fromBase32(secret), period: STEP_S, digits: 6 });

/** The time step that a code belongs to; null when it is wrong. */
function stepOf(secret: string, code: string, nowMs: number): number | null {
  const digits = code.replace(/\s/g, "");
  if (!/^\d{6}$/.test(digits)) return null;
  const delta = totpOf(secret, "").validate({ token: digits, timestamp: nowMs, window: WINDOW });
  return delta === null ? null : Math.floor(nowMs / 1000 / STEP_S) + delta;
}

/** Turns the second factor on when the code is right; the recovery codes, to be shown once, or null. */
export async function turnOn(
  parts: DashboardParts,
  user: User,
  { secret, code }: { secret: string; code: string },
): Promise<string[] | null> {
  const step = stepOf(secret, code, parts.clock.now());
  if (step === null) return null;
  const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode);
  const sealed = parts.secrets.seal(totpSealName(user.id), secret);
  await parts.people.setTotp(user.id, { sealed, recoveryHashes: codes.map((each) => hashOf(plain(each))) });
  await parts.people.spendTotpStep(user.id, step);
  return codes;
}

/** Whether the code is the user's, by time or for recovery; it is spent by that. */
export async function isSecondFactor(parts: DashboardParts, user: User, code: string): Promise<boolean> {
  if (user.sealedTotp === null) return false;
  const secret = parts.secrets.open(totpSealName(user.id), user.sealedTotp);
  const step = stepOf(secret, code, parts.clock.now());
  if (step !== null) return parts.people.spendTotpStep(user.id, step);
  return parts.people.spendRecoveryCode(user.id, hashOf(plain(code)));
}

/** `ABCD-EFGH-IJKL-MNOP`. */
function newRecoveryCode(): string {
  const base32 = new Secret({ buffer: arrayBufferOf(randomBytes(RECOVERY_BYTES)) }).base32;
  return base32.replace(/.{4}(?=.)/g, "$&-");
}

const plain = (code: string): string => code.replace(/[\s-]/g, "").toUpperCase();

function arrayBufferOf(bytes: Buffer): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}
