/**
 * The end of a quarantined message by an operator: every recipient without a final result fails. The tables of what waits have all
 * that this needs, so the message's own rows may be missing or unreadable. The message's row in the quarantine stays as the evidence.
 */
import type { DiscardedMessage, DiscardRequest, QuarantinedMessage } from "../../../port/quarantine.ts";
import { discardedRecipient } from "../../../records/decision.ts";
import { DISCARD_ROW, IN_QUARANTINE } from "../../../records/quarantined.ts";
import { typeOfResult } from "../../../records/result-event.ts";
import type { Database } from "../connection/database.ts";
import { isDamaged } from "../connection/database-error.ts";
import { type Session, statement } from "../connection/statement.ts";
import { storedText } from "../connection/stored-text.ts";
import type { RecipientChange } from "../decide/recipient-changes.ts";
import { lockCommand, type NewEvent, writeEvents } from "../mail/event-writer.ts";
import { type NewestState, newestStates, type RecipientKey, recipientName } from "../reports/recipient-states.ts";

interface OpenRow extends RecipientKey {
  accountId: string;
  domain: string;
  attempts: number;
  /** When it became unknown; null if it was pending. */
  unknownAtMs: number | null;
}

type Found = Pick<QuarantinedMessage, "seq" | "messageId" | "foundAtMs" | "part" | "error">;

const find = statement<Found>(
  `SELECT seq, message_id AS "messageId", found_at_ms AS "foundAtMs", part, error FROM quarantined
     WHERE ${IN_QUARANTINE} AND (seq = $1 OR message_id = $2)`,
);

const WORK_COLUMNS = `seq, position, account_id AS "accountId", domain, attempts, NULL::bigint AS "unknownAtMs"`;
const UNKNOWN_COLUMNS = `seq, position, account_id AS "accountId", domain, attempts, at_ms AS "unknownAtMs"`;

const findOpen = statement<OpenRow>(
  `SELECT ${WORK_COLUMNS} FROM work WHERE seq = $1 UNION ALL SELECT ${UNKNOWN_COLUMNS} FROM unknown_recipients WHERE seq = $1`,
);

// A late reply to an attempt finds no row under its lease any more, and changes nothing.
const takeWork = statement<OpenRow>(`DELETE FROM work WHERE seq = $1 RETURNING ${WORK_COLUMNS}`);
const takeUnknown = statement<OpenRow>(`DELETE FROM unknown_recipients WHERE seq = $1 RETURNING ${UNKNOWN_COLUMNS}`);

const endQuarantine = statement<{ seq: number }>(
  `UPDATE quarantined SET ${DISCARD_ROW} WHERE seq = $1 AND ${IN_QUARANTINE} RETURNING seq`,
);

/** A discarded message and what has changed, for the counts of activity. */
export interface Discarded {
  message: DiscardedMessage;
  changes: RecipientChange[];
}

/** Discards a message; null if it is not in quarantine. */
export async function discardMessage(database: Database, request: DiscardRequest): Promise<Discarded | null> {
  const { message } = request;
  const isId = typeof message === "string";
  const [found] = (await database.run(find, [isId ? null : message, isId ? storedText(message) : null])).rows;
  if (found === undefined) return null;
  const { rows } = await database.run(findOpen, [found.seq]);
  const accountIds = rows.map(({ accountId }) => accountId);
  // Damage ends a transaction, so the states are read before it.
  const states = (await unlessDamaged(() => newestStates(database, rows))) ?? new Map<string, NewestState>();
  const run = (hasEvents: boolean) =>
    database.transaction((session) => discard(session, { found, accountIds, states, hasEvents, request }));
  return (await unlessDamaged(() => run(true))) ?? run(false);
}

interface DiscardParts {
  found: Found;
  accountIds: readonly string[];
  states: ReadonlyMap<string, NewestState>;
  /** False where the events cannot be written. */
  hasEvents: boolean;
  request: DiscardRequest;
}

async function discard(session: Session, parts: DiscardParts): Promise<Discarded | null> {
  const { found, accountIds, hasEvents } = parts;
  const { seq, messageId } = found;
  // Before the rows: settlements take them under the account's lock.
  const { query, values } = lockCommand(accountIds);
  await session.run(query, values);
  if ((await session.run(endQuarantine, [seq])).count === 0) return null;
  const taken = [...(await session.run(takeWork, [seq])).rows, ...(await session.run(takeUnknown, [seq])).rows];
  if (hasEvents)
    await writeEvents(
      session,
      taken.map((row) => eventOf(row, parts)),
    );
  const changes = taken.map((recipient) => ({
    recipient,
    result: "failed" as const,
    atMs: parts.request.nowMs,
    acceptedAtMs: null,
  }));
  return { message: { seq, messageId, failed: taken.length, isComplete: hasEvents }, changes };
}

function eventOf(row: OpenRow, { found, states, request }: DiscardParts): NewEvent {
  const { seq, position, accountId, attempts } = row;
  const { reason = null, category = null, smtp = null } = states.get(recipientName(row)) ?? {};
  const { history, ...state } = discardedRecipient({ attempts, reason, category }, found, request);
  const recipient = { position, attempts, smtp, ...state };
  return { seq, accountId, atMs: request.nowMs, type: typeOfResult("failed"), recipient, history };
}

/** Undefined if it meets damage. */
async function unlessDamaged<T>(run: () => Promise<T>): Promise<T | undefined> {
  try {
    return await run();
  } catch (error) {
    if (isDamaged(error)) return undefined;
    throw error;
  }
}
