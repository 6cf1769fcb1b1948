/**
 * Password resets: links with which a user who has forgotten the password chooses another one. Only the hash of a link's token is
 * stored, and each link is used once. Times are milliseconds since the epoch. Every method rejects with SpoolUnavailable as the
 * spool's do (see errors.ts).
 */

/** How long a link for a new password is valid. */
export const PASSWORD_RESET_MS = 3_600_000;

/** Links for a new password that a user may have; the oldest end first. */
export const PASSWORD_RESETS_MAX = 5;

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
  /** Nothing is stored if there is no such user. Removes all that are no longer valid. */
  createPasswordReset(reset: NewPasswordReset): Promise<void>;
  /** The id of the user whose password may be set with this link; null if it is not valid. */
  passwordResetOf(hash: Buffer, nowMs: number): Promise<string | null>;
  /** Sets the password, and ends all sessions and resets of the user. Returns the user's id; null if the link is not valid. */
  resetPassword(use: LinkUse): Promise<string | null>;
}
