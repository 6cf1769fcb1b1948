/**
 * Changes the time at which a scheduled message is sent, as long as it has not come. Its recipients that were not attempted yet get
 * the new time, and the message as much time for its delivery as before.
 */
import { SCHEDULED } from "../../../message/result/reasons.ts";
import { bind, type OperationSet, type Runner } from "../../engine/operations.ts";
import { first, type NewState, type Session, type TakenRecipient } from "../../engine/session.ts";
import { statement } from "../../engine/statement.ts";
import type { Operations, Reschedule } from "../../port/operations.ts";
import { scheduledEntry } from "../../records/scheduled-entry.ts";

const findScheduled = statement<{ seq: number; sendAtMs: number | null }>(
  `SELECT seq, send_at_ms AS "sendAtMs" FROM messages WHERE id = $1 AND account_id = $2`,
);

// On PostgreSQL, not those that a node leases by a clock that is ahead of this one's.
const findWaiting = statement<{ position: number }>(
  "SELECT position FROM work WHERE seq = $1 AND due_ms = $2 AND mark IS NULL ORDER BY position",
  { postgres: "SELECT position FROM work WHERE seq = $1 AND due_ms = $2 AND owner IS NULL ORDER BY position" },
);

const move = statement(
  `UPDATE messages SET send_at_ms = $2, expires_at_ms = expires_at_ms + $3, deadline_ms = deadline_ms + $3 WHERE seq = $1`,
);

async function rescheduleMessage(session: Session, change: Reschedule): Promise<boolean> {
  const { accountId, messageId, sendAtMs, nowMs } = change;
  // The row is read after it is locked: another change may have moved it.
  if (!(await session.lock("messages", messageId))) return false;
  const message = await first(session, findScheduled, [messageId, accountId]);
  if (message === null || message.sendAtMs === null || message.sendAtMs <= nowMs) return false;
  const { seq } = message;
  const { rows } = await session.run(findWaiting, [seq, message.sendAtMs]);
  const keys = rows.map(({ position }) => ({ seq, position }));
  const { recipients } = await session.keepPending({ accountId, keys });
  const scheduled = recipients.filter(({ reason }) => reason === SCHEDULED);
  if (scheduled.length === 0) return false;
  const beginsMs = Math.max(nowMs, sendAtMs);
  if (beginsMs === message.sendAtMs) return true;
  await session.run(move, [seq, beginsMs, beginsMs - message.sendAtMs]);
  const states = scheduled.map((recipient) => stateAt(recipient, beginsMs, change));
  await session.setStates(states, { accountId, nowMs });
  return true;
}

/** Nothing of the recipient has changed but its time, so there is an entry of its history, and no event. */
function stateAt(recipient: TakenRecipient, dueMs: number, { nowMs, by }: Reschedule): NewState {
  const state = { result: "pending", reason: SCHEDULED, category: null, smtp: null, type: null } as const;
  return { recipient, ...state, dueMs, history: scheduledEntry(dueMs, { nowMs, by }) };
}

export const scheduleOperations = {
  reads: {},
  writes: { rescheduleMessage },
} as const satisfies OperationSet;

/** `onDue` is called when recipients become due at a moment. */
export function schedulesOf(runner: Runner, onDue: (dueMs: number) => void): Pick<Operations, "reschedule"> {
  const operations = bind(scheduleOperations, runner);
  return {
    async reschedule(change) {
      const isDone = await operations.rescheduleMessage(change);
      if (isDone) onDue(Math.max(change.nowMs, change.sendAtMs));
      return isDone;
    },
  };
}
