/**
 * The second factor: time-based codes (RFC 6238), and recovery codes for a lost authenticator app. Each code can be used
 * once.
 */
import { createHash, randomBytes } from "node:crypto";
import { Secret, TOTP } from "otpauth";
import { totpSealName } from "../../security/vault.ts";
import type { User } from "../../spool/port/people.ts";
import type { DashboardParts } from "../web/parts.ts";

const STEP_S = 30;
/** Time steps that the client's clock may be ahead or behind. */
const WINDOW = 1;
const SECRET_BYTES = 20;
const RECOVERY_CODES = 8;
const RECOVERY_BYTES = 10;

const hashOf = (code: string): Buffer => createHash("sha256").update(code).digest();

export interface TotpSecret {
  /** Base32, to be typed into an authenticator app. */
  secret: string;
  /** An otpauth URI, to be shown as a QR code. */
  uri: string;
}

export function newTotpSecret(email: string): TotpSecret {
  return totpSecret(new Secret({ buffer: arrayBufferOf(randomBytes(SECRET_BYTES)) }).base32, email);
}

/** Parses the secret that a form sends back; null when it is malformed. */
export function parseTotpSecret(secret: string, email: string): TotpSecret | null {
  return /^[A-Z2-7]{32}$/.test(secret) ? totpSecret(secret, email) : null;
}

function totpSecret(secret: string, email: string): TotpSecret {
  return { secret, uri: totpOf(secret, email).toString() };
}

const totpOf = (secret: string, label: string): TOTP =>
  new TOTP({ issuer: "Postrider", label, secret: Secret.fromBase32(secret), period: STEP_S, digits: 6 });

/** Returns the time step of a code; null when the code is wrong. */
function stepOf(secret: string, code: string, nowMs: number): number | null {
  const digits = code.replace(/\s/g, "");
  if (!/^\d{6}$/.test(digits)) return null;
  const delta = totpOf(secret, "").validate({ token: digits, timestamp: nowMs, window: WINDOW });
  return delta === null ? null : Math.floor(nowMs / 1000 / STEP_S) + delta;
}

/** Enables the second factor if the code is right. Returns the recovery codes, to be shown once, or null. */
export async function enableSecondFactor(
  parts: DashboardParts,
  user: User,
  { secret, code }: { secret: string; code: string },
): Promise<string[] | null> {
  const step = stepOf(secret, code, parts.clock.now());
  if (step === null) return null;
  const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode);
  const sealed = parts.secrets.seal(totpSealName(user.id), secret);
  await parts.people.setTotp(user.id, { sealed, recoveryHashes: codes.map((code) => hashOf(normalised(code))) });
  await parts.people.spendTotpStep(user.id, step);
  return codes;
}

/** Returns whether the code is a valid time-based or recovery code of the user, and marks it as used. */
export async function spendCode(parts: DashboardParts, user: User, code: string): Promise<boolean> {
  if (user.sealedTotp === null) return false;
  const secret = parts.secrets.open(totpSealName(user.id), user.sealedTotp);
  const step = stepOf(secret, code, parts.clock.now());
  if (step !== null) return parts.people.spendTotpStep(user.id, step);
  return parts.people.spendRecoveryCode(user.id, hashOf(normalised(code)));
}

/** `ABCD-EFGH-IJKL-MNOP`. */
function newRecoveryCode(): string {
  const base32 = new Secret({ buffer: arrayBufferOf(randomBytes(RECOVERY_BYTES)) }).base32;
  return base32.replace(/.{4}(?=.)/g, "$&-");
}

const normalised = (code: string): string => code.replace(/[\s-]/g, "").toUpperCase();

function arrayBufferOf(bytes: Buffer): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}
