/**
 * The port of who signs in: users, their sessions and their second factor. What a password or a code is worth is the
 * dashboard's to say; here lie hashes and sealed secrets only. Times are milliseconds since the epoch. Methods reject
 * with SpoolUnavailable as the spool's do.
 */

export interface User {
  id: string;
  email: string;
  accountId: string;
  /** Sees the whole system, and creates accounts and users. */
  operator: boolean;
  createdAtMs: number;
  /** As passwords.ts makes it. */
  passwordHash: string;
  /** The sealed secret of the second factor (RFC 6238); null without one. */
  sealedTotp: Buffer | null;
}

export interface Session {
  /** SHA-256 of the token in the cookie. */
  hash: Buffer;
  userId: string;
  /** Whose world it shows: the user's own account, or the one that an operator looks at. */
  accountId: string;
  createdAtMs: number;
  seenAtMs: number;
  /** The browser's name for itself, bounded. */
  agent: string;
  ip: string;
}

/** Sessions kept of a user. */
export const SESSIONS_MAX = 50;

export interface People {
  user(userId: string): Promise<User | null>;
  /** Letter case does not matter. */
  userNamed(email: string): Promise<User | null>;
  /** Of one account, or all. */
  users(accountId: string | null): Promise<User[]>;
  setPassword(userId: string, passwordHash: string): Promise<void>;
  /** Also ends the user's sessions. */
  removeUser(userId: string): Promise<boolean>;

  /** Turns the second factor on with its recovery codes' SHA-256 hashes, or off with null. */
  setTotp(userId: string, totp: { sealed: Buffer; recoveryHashes: Buffer[] } | null): Promise<void>;
  /** Spends a time step (RFC 6238 §5.2): true once for each, and never for one older than the newest spent. */
  spendTotpStep(userId: string, step: number): Promise<boolean>;
  /** Spends a recovery code: true once. */
  spendRecoveryCode(userId: string, hash: Buffer): Promise<boolean>;
  recoveryCodesLeft(userId: string): Promise<number>;

  /** Of the user's sessions, the newest SESSIONS_MAX are left. */
  startSession(session: Session): Promise<void>;
  session(hash: Buffer): Promise<{ session: Session; user: User } | null>;
  /** The one used last first. */
  sessions(userId: string): Promise<Session[]>;
  /** Notes that a session was used, and drops those of anybody not used since `idleSinceMs` or begun before `begunSinceMs`. */
  touchSession(hash: Buffer, times: { nowMs: number; idleSinceMs: number; begunSinceMs: number }): Promise<void>;
  /** Shows another account's world from now on. */
  switchAccount(hash: Buffer, accountId: string): Promise<void>;
  endSession(userId: string, hash: Buffer): Promise<boolean>;
  /** Ends all of a user's sessions, except one where given. Returns how many. */
  endSessions(userId: string, except: Buffer | null): Promise<number>;
}
