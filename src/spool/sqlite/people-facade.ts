/**
 * The people port over the writer's operations and the point reads; see sqlite-spool.ts for both.
 */
import type { People } from "../port/people.ts";
import type { preparePeopleReads } from "./people.ts";

/** How the spool's form is asked: a write through the writer, a read here. */
export interface Asking {
  write: <T>(operation: string, args: unknown) => Promise<T>;
  read: <T>(read: () => T) => Promise<T>;
}

export function peopleOf(reads: ReturnType<typeof preparePeopleReads>, { write, read }: Asking): People {
  return {
    user: (userId) => read(() => reads.user(userId)),
    userNamed: (email) => read(() => reads.userNamed(email)),
    users: (accountId) => read(() => reads.users(accountId)),
    setPassword: (userId, passwordHash) => write("setPassword", { userId, passwordHash }),
    removeUser: (userId) => write("removeUser", userId),
    setTotp: (userId, totp) => write("setTotp", { userId, totp }),
    spendTotpStep: (userId, step) => write("spendTotpStep", { userId, step }),
    spendRecoveryCode: (userId, hash) => write("spendRecoveryCode", { userId, hash }),
    recoveryCodesLeft: (userId) => read(() => reads.recoveryCodesLeft(userId)),
    startSession: (session) => write("startSession", session),
    session: (hash) => read(() => reads.session(hash)),
    sessions: (userId) => read(() => reads.sessions(userId)),
    touchSession: (hash, times) => write("touchSession", { hash, ...times }),
    switchAccount: (hash, accountId) => write("switchAccount", { hash, accountId }),
    endSession: (userId, hash) => write("endSession", { userId, hash }),
    endSessions: (userId, except) => write("endSessions", { userId, except }),
  };
}
