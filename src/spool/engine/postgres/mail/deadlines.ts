/**
 * Removes the sender's deadline from a message that an operator retries after it. An entry of the history whose next attempt
 * would have been at or after the deadline is shown as "no further attempt" because of that deadline. This is stored first, so
 * that the history shown does not change.
 */
import { isObject, soundJson } from "../../../records/stored-json.ts";
import { type Session, statement } from "../connection/statement.ts";

const findWaits = statement<{ number: number; history: string }>(
  `SELECT number, history FROM events WHERE seq = $1 AND history ~ '"next_attempt_at_ms":[0-9]'`,
);

const replaceHistories = statement(
  `UPDATE events e SET history = n.history FROM unnest($2::bigint[], $3::text[]) AS n (number, history)
     WHERE e.seq = $1 AND e.number = n.number`,
);

const removeDeadline = statement("UPDATE messages SET deadline_ms = NULL WHERE seq = $1");

/** Removes a deadline that has passed. The caller has locked the message. */
export async function liftDeadline(session: Session, seq: number, deadlineMs: number): Promise<void> {
  const { rows } = await session.run(findWaits, [seq]);
  const ended = rows.flatMap(({ number, history }) => {
    const entry = soundJson(history, isObject);
    if (typeof entry?.next_attempt_at_ms !== "number" || entry.next_attempt_at_ms < deadlineMs) return [];
    return [{ number, history: JSON.stringify({ ...entry, next_attempt_at_ms: null }) }];
  });
  const values = [seq, ended.map(({ number }) => number), ended.map(({ history }) => history)];
  if (ended.length > 0) await session.run(replaceHistories, values);
  await session.run(removeDeadline, [seq]);
}
