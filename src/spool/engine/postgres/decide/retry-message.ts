/**
 * An operator's retry of one message: makes its pending and unknown recipients due now, and lifts a deadline that has passed.
 * A recipient in an attempt keeps its lease; one that is marked is left alone. retry-failed.ts retries failed recipients.
 */
import { isTestRoute } from "../../../../message/test-route.ts";
import type { RetryFilter } from "../../../port/operations.ts";
import { typeOfResult } from "../../../records/result-event.ts";
import { retriedEntry } from "../../../records/retried-entry.ts";
import type { RecipientKey } from "../../session.ts";
import { type Session, statement } from "../connection/statement.ts";
import { storedText } from "../connection/stored-text.ts";
import { liftDeadline } from "../mail/deadlines.ts";
import { lockCommand, type NewEvent, writeEvents } from "../mail/event-writer.ts";
import { releaseQuarantined } from "../quarantine/quarantine.ts";
import { newestStates, pendingState, recipientName } from "../reports/recipient-states.ts";

interface RetriedRow extends RecipientKey {
  attempts: number;
}

const lockMessage = statement<{ deadlineMs: number | null }>(
  `SELECT deadline_ms AS "deadlineMs" FROM messages WHERE seq = $1 FOR NO KEY UPDATE`,
);

/** Recipients of the message $1, with the email address $2 and one of the positions $4 unless these are null. */
const matching = (table: string): string =>
  `${table}.seq = $1 AND ($4::int[] IS NULL OR ${table}.position = ANY ($4)) AND ($2::text IS NULL OR
     (SELECT email FROM recipients r WHERE r.seq = $1 AND r.position = ${table}.position) = $2)`;

// A row that another transaction has locked is being claimed, marked or released: it is in an attempt, or due already.
const setDue = statement<RetriedRow>(
  `UPDATE work SET due_ms = $3
     FROM (SELECT position FROM work WHERE ${matching("work")} AND mark IS NULL
             ORDER BY position FOR NO KEY UPDATE SKIP LOCKED) AS waiting
     WHERE work.seq = $1 AND work.position = waiting.position
     RETURNING work.seq, work.position, work.attempts`,
);

// A late reply to the former attempt finds no row under its lease any more, and changes nothing.
const takeUnknown = statement<UnknownRow>(
  `WITH gone AS (
     DELETE FROM unknown_recipients WHERE ${matching("unknown_recipients")} RETURNING *
   ), added AS (
     INSERT INTO work (seq, position, account_id, domain, due_ms, attempts)
       SELECT seq, position, account_id, domain, $3, attempts FROM gone
   )
   SELECT seq, position, attempts, domain, at_ms AS "unknownAtMs" FROM gone`,
);

export interface RetriedMessage {
  /** The events of the retried recipients, which were written. */
  events: NewEvent[];
  /** When those of them that were unknown had become so, if that was counted. */
  unknownAtMs: number[];
}

interface UnknownRow extends RetriedRow {
  domain: string;
  unknownAtMs: number;
}

/** Retries a message's recipients in a transaction of the caller's. */
export async function retryMessage(
  session: Session,
  seq: number,
  { accountId, email, positions, result, by, nowMs }: RetryFilter,
): Promise<RetriedMessage> {
  const [message] = (await session.run(lockMessage, [seq])).rows;
  if (message === undefined) return { events: [], unknownAtMs: [] };
  // Before the rows: settlements take them under the account's lock.
  const { query, values } = lockCommand([accountId]);
  await session.run(query, values);
  await releaseQuarantined(session, [seq]);
  const selection = [seq, email === undefined ? null : storedText(email), nowMs, positions ?? null];
  const waiting = result === "unknown" ? [] : (await session.run(setDue, selection)).rows;
  const unknown = result === "pending" ? [] : (await session.run(takeUnknown, selection)).rows;
  const retried = [...waiting, ...unknown].sort((a, b) => a.position - b.position);
  const { deadlineMs } = message;
  const isLate = retried.length > 0 && deadlineMs !== null && deadlineMs <= nowMs;
  if (isLate) await liftDeadline(session, seq, deadlineMs);
  const states = await newestStates(session, retried);
  const events = retried.map((row) => ({
    seq,
    accountId,
    atMs: nowMs,
    type: typeOfResult("pending"),
    recipient: pendingState(row, states.get(recipientName(row))),
    history: retriedEntry(row.attempts, { nowMs, by }),
  }));
  await writeEvents(session, events);
  const counted = unknown.filter(({ domain }) => !isTestRoute(domain));
  return { events, unknownAtMs: counted.map((row) => row.unknownAtMs) };
}
