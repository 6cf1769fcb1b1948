/**
 * Removes the sender's deadline from a message that an operator retries after it. An entry of the history whose next attempt
 * would have been at or after the deadline is shown as "no further attempt" because of that deadline. This is stored first, so
 * that the history shown does not change.
 */
import type { Session } from "../../engine/session.ts";
import { statement } from "../../engine/statement.ts";
import { isObject, soundJson } from "../../records/stored-json.ts";

const HISTORIES = { ifDamaged: "the histories" };

const findWaits = statement<{ number: number; history: string }>(
  `SELECT number, history FROM events WHERE seq = $1 AND history LIKE '%"next_attempt_at_ms":%'`,
  HISTORIES,
);

const replaceHistory = statement("UPDATE events SET history = $3 WHERE seq = $1 AND number = $2", HISTORIES);

const removeDeadline = statement("UPDATE messages SET deadline_ms = NULL WHERE seq = $1");

/** Does nothing unless the deadline has passed. The caller has locked the message. */
export async function liftDeadline(
  session: Session,
  { seq, deadlineMs }: { seq: number; deadlineMs: number | null },
  nowMs: number,
): Promise<void> {
  if (deadlineMs === null || deadlineMs > nowMs) return;
  for (const { number, history } of (await session.run(findWaits, [seq])).rows) {
    const entry = soundJson(history, isObject);
    if (typeof entry?.next_attempt_at_ms !== "number" || entry.next_attempt_at_ms < deadlineMs) continue;
    await session.run(replaceHistory, [seq, number, JSON.stringify({ ...entry, next_attempt_at_ms: null })]);
  }
  await session.run(removeDeadline, [seq]);
}
