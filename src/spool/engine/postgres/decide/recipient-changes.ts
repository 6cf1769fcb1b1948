/**
 * What operations of the store do to recipients: takes rows of `work` and `unknown_recipients`, and gives the recipients their states. A
 * lease of an unmarked recipient ends with its row: its mark is rejected.
 */
import { MessageDamaged } from "../../../port/errors.ts";
import { IN_QUARANTINE, isInQueueSql } from "../../../records/quarantined.ts";
import { typeOfResult } from "../../../records/result-event.ts";
import type {
  NamedRecipients,
  NewState,
  PendingSelection,
  RecipientKey,
  RepeatingEvent,
  StatesOf,
  TakenFailed,
  TakenRecipient,
  TakenRecipients,
  TakenSome,
} from "../../session.ts";
import { type Session, statement } from "../connection/statement.ts";
import { storedText } from "../connection/stored-text.ts";
import { lockCommand, type NewEvent, writeEvents } from "../mail/event-writer.ts";
import { lockMessages, namedRecipients } from "../mail/named-recipients.ts";
import { checkMessage } from "../quarantine/message-check.ts";
import { isQuarantined } from "../quarantine/quarantine.ts";
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

const PENDING = 'w.seq, w.position, w.domain, w.attempts, NULL::bigint AS "unknownAtMs"';

// A row that another transaction has locked is being claimed, marked or released: it is in an attempt, or due already.
const lockPending = statement<TakenRow>(
  `SELECT ${PENDING} FROM ${KEYS} JOIN work w USING (seq, position) WHERE w.mark IS NULL
     ORDER BY w.seq, w.position FOR NO KEY UPDATE OF w SKIP LOCKED`,
);

// Those in an attempt are not changed, because its result decides when the next one is due. The sender has chosen when scheduled ones are due.
const lockWaitingAt = statement<TakenRow>(
  `SELECT ${PENDING} FROM work w
     WHERE owner IS NULL AND account_id = $1 AND domain = $2 AND due_ms > $3 AND ${isInQueueSql("seq")}
       AND NOT EXISTS (SELECT FROM messages m WHERE m.seq = w.seq AND m.send_at_ms = w.due_ms AND m.send_at_ms > $3)
     ORDER BY due_ms, seq LIMIT $4 FOR NO KEY UPDATE SKIP LOCKED`,
);

const setDue = statement(
  `UPDATE work w SET due_ms = n.due_ms FROM unnest($1::bigint[], $2::int[], $3::bigint[]) AS n (seq, position, due_ms)
     WHERE w.seq = n.seq AND w.position = n.position`,
);

type FailedRow = Pick<
  TakenFailed,
  "seq" | "position" | "accountId" | "email" | "domain" | "messageId" | "deadlineMs"
> & {
  hasContent: boolean;
  isQuarantined: boolean;
};

// A subquery for each row is a probe of one partition; the planner prefers to read all partitions for a join.
const findDetails = statement<FailedRow>(
  `SELECT k.seq, k.position, r.email, r.domain, m.id AS "messageId", m.account_id AS "accountId", m.deadline_ms AS "deadlineMs",
          (SELECT 1 FROM contents c WHERE c.seq = k.seq AND c.part = 0) IS NOT NULL AS "hasContent",
          (SELECT 1 FROM quarantined q WHERE q.seq = k.seq) IS NOT NULL AS "isQuarantined"
     FROM unnest($1::bigint[], $2::int[]) AS k (seq, position),
       LATERAL (SELECT id, account_id, deadline_ms FROM messages WHERE seq = k.seq LIMIT 1) m,
       LATERAL (SELECT email, domain FROM recipients WHERE seq = k.seq AND position = k.position LIMIT 1) r
     ORDER BY k.seq, k.position`,
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

const savepoint = statement("SAVEPOINT readable");
const rollback = statement("ROLLBACK TO SAVEPOINT readable");

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
    const { unknownAtMs, ...taken } = row;
    const former = unknownAtMs === null ? null : { result: "unknown" as const, atMs: unknownAtMs };
    return { ...taken, accountId, reason, category, smtp, former, isKept: false };
  });
}

/** As Session.keepPending. */
export async function keepPending(session: Session, selection: PendingSelection): Promise<TakenSome> {
  const { accountId } = selection;
  await lockEvents(session, accountId);
  const { rows } = await ("keys" in selection
    ? session.run(lockPending, keyColumns(selection.keys))
    : session.run(lockWaitingAt, [accountId, storedText(selection.domain), selection.laterThanMs, selection.limit]));
  const recipients = await withStates(session, rows, accountId);
  return { recipients: recipients.map((recipient) => ({ ...recipient, isKept: true })), unreadable: 0 };
}

/** As Session.takeFailed. The lock of the messages keeps other nodes from retrying the recipients too. */
export async function takeFailed(
  session: Session,
  keys: readonly RecipientKey[],
  released: number | null,
): Promise<{ recipients: TakenFailed[]; unreadable: number }> {
  await session.run(lockMessages, [keys.map(({ seq }) => seq)]);
  const states = await newestStates(session, keys);
  const failed = keys.filter((key) => states.get(recipientName(key))?.result === "failed");
  const { rows } = await session.run(findDetails, keyColumns(failed));
  const readable = rows.filter(({ isQuarantined, seq }) => !isQuarantined || seq === released);
  const recipients = readable.map((row): TakenFailed => {
    const {
      reason = null,
      category = null,
      smtp = null,
      attempts = 0,
      atMs = 0,
    } = states.get(recipientName(row)) ?? {};
    const former = { result: "failed", atMs } as const;
    return { ...row, reason, category, smtp, attempts, failedAtMs: atMs, former, isKept: false };
  });
  return { recipients, unreadable: rows.length - readable.length };
}

/** As Session.problemOfQuarantined. A statement that fails would end the transaction without the savepoint. */
export async function problemOfQuarantined(session: Session, seq: number): Promise<string | null> {
  if (!(await isQuarantined(session, seq))) return null;
  await session.run(savepoint);
  try {
    await checkMessage(session, seq);
    return null;
  } catch (error) {
    if (!(error instanceof MessageDamaged)) throw error;
    await session.run(rollback);
    return error.message;
  }
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
export async function takeQuarantined(session: Session, seq: number): Promise<TakenSome> {
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
  const unknown = placed("unknown");
  const [kept, pending] = [true, false].map((isKept) =>
    placed("pending").filter(({ recipient }) => recipient.isKept === isKept),
  ) as [NewState[], NewState[]];
  if (unknown.length > 0) await session.run(addUnknown, [...columnsOf(unknown), nowMs, accountId]);
  if (kept.length > 0) {
    await session.run(setDue, [...keyColumns(kept.map(({ recipient }) => recipient)), kept.map(({ dueMs }) => dueMs)]);
  }
  if (pending.length > 0) {
    await session.run(addWork, [...columnsOf(pending), pending.map(({ dueMs }) => dueMs), accountId]);
  }
  await writeEvents(
    session,
    states.map(({ recipient: { seq, position, attempts }, dueMs: _, history, type, ...state }): NewEvent => {
      const recipient = { position, attempts, ...state };
      const own = type === undefined ? typeOfResult(state.result) : type;
      return { seq, accountId, atMs: nowMs, type: own, recipient, history };
    }),
  );
}
