/**
 * A person's decisions about recipients: the result of unknown ones, and the end of pending ones. records/decision.ts decides what
 * they become. A recipient whose state has changed is left out. A lease of an unmarked recipient ends with its row: its mark is
 * rejected.
 */
import { isTestRoute } from "../../../../message/test-route.ts";
import type { RecipientsDecision, Resolution } from "../../../port/operations.ts";
import {
  cancelledRecipient,
  type DecidedRecipient,
  type Decided as NewState,
  resolvedRecipient,
} from "../../../records/decision.ts";
import { typeOfResult } from "../../../records/result-event.ts";
import { type Session, statement } from "../connection/statement.ts";
import { lockCommand, type NewEvent, writeEvents } from "../mail/event-writer.ts";
import { lockMessages, namedRecipients } from "../mail/named-recipients.ts";
import { keyColumns, newestStates, type RecipientKey, recipientName } from "../reports/recipient-states.ts";

interface TakenRow extends RecipientKey {
  domain: string;
  attempts: number;
  /** When it became unknown; null if it was pending. */
  unknownAtMs: number | null;
}

/** A recipient that a decision has changed. */
export interface Decided {
  result: "delivered" | "failed" | "unknown";
  unknownAtMs: number | null;
  /** Whether it is part of the counts of activity. */
  isCounted: boolean;
}

const KEYS = "unnest($1::bigint[], $2::int[]) AS k (seq, position)";

// A late reply to the former attempt finds no row under its lease any more, and changes nothing.
const takeUnknown = statement<TakenRow>(
  `DELETE FROM unknown_recipients u USING ${KEYS} WHERE u.seq = k.seq AND u.position = k.position
     RETURNING u.seq, u.position, u.domain, u.attempts, u.at_ms AS "unknownAtMs"`,
);

// A row that another transaction has locked is being claimed, marked or released. Waiting for it could be waiting in a circle.
const takePending = statement<TakenRow>(
  `WITH free AS MATERIALIZED (
     SELECT w.seq, w.position FROM ${KEYS} JOIN work w USING (seq, position) WHERE w.mark IS NULL FOR UPDATE OF w SKIP LOCKED
   )
   DELETE FROM work w USING free WHERE w.seq = free.seq AND w.position = free.position
     RETURNING w.seq, w.position, w.domain, w.attempts, NULL::bigint AS "unknownAtMs"`,
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

/** Resolves recipients in a transaction of the caller's. Returns those that were unknown. */
export async function resolveRecipients(session: Session, resolution: Resolution): Promise<Decided[]> {
  const keys = await lockNamed(session, resolution);
  const { rows } = await session.run(takeUnknown, keyColumns(keys));
  return decide(session, rows, { decision: resolution, stateOf: (former) => resolvedRecipient(former, resolution) });
}

/** Cancels recipients in a transaction of the caller's. `locked`: how many were not cancelled yet. */
export async function cancelRecipients(
  session: Session,
  decision: RecipientsDecision,
): Promise<{ changes: Decided[]; atDot: number; locked: number }> {
  const keys = await lockNamed(session, decision);
  const { rows } = await session.run(takePending, keyColumns(keys));
  const [left = { atDot: 0, locked: 0 }] = (await session.run(countLeft, keyColumns(keys))).rows;
  const changes = await decide(session, rows, { decision, stateOf: (former) => cancelledRecipient(former, decision) });
  return { changes, ...left };
}

async function lockNamed(session: Session, decision: RecipientsDecision): Promise<RecipientKey[]> {
  const keys = await namedRecipients(session, decision);
  await session.run(lockMessages, [keys.map(({ seq }) => seq)]);
  // Before the rows: settlements take them under the account's lock.
  const { query, values } = lockCommand([decision.accountId]);
  await session.run(query, values);
  return keys;
}

async function decide(
  session: Session,
  rows: readonly TakenRow[],
  {
    decision: { accountId, nowMs },
    stateOf,
  }: { decision: RecipientsDecision; stateOf: (former: DecidedRecipient) => NewState<Decided["result"]> },
): Promise<Decided[]> {
  const states = await newestStates(session, rows);
  const decided = rows.map((row) => {
    const { reason = null, category = null, smtp = null } = states.get(recipientName(row)) ?? {};
    const { attempts } = row;
    return { row, smtp, state: stateOf({ attempts, reason, category }) };
  });
  const unknown = decided.filter(({ state }) => state.result === "unknown").map(({ row }) => row);
  if (unknown.length > 0) {
    const [domains, attempts] = [unknown.map(({ domain }) => domain), unknown.map((row) => row.attempts)];
    await session.run(addUnknown, [...keyColumns(unknown), domains, attempts, nowMs, accountId]);
  }
  const events = decided.map(({ row: { seq, position, attempts }, smtp, state }): NewEvent => {
    const { history, ...result } = state;
    const evidence = result.result === "unknown" ? null : smtp;
    const recipient = { position, attempts, smtp: evidence, ...result };
    return { seq, accountId, atMs: nowMs, type: typeOfResult(result.result), recipient, history };
  });
  await writeEvents(session, events);
  return decided.map(({ row: { domain, unknownAtMs }, state: { result } }) => {
    return { result, unknownAtMs, isCounted: !isTestRoute(domain) };
  });
}
