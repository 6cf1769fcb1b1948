/**
 * Removes the sender's deadline from a message that an operator retries after it. An event whose next attempt would have been
 * at or after the deadline is shown as "no further attempt" because of that deadline. This is stored first, so that the
 * history shown does not change.
 */
import type { Database } from "better-sqlite3";

export function prepareDeadlines(db: Database) {
  const passedDeadline = db
    .prepare<[number, number], number>("SELECT deadline_ms FROM messages WHERE seq = ? AND deadline_ms <= ?")
    .pluck();
  const endWaits = db.prepare<[number, number]>(
    `UPDATE events SET history = json_set(history, '$.next_attempt_at_ms', NULL)
       WHERE seq = ? AND iif(json_valid(history), json_extract(history, '$.next_attempt_at_ms') >= ?, FALSE)`,
  );
  const remove = db.prepare<[number]>("UPDATE messages SET deadline_ms = NULL WHERE seq = ?");

  /** The caller holds the transaction. `inHistory` runs a change of the message's history, or skips it if that is damaged. */
  return function liftDeadline(seq: number, nowMs: number, inHistory: (run: () => void) => void): void {
    const deadlineMs = passedDeadline.get(seq, nowMs);
    if (deadlineMs === undefined) return;
    inHistory(() => void endWaits.run(seq, deadlineMs));
    remove.run(seq);
  };
}
