/**
 * Users, their sessions and their second factor. Passwords and codes are verified in dashboard/auth; only hashes and sealed
 * secrets are stored here. Times are milliseconds since the epoch. Every method rejects with SpoolUnavailable as the
 * spool's do (see errors.ts).
 */
import type { Memberships, Role } from "./memberships.ts";
import type { NoticeChoices } from "./notices.ts";
import type { PasswordResets } from "./password-resets.ts";

export interface User {
  id: string;
  email: string;
  /** Sees the whole system, and creates accounts and users. */
  operator: boolean;
  memberships: Memberships;
  createdAtMs: number;
  /** In the format of security/passwords.ts. */
  passwordHash: string;
  /** The sealed secret of the second factor (RFC 6238); null without one. */
  sealedTotp: Buffer | null;
}

export interface Session {
  /** SHA-256 of the token in the cookie. */
  hash: Buffer;
  userId: string;
  /** The current account. It counts only while the user may act in it. */
  accountId: string;
  createdAtMs: number;
  seenAtMs: number;
  /** The User-Agent header, bounded. */
  agent: string;
  ip: string;
  /** The identity provider's session (`sid`), "" if it has given none; null for a sign-in with a password. */
  providerSid: string | null;
  /** When the user authenticated at the identity provider; null if that is not known. */
  providerAuthAtMs: number | null;
}

/** Without the provider's fields: a session that begins with a password. */
export type NewSession = Omit<Session, "providerSid" | "providerAuthAtMs"> &
  Partial<Pick<Session, "providerSid" | "providerAuthAtMs">>;

export interface SessionTimes {
  nowMs: number;
  idleSinceMs: number;
  begunSinceMs: number;
}

/** Sessions a user may have; the oldest end first. */
export const SESSIONS_MAX = 50;

/** Codes of one step early or late are accepted, so a valid code may be two steps behind the newest spent one. */
export const TOTP_STEPS_AHEAD_MAX = 2;

export interface MemberChange {
  accountId: string;
  userId: string;
  /** The new role; null removes the user from the account. A user who belongs to no other account is removed as a whole. */
  role: Role | null;
  /** Whether the account must still have an owner afterwards. */
  keepOwner: boolean;
}

interface Users {
  user(userId: string): Promise<User | null>;
  /** Case-insensitive. */
  userNamed(email: string): Promise<User | null>;
  /** Those who belong to an account, or all if null. */
  users(accountId: string | null): Promise<User[]>;
  /** Also ends the user's password resets. */
  setPassword(userId: string, passwordHash: string): Promise<void>;
  /**
   * Returns "not_found" unless the account has this user. The invitations to it that the user has sent end, unless the user remains an
   * owner or is an operator. Of several calls at the same time, none removes the last owner. Sessions in an account that the user has left
   * go to the user's own.
   */
  changeMember(change: MemberChange): Promise<"changed" | "last_owner" | "not_found">;
  /** Also ends the user's sessions, and the invitations that the user has sent. Returns false if there was no such user. */
  removeUser(userId: string): Promise<boolean>;
}

interface SecondFactors {
  /** Turns the second factor on, with the SHA-256 hashes of its recovery codes, or off with null. */
  setTotp(userId: string, totp: { sealed: Buffer; recoveryHashes: Buffer[] } | null): Promise<void>;
  /** Spends a time step (RFC 6238 §5.2). Returns true once for each step, and false for a step older than the newest spent one. */
  spendTotpStep(userId: string, step: number): Promise<boolean>;
  /** Spends a recovery code. Returns true once. */
  spendRecoveryCode(userId: string, hash: Buffer): Promise<boolean>;
  recoveryCodesLeft(userId: string): Promise<number>;
}

interface Sessions {
  /** Also ends the user's oldest sessions beyond SESSIONS_MAX. */
  startSession(session: NewSession): Promise<void>;
  session(hash: Buffer): Promise<{ session: Session; user: User } | null>;
  /** The last used first. */
  sessions(userId: string): Promise<Session[]>;
  /** Records the use of a session. Removes all users' sessions not used since `idleSinceMs` or begun before `begunSinceMs`. */
  touchSession(hash: Buffer, times: SessionTimes): Promise<void>;
  /** Sets the session's current account. */
  switchAccount(hash: Buffer, accountId: string): Promise<void>;
  /** Returns false if the user has no such session. */
  endSession(userId: string, hash: Buffer): Promise<boolean>;
  /** Ends all of a user's sessions but `except`. Returns how many. */
  endSessions(userId: string, except: Buffer | null): Promise<number>;
}

export interface People extends Users, SecondFactors, Sessions, PasswordResets, NoticeChoices {}
