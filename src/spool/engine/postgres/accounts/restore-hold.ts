/**
 * The end of the pause that a restored spool begins with. An operator decides whether what waited in the backup is sent, or
 * becomes `unknown`: it may have been delivered since. Recipients become so in steps, and the pause ends with the last one, so a
 * failure between two steps leaves it in effect. A marked recipient is not changed: its attempt ends as `unknown` anyway.
 */
import { categoryOfReason } from "../../../../message/result/classifier.ts";
import { PAUSE_ENTRY, parsePause } from "../../../port/delivery-pause.ts";
import type { ResumeRequest, ResumeResult } from "../../../port/operations.ts";
import { RESTORED, restoredEntry } from "../../../records/restored-entry.ts";
import { typeOfResult } from "../../../records/result-event.ts";
import type { RecipientKey } from "../../session.ts";
import type { Database } from "../connection/database.ts";
import { type Session, statement } from "../connection/statement.ts";
import { lockCommand, type NewEvent, writeEvents } from "../mail/event-writer.ts";
import { keyColumns, newestStates, recipientName } from "../reports/recipient-states.ts";

/** Recipients of one transaction. */
const STEP_RECIPIENTS = 500;

interface RestoredRow extends RecipientKey {
  accountId: string;
  attempts: number;
}

/** Locked, so that two operators do not decide differently. */
const lockPause = statement<{ text: string }>("SELECT text FROM key_values WHERE name = $1 FOR UPDATE");

const removePause = statement("DELETE FROM key_values WHERE name = $1");

const findWaiting = statement<RecipientKey & { accountId: string }>(
  `SELECT seq, position, account_id AS "accountId" FROM work WHERE seq <= $1 AND mark IS NULL
     ORDER BY seq, position LIMIT ${STEP_RECIPIENTS}`,
);

// Leases of before the backup end with their rows: their marks are rejected.
const hold = statement<RestoredRow>(
  `WITH gone AS (
     DELETE FROM work USING unnest($1::bigint[], $2::int[]) AS w (seq, position)
       WHERE work.seq = w.seq AND work.position = w.position AND mark IS NULL RETURNING work.*
   )
   INSERT INTO unknown_recipients (seq, position, account_id, domain, attempts, at_ms)
     SELECT seq, position, account_id, domain, attempts, $3 FROM gone
     RETURNING seq, position, account_id AS "accountId", attempts`,
);

/** Calls `written` with the events of each step once it is committed. Returns null if delivery was not paused. */
export async function resumeDelivery(
  database: Database,
  request: ResumeRequest,
  written: (events: readonly NewEvent[]) => void,
): Promise<ResumeResult | null> {
  for (let count = 0; ; ) {
    const step = await database.transaction((session) => resumeStep(session, request));
    // Another operator may have ended the pause between two steps.
    if (step === null) return count === 0 ? null : { unknown: count, unreadable: 0 };
    count += step.events.length;
    written(step.events);
    if (step.isEnd) return { unknown: count, unreadable: 0 };
  }
}

/** Makes some recipients unknown, and ends the pause if none is left. Returns null without a pause. */
async function resumeStep(
  session: Session,
  { nowMs, waiting }: ResumeRequest,
): Promise<{ events: NewEvent[]; isEnd: boolean } | null> {
  const [pause] = (await session.run(lockPause, [PAUSE_ENTRY])).rows;
  if (pause === undefined) return null;
  const { newestSeq } = parsePause(pause.text);
  const { rows } = waiting === "hold" ? await session.run(findWaiting, [newestSeq]) : { rows: [] };
  const isEnd = rows.length < STEP_RECIPIENTS;
  if (isEnd) await session.run(removePause, [PAUSE_ENTRY]);
  return { events: await holdAll(session, rows, nowMs), isEnd };
}

async function holdAll(
  session: Session,
  waiting: readonly (RecipientKey & { accountId: string })[],
  nowMs: number,
): Promise<NewEvent[]> {
  if (waiting.length === 0) return [];
  // Before the rows: settlements take them under the account's lock.
  const { query, values } = lockCommand(waiting.map(({ accountId }) => accountId));
  await session.run(query, values);
  const { rows } = await session.run(hold, [...keyColumns(waiting), nowMs]);
  const states = await newestStates(session, rows);
  const state = { result: "unknown", reason: RESTORED, category: categoryOfReason(RESTORED) } as const;
  const events = rows.map(({ seq, position, accountId, attempts }) => {
    const { smtp = null } = states.get(recipientName({ seq, position })) ?? {};
    const recipient = { position, attempts, smtp, ...state };
    const type = typeOfResult("unknown");
    return { seq, accountId, atMs: nowMs, type, recipient, history: restoredEntry(attempts, nowMs) };
  });
  await writeEvents(session, events);
  return events;
}
