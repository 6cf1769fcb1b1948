/**
 * Lifts the sender's own limit from a message that an operator sends again after it. The stored time of the wait that was to
 * end at the limit is read as "no further attempt" by that limit alone, so it is stored as that first: a history does not change.
 */
import type { Database } from "better-sqlite3";

export function prepareDeadlines(db: Database) {
  const overSince = db
    .prepare<[number, number], number>("SELECT deadline_ms FROM messages WHERE seq = ? AND deadline_ms <= ?")
    .pluck();
  const settle = db.prepare<[number, number]>(
    `UPDATE events SET event = json_set(event, '$.next_attempt_at_ms', NULL)
       WHERE seq = ? AND iif(json_valid(event), json_extract(event, '$.next_attempt_at_ms') >= ?, FALSE)`,
  );
  const remove = db.prepare<[number]>("UPDATE messages SET deadline_ms = NULL WHERE seq = ?");

  /** Inside the caller's transaction. `inHistory` runs what changes the message's history, or leaves it where it is damaged. */
  return function lift(seq: number, nowMs: number, inHistory: (run: () => void) => void): void {
    const deadlineMs = overSince.get(seq, nowMs);
    if (deadlineMs === undefined) return;
    inHistory(() => void settle.run(seq, deadlineMs));
    remove.run(seq);
  };
}
