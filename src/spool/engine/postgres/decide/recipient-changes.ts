/**
 * What operations of the store do to recipients: takes rows of `work` and `unknown_recipients`, and gives the recipients their states. A
 * lease of an unmarked recipient ends with its row: its mark is rejected.
 */
import type { Result } from "../../../../message/result/outcome.ts";
import { isTestRoute } from "../../../../message/test-route.ts";
import { IN_QUARANTINE } from "../../../records/quarantined.ts";
import { typeOfResult } from "../../../records/result-event.ts";
import type {
  NamedRecipients,
  NewState,
  RecipientKey,
  RepeatingEvent,
  StatesOf,
  TakenRecipient,
  TakenRecipients,
} from "../../session.ts";
import { type Session, statement } from "../connection/statement.ts";
import { lockCommand, type NewEvent, writeEvents } from "../mail/event-writer.ts";
import { lockMessages, namedRecipients } from "../mail/named-recipients.ts";
import type { ActivityCounts } from "../reports/activity.ts";
import { keyColumns, newestStates, recipientName } from "../reports/recipient-states.ts";

interface TakenRow extends RecipientKey {
  domain: string;
  attempts: number;
  unknownAtMs: number | null;
}

const KEYS = "unnest($1::bigint[], $2::int[]) AS k (seq, position)";

// A late reply to the former attempt finds no row under its lease any more, and changes nothing.
const deleteUnknown = statement<TakenRow>(
  `DELETE FROM unknown_recipients u USING ${KEYS} WHERE u.seq = k.seq AND u.position = k.position
     RETURNING u.seq, u.position, u.domain, u.attempts, u.at_ms AS "unknownAtMs"`,
);

// A row that another transaction has locked is being claimed, marked or released. Waiting for it could be waiting in a circle.
const deletePending = statement<TakenRow>(
  `WITH free AS MATERIALIZED (
     SELECT w.seq, w.position FROM ${KEYS} JOIN work w USING (seq, position) WHERE w.mark IS NULL FOR UPDATE OF w SKIP LOCKED
   )
   DELETE FROM work w USING free WHERE w.seq = free.seq AND w.position = free.position
     RETURNING w.seq, w.position, w.domain, w.attempts, NULL::bigint AS "unknownAtMs"`,
);

// The rows of work and unknown_recipients are enough: those of the message may be missing.
const findOwner = statement<{ accountId: string }>(
  `SELECT account_id AS "accountId" FROM work WHERE seq = $1
     UNION ALL SELECT account_id FROM unknown_recipients WHERE seq = $1 LIMIT 1`,
);
// Another transaction may have released the message, whose recipients must then stay in their places.
const lockQuarantined = statement(`SELECT FROM quarantined WHERE seq = $1 AND ${IN_QUARANTINE} FOR NO KEY UPDATE`);
const deleteWorkOf = statement<TakenRow>(
  `DELETE FROM work WHERE seq = $1 RETURNING seq, position, domain, attempts, NULL::bigint AS "unknownAtMs"`,
);
const deleteUnknownOf = statement<TakenRow>(
  `DELETE FROM unknown_recipients WHERE seq = $1 RETURNING seq, position, domain, attempts, at_ms AS "unknownAtMs"`,
);

const countLeft = statement<{ atDot: number; locked: number }>(
  `SELECT count(*) FILTER (WHERE mark IS NOT NULL) AS "atDot", count(*) FILTER (WHERE mark IS NULL) AS locked
     FROM ${KEYS} JOIN work USING (seq, position)`,
);

const addUnknown = statement(
  `INSERT INTO unknown_recipients (seq, position, account_id, domain, attempts, at_ms)
     SELECT seq, position, $6, domain, attempts, $5
       FROM unnest($1::bigint[], $2::int[], $3::text[], $4::int[]) AS u (seq, position, domain, attempts)`,
);

const addWork = statement(
  `INSERT INTO work (seq, position, account_id, domain, due_ms, attempts)
     SELECT seq, position, $6, domain, due_ms, attempts
       FROM unnest($1::bigint[], $2::int[], $3::text[], $4::int[], $5::bigint[]) AS w (seq, position, domain, attempts, due_ms)`,
);

/** As Session.takeRecipients. */
export async function takeRecipients(
  session: Session,
  named: NamedRecipients,
  result: "pending" | "unknown",
): Promise<TakenRecipients> {
  const { accountId } = named;
  const keys = await namedRecipients(session, named);
  await session.run(lockMessages, [keys.map(({ seq }) => seq)]);
  await lockEvents(session, accountId);
  const columns = keyColumns(keys);
  const { rows } = await session.run(result === "unknown" ? deleteUnknown : deletePending, columns);
  const left = result === "unknown" ? [] : (await session.run(countLeft, columns)).rows;
  return { recipients: await withStates(session, rows, accountId), atDot: 0, locked: 0, ...left[0], unreadable: 0 };
}

async function withStates(session: Session, rows: readonly TakenRow[], accountId: string): Promise<TakenRecipient[]> {
  const states = await newestStates(session, rows);
  return rows.map((row) => {
    const { reason = null, category = null, smtp = null } = states.get(recipientName(row)) ?? {};
    return { ...row, accountId, reason, category, smtp };
  });
}

/** As Session.takeUnknown. */
export async function takeUnknown(
  session: Session,
  { accountId, ...key }: RecipientKey & { accountId: string },
): Promise<TakenRecipient | null> {
  await lockEvents(session, accountId);
  const { rows } = await session.run(deleteUnknown, keyColumns([key]));
  return (await withStates(session, rows, accountId))[0] ?? null;
}

/** As Session.takeQuarantined. */
export async function takeQuarantined(
  session: Session,
  seq: number,
): Promise<Pick<TakenRecipients, "recipients" | "unreadable">> {
  const [owner] = (await session.run(findOwner, [seq])).rows;
  if (owner === undefined) return { recipients: [], unreadable: 0 };
  await lockEvents(session, owner.accountId);
  if ((await session.run(lockQuarantined, [seq])).count === 0) return { recipients: [], unreadable: 0 };
  const rows = [...(await session.run(deleteWorkOf, [seq])).rows, ...(await session.run(deleteUnknownOf, [seq])).rows];
  return { recipients: await withStates(session, rows, owner.accountId), unreadable: 0 };
}

/** Before the rows: settlements take them under the account's lock. */
async function lockEvents(session: Session, accountId: string): Promise<void> {
  const { query, values } = lockCommand([accountId]);
  await session.run(query, values);
}

/** As Session.addRecipientEvent. */
export async function addRecipientEvent(
  session: Session,
  { accountId, ...key }: RecipientKey & { accountId: string },
  event: RepeatingEvent,
): Promise<void> {
  // The state is that of no later event than this one.
  await lockEvents(session, accountId);
  const { seq, position } = key;
  const {
    result = "pending",
    reason = null,
    category = null,
    attempts = 0,
    smtp = null,
  } = (await newestStates(session, [key])).get(recipientName(key)) ?? {};
  const recipient = { position, result, reason, category, attempts, smtp };
  await writeEvents(session, [{ seq, accountId, recipient, ...event }]);
}

/** As Session.setStates. */
export async function setStates(
  session: Session,
  states: readonly NewState[],
  { accountId, nowMs }: StatesOf,
): Promise<void> {
  const placed = (result: NewState["result"]) => states.filter((state) => state.result === result);
  const columnsOf = (own: readonly NewState[]): unknown[] => [
    ...keyColumns(own.map(({ recipient }) => recipient)),
    own.map(({ recipient }) => recipient.domain),
    own.map(({ recipient }) => recipient.attempts),
  ];
  const [unknown, pending] = [placed("unknown"), placed("pending")];
  if (unknown.length > 0) await session.run(addUnknown, [...columnsOf(unknown), nowMs, accountId]);
  if (pending.length > 0) {
    await session.run(addWork, [...columnsOf(pending), pending.map(({ dueMs }) => dueMs), accountId]);
  }
  await writeEvents(
    session,
    states.map(({ recipient: { seq, position, attempts }, dueMs: _, history, ...state }): NewEvent => {
      const recipient = { position, attempts, ...state };
      return { seq, accountId, atMs: nowMs, type: typeOfResult(state.result), recipient, history };
    }),
  );
}

/** A new state of a recipient, for the counts of activity. */
export interface RecipientChange {
  recipient: Pick<TakenRecipient, "accountId" | "domain" | "unknownAtMs">;
  result: Result;
  atMs: number;
  /** As StatesOf.acceptedAtMs; null if absent there. */
  acceptedAtMs: number | null;
}

/** Counts new results, and takes those of recipients that were unknown from the minutes in which they had become so. */
export function countChanges(
  activity: Pick<ActivityCounts, "retried" | "decided" | "settled">,
  changes: readonly RecipientChange[],
): void {
  for (const { recipient, result, atMs, acceptedAtMs: createdAtMs } of changes) {
    const { accountId, domain, unknownAtMs: countedAtMs } = recipient;
    if (isTestRoute(domain)) continue;
    if (countedAtMs !== null) activity.retried({ accountId, result: "unknown", countedAtMs });
    if (result === "pending") continue;
    if (createdAtMs === null) activity.decided(accountId, atMs, result);
    else activity.settled({ accountId, createdAtMs }, atMs, result);
  }
}
