/**
 * Sessions of signed-in users. The caller holds the transaction of a write.
 */
import type { Database } from "better-sqlite3";
import { SESSIONS_MAX, type Session, type User } from "../port/people.ts";
import { toUser, USER_COLUMNS, type UserRow } from "./users.ts";
import type { WriteHandlers } from "./writer-operations.ts";

interface SessionRow {
  hash: Buffer;
  user_id: string;
  account_id: string;
  created_at_ms: number;
  seen_at_ms: number;
  agent: string;
  ip: string;
}

const toSession = (row: SessionRow): Session => ({
  hash: row.hash,
  userId: row.user_id,
  accountId: row.account_id,
  createdAtMs: row.created_at_ms,
  seenAtMs: row.seen_at_ms,
  agent: row.agent,
  ip: row.ip,
});

type SessionWrites = Pick<
  WriteHandlers,
  "startSession" | "touchSession" | "switchAccount" | "endSession" | "endSessions"
>;

export function prepareSessionWrites(db: Database): SessionWrites {
  const touch = db.prepare("UPDATE sessions SET seen_at_ms = ? WHERE hash = ?");
  const sweep = db.prepare("DELETE FROM sessions WHERE seen_at_ms < ? OR created_at_ms < ?");
  const switchAccount = db.prepare("UPDATE sessions SET account_id = ? WHERE hash = ?");
  const end = db.prepare("DELETE FROM sessions WHERE user_id = ? AND hash = ?");
  const endAll = db.prepare("DELETE FROM sessions WHERE user_id = ? AND hash IS NOT ?");
  return {
    startSession: prepareStartSession(db),
    touchSession(args) {
      touch.run(args.nowMs, args.hash);
      sweep.run(args.idleSinceMs, args.begunSinceMs);
      return { value: undefined };
    },
    switchAccount({ hash, accountId }) {
      switchAccount.run(accountId, hash);
      return { value: undefined };
    },
    endSession({ userId, hash }) {
      return { value: end.run(userId, hash).changes === 1 };
    },
    endSessions({ userId, except }) {
      return { value: endAll.run(userId, except).changes };
    },
  };
}

function prepareStartSession(db: Database): SessionWrites["startSession"] {
  const start = db.prepare(
    `INSERT INTO sessions (hash, user_id, account_id, created_at_ms, seen_at_ms, agent, ip)
       SELECT @hash, id, @accountId, @createdAtMs, @seenAtMs, @agent, @ip FROM users WHERE id = @userId`,
  );
  const endOldest = db.prepare(
    `DELETE FROM sessions WHERE user_id = @userId AND hash NOT IN (
       SELECT hash FROM sessions WHERE user_id = @userId
         ORDER BY hash = @hash DESC, created_at_ms DESC LIMIT ${SESSIONS_MAX})`,
  );
  return (session) => {
    start.run(session);
    endOldest.run({ userId: session.userId, hash: session.hash });
    return { value: undefined };
  };
}

export function prepareSessionReads(db: Database) {
  const session = db.prepare<[Uint8Array], SessionRow>("SELECT * FROM sessions WHERE hash = ?");
  const sessions = db.prepare<[string], SessionRow>(
    "SELECT * FROM sessions WHERE user_id = ? ORDER BY seen_at_ms DESC",
  );
  const user = db.prepare<[string], UserRow>(`SELECT ${USER_COLUMNS} FROM users WHERE id = ?`);
  return {
    session(hash: Uint8Array): { session: Session; user: User } | null {
      const row = session.get(hash);
      const owner = row === undefined ? undefined : user.get(row.user_id);
      return row === undefined || owner === undefined ? null : { session: toSession(row), user: toUser(owner) };
    },
    sessions: (userId: string) => sessions.all(userId).map(toSession),
  };
}
