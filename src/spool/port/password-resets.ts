/**
 * Password resets: links with which a user who has forgotten the password chooses another one. Only the hash of a link's token is
 * stored, and each link is used once. Times are milliseconds since the epoch. Every method rejects with SpoolUnavailable as the
 * spool's do (see errors.ts).
 */
import { HOUR_MS } from "../../lib/units.ts";

/** How long a link for a new password is valid. */
export const PASSWORD_RESET_MS = HOUR_MS;

/**
 * Links for a new password that are made for a user in PASSWORD_RESETS_MS. A new request never ends an earlier link, whoever makes it:
 * a user at the limit has a link that is valid for at least PASSWORD_RESETS_MS more.
 */
export const PASSWORD_RESETS_MAX = 3;
export const PASSWORD_RESETS_MS = PASSWORD_RESET_MS / 2;

export interface NewPasswordReset {
  hash: Buffer;
  userId: string;
  createdAtMs: number;
}

/** The password that is chosen through a link. */
export interface LinkUse {
  hash: Buffer;
  passwordHash: string;
  nowMs: number;
}

export interface PasswordResets {
  /** Returns false if there is no such user, or if too many were made recently. Removes all that are no longer valid. */
  createPasswordReset(reset: NewPasswordReset): Promise<boolean>;
  /** The id of the user whose password may be set with this link; null if it is not valid. */
  passwordResetOf(hash: Buffer, nowMs: number): Promise<string | null>;
  /** Sets the password, and ends all sessions and resets of the user. Returns the user's id; null if the link is not valid. */
  resetPassword(use: LinkUse): Promise<string | null>;
}
