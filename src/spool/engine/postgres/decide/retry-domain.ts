/**
 * An operator's retry of a recipient domain: makes an account's recipients there due now that wait for a later time. Those in an
 * attempt are left alone, because its result decides when the next one is due.
 */
import type { RetryDomainRequest } from "../../../port/operations.ts";
import { isInQueueSql } from "../../../records/quarantined.ts";
import { retriedEntry } from "../../../records/retried-entry.ts";
import type { RecipientKey } from "../../session.ts";
import { type Session, statement } from "../connection/statement.ts";
import { storedText } from "../connection/stored-text.ts";
import { writeEvents } from "../mail/event-writer.ts";
import { newestStates, pendingState, recipientName } from "../reports/recipient-states.ts";

// A row that another transaction has locked is being claimed, or retried by another node. Settlements do not wait for these rows:
// they have no lease.
const setDue = statement<RecipientKey & { attempts: number }>(
  `UPDATE work SET due_ms = $3
     FROM (SELECT seq, position FROM work
             WHERE owner IS NULL AND account_id = $1 AND domain = $2 AND due_ms > $3 AND ${isInQueueSql("seq")}
             ORDER BY due_ms, seq LIMIT $4 FOR NO KEY UPDATE SKIP LOCKED) AS later
     WHERE work.seq = later.seq AND work.position = later.position
     RETURNING work.seq, work.position, work.attempts`,
);

/** Makes recipients due in a transaction of the caller's. Returns how many. Their history has an entry, but there is no event. */
export async function retryDomain(
  session: Session,
  { accountId, domain, nowMs, limit }: RetryDomainRequest,
): Promise<number> {
  const { rows } = await session.run(setDue, [accountId, storedText(domain), nowMs, limit]);
  const states = await newestStates(session, rows);
  const entries = rows.map((row) => ({
    seq: row.seq,
    accountId,
    atMs: nowMs,
    type: null,
    recipient: pendingState(row, states.get(recipientName(row))),
    history: retriedEntry(row.attempts, { nowMs }),
  }));
  await writeEvents(session, entries);
  return rows.length;
}
