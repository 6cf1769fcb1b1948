/**
 * Users, sessions, second factors. Writes run inside the caller's transaction.
 */
import type { Database } from "better-sqlite3";
import { SESSIONS_MAX, type Session, type User } from "../port/people.ts";
import type { WriteHandlers } from "./writer-operations.ts";
import type { Written } from "./written.ts";

interface UserRow {
  id: string;
  email: string;
  account_id: string;
  password_hash: string;
  operator: number;
  created_at_ms: number;
  sealed_totp: Buffer | null;
}

interface SessionRow {
  hash: Buffer;
  user_id: string;
  account_id: string;
  created_at_ms: number;
  seen_at_ms: number;
  agent: string;
  ip: string;
}

const toUser = (row: UserRow): User => ({
  id: row.id,
  email: row.email,
  accountId: row.account_id,
  operator: row.operator === 1,
  createdAtMs: row.created_at_ms,
  passwordHash: row.password_hash,
  sealedTotp: row.sealed_totp,
});

const toSession = (row: SessionRow): Session => ({
  hash: row.hash,
  userId: row.user_id,
  accountId: row.account_id,
  createdAtMs: row.created_at_ms,
  seenAtMs: row.seen_at_ms,
  agent: row.agent,
  ip: row.ip,
});

const done: Written<void> = { value: undefined };

export function preparePeopleWrites(db: Database) {
  return { ...userWrites(db), ...secondFactorWrites(db), ...sessionWrites(db) };
}

function userWrites(db: Database): Pick<WriteHandlers, "setPassword" | "removeUser"> {
  const setPassword = db.prepare("UPDATE users SET password_hash = ? WHERE id = ?");
  const endSessions = db.prepare("DELETE FROM sessions WHERE user_id = ?");
  const dropCodes = db.prepare("DELETE FROM recovery_codes WHERE user_id = ?");
  const remove = db.prepare("DELETE FROM users WHERE id = ?");
  return {
    setPassword({ userId, passwordHash }) {
      setPassword.run(passwordHash, userId);
      return done;
    },
    removeUser(userId) {
      endSessions.run(userId);
      dropCodes.run(userId);
      return { value: remove.run(userId).changes === 1 };
    },
  };
}

/** Codes of the next step are taken too, so that one step ahead of another's, two may have been spent. */
const TOTP_STEPS_AHEAD_MAX = 2;

type SecondFactorWrites = Pick<WriteHandlers, "setTotp" | "spendTotpStep" | "spendRecoveryCode">;

function secondFactorWrites(db: Database): SecondFactorWrites {
  const setTotp = db.prepare("UPDATE users SET sealed_totp = ?, totp_step = 0 WHERE id = ?");
  // A step further ahead than any code reaches was spent while the clock was ahead: it must not shut the user out until then.
  const spendStep = db.prepare(
    `UPDATE users SET totp_step = @step
       WHERE id = @userId AND (totp_step < @step OR totp_step > @step + ${TOTP_STEPS_AHEAD_MAX})`,
  );
  const dropCodes = db.prepare("DELETE FROM recovery_codes WHERE user_id = ?");
  const addCode = db.prepare("INSERT INTO recovery_codes (user_id, hash) VALUES (?, ?)");
  const spendCode = db.prepare("DELETE FROM recovery_codes WHERE user_id = ? AND hash = ?");
  return {
    setTotp({ userId, totp }) {
      setTotp.run(totp?.sealed ?? null, userId);
      dropCodes.run(userId);
      for (const hash of totp?.recoveryHashes ?? []) addCode.run(userId, hash);
      return done;
    },
    spendTotpStep(args) {
      return { value: spendStep.run(args).changes === 1 };
    },
    spendRecoveryCode({ userId, hash }) {
      return { value: spendCode.run(userId, hash).changes === 1 };
    },
  };
}

type SessionWrites = Pick<
  WriteHandlers,
  "startSession" | "touchSession" | "switchAccount" | "endSession" | "endSessions"
>;

function sessionWrites(db: Database): SessionWrites {
  const start = db.prepare(
    `INSERT INTO sessions (hash, user_id, account_id, created_at_ms, seen_at_ms, agent, ip)
       SELECT @hash, id, @accountId, @createdAtMs, @seenAtMs, @agent, @ip FROM users WHERE id = @userId`,
  );
  const endOldest = db.prepare(
    `DELETE FROM sessions WHERE user_id = @userId AND hash NOT IN (
       SELECT hash FROM sessions WHERE user_id = @userId
         ORDER BY hash = @hash DESC, created_at_ms DESC LIMIT ${SESSIONS_MAX})`,
  );
  const touch = db.prepare("UPDATE sessions SET seen_at_ms = ? WHERE hash = ?");
  const sweep = db.prepare("DELETE FROM sessions WHERE seen_at_ms < ? OR created_at_ms < ?");
  const turn = db.prepare("UPDATE sessions SET account_id = ? WHERE hash = ?");
  const end = db.prepare("DELETE FROM sessions WHERE user_id = ? AND hash = ?");
  const endAll = db.prepare("DELETE FROM sessions WHERE user_id = ? AND hash IS NOT ?");
  return {
    startSession(session) {
      start.run(session);
      endOldest.run({ userId: session.userId, hash: session.hash });
      return done;
    },
    touchSession(args) {
      touch.run(args.nowMs, args.hash);
      sweep.run(args.idleSinceMs, args.begunSinceMs);
      return done;
    },
    switchAccount({ hash, accountId }) {
      turn.run(accountId, hash);
      return done;
    },
    endSession({ userId, hash }) {
      return { value: end.run(userId, hash).changes === 1 };
    },
    endSessions({ userId, except }) {
      return { value: endAll.run(userId, except).changes };
    },
  };
}

const USER_COLUMNS = "id, email, account_id, password_hash, operator, created_at_ms, sealed_totp";

export function preparePeopleReads(db: Database) {
  const user = db.prepare<[string], UserRow>(`SELECT ${USER_COLUMNS} FROM users WHERE id = ?`);
  const named = db.prepare<[string], UserRow>(`SELECT ${USER_COLUMNS} FROM users WHERE email = ?`);
  const users = db.prepare<{ accountId: string | null }, UserRow>(
    `SELECT ${USER_COLUMNS} FROM users WHERE @accountId IS NULL OR account_id = @accountId ORDER BY email`,
  );
  const session = db.prepare<[Uint8Array], SessionRow>("SELECT * FROM sessions WHERE hash = ?");
  const sessions = db.prepare<[string], SessionRow>(
    "SELECT * FROM sessions WHERE user_id = ? ORDER BY seen_at_ms DESC",
  );
  const codes = db.prepare<[string], number>("SELECT count(*) FROM recovery_codes WHERE user_id = ?").pluck();
  const userOf = (row: UserRow | undefined): User | null => (row === undefined ? null : toUser(row));
  return {
    user: (userId: string) => userOf(user.get(userId)),
    userNamed: (email: string) => userOf(named.get(email)),
    users: (accountId: string | null) => users.all({ accountId }).map(toUser),
    recoveryCodesLeft: (userId: string) => codes.get(userId) ?? 0,
    session(hash: Uint8Array): { session: Session; user: User } | null {
      const row = session.get(hash);
      const owner = row === undefined ? undefined : user.get(row.user_id);
      return row === undefined || owner === undefined ? null : { session: toSession(row), user: toUser(owner) };
    },
    sessions: (userId: string) => sessions.all(userId).map(toSession),
  };
}
