/**
 * Reads the histories of a message's recipients. records/histories.ts decides how much of them.
 */

import type { Database } from "better-sqlite3";
import {
  completeHistories,
  type HistoryShare,
  historyOf,
  type RecipientHistory,
  type StoredSize,
  sharesOf,
  sizeOfAll,
} from "../../../records/histories.ts";

/** Returns a function that reads the histories of a message with so many recipients, by position. */
export function prepareHistories(db: Database, bytesMax: number) {
  const sizes = db.prepare<[number], StoredSize>(
    `SELECT position, number, octet_length(history) AS sizeBytes FROM events
       WHERE seq = ? AND history IS NOT NULL ORDER BY position, number DESC`,
  );
  const all = db.prepare<[number], { position: number; event: string }>(
    "SELECT position, history AS event FROM events WHERE seq = ? AND history IS NOT NULL ORDER BY position, number",
  );
  const textsOf = prepareTexts(db);
  return (seq: number, recipients: number): Map<number, RecipientHistory> => {
    // Read once: SQLite reads the rows of a range to find its end, and these may be large.
    const stored = sizes.all(seq);
    if (sizeOfAll(stored) <= bytesMax) return completeHistories(all.iterate(seq));
    const shares = sharesOf(stored, Math.floor(bytesMax / recipients));
    return new Map(shares.map((share) => [share.position, historyOf(share, textsOf(seq, share))]));
  };
}

/** Returns a function that reads the events of a recipient's share, in JSON. */
function prepareTexts(db: Database): (seq: number, share: HistoryShare) => string[] {
  const from = db
    .prepare<[number, number, number], string>(
      `SELECT history FROM events WHERE seq = ? AND position = ? AND number >= ? AND history IS NOT NULL ORDER BY number`,
    )
    .pluck();
  const decisive = db
    .prepare<[number, number, number], string>(
      `SELECT json_set(history, '$.tries', json_array(json_extract(history, '$.tries[#-1]')))
         FROM events WHERE seq = ? AND position = ? AND number = ? AND json_array_length(history, '$.tries') > 1`,
    )
    .pluck();
  return (seq, { position, number, isDecisiveTry }) => (isDecisiveTry ? decisive : from).all(seq, position, number);
}
