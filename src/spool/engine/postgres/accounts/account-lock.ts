/** The account's lock, for statements that only PostgreSQL has. */
import { isAccountDeleted as isDeleted } from "../../../store/accounts/accounts.ts";
import { PostgresSession } from "../connection/postgres-session.ts";
import type { Session } from "../connection/statement.ts";

/** Locks the account until the end of the transaction. Take the lock before counting rows that a limit applies to. */
export async function lockAccount(session: Session, accountId: string): Promise<void> {
  await new PostgresSession(session).lock("accounts", accountId);
}

/** The caller has the account's lock. */
export const isAccountDeleted = (session: Session, accountId: string): Promise<boolean> =>
  isDeleted(new PostgresSession(session), accountId);
