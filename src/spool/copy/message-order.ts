/**
 * The messages of a copy in the order in which it numbers them: by their time of acceptance, and those of a millisecond by their
 * rows. In a damaged file, a message is found if its row, its entry in an index or a recipient of it can be read.
 */
import type { Database } from "better-sqlite3";
import { isDamage } from "../engine/sqlite/files/damage.ts";
import type { CopyDamage } from "./copy-damage.ts";

export interface PlacedMessage {
  seq: number;
  createdAtMs: number;
}

/** Returns all messages. SQLite sorts them, in files if they are many. */
export function* messagesInOrder(db: Database, damage: CopyDamage): Generator<PlacedMessage> {
  const sorted = (by: string): Iterable<PlacedMessage> => {
    const sql = `SELECT seq, created_at_ms AS createdAtMs FROM messages ${by} ORDER BY created_at_ms, seq`;
    return db.prepare<[], PlacedMessage>(sql).iterate();
  };
  // Nothing is returned before everything was read.
  try {
    return yield* sorted("");
  } catch (error) {
    if (!isDamage(error)) throw error;
  }
  try {
    return yield* sorted("NOT INDEXED");
  } catch (error) {
    if (!isDamage(error)) throw error;
    damage.note("messages", { place: "the table messages", error: (error as Error).message });
  }
  yield* findReadable(db);
}

function findReadable(db: Database): PlacedMessage[] {
  const found = new Map<number, number>();
  for (const sql of READS) {
    try {
      for (const { seq, createdAtMs } of db.prepare<[], PlacedMessage>(sql).iterate()) found.set(seq, createdAtMs);
    } catch (error) {
      if (!isDamage(error)) throw error;
    }
  }
  for (const seq of seqsWithRecipients(db)) if (!found.has(seq)) found.set(seq, timeNear(seq, found));
  const messages = [...found].map(([seq, createdAtMs]) => ({ seq, createdAtMs }));
  return messages.sort((a, b) => a.createdAtMs - b.createdAtMs || a.seq - b.seq);
}

/** Each from one end to the first damaged page. */
const READS = ["INDEXED BY messages_by_time", "INDEXED BY messages_by_key", "NOT INDEXED"].flatMap((by) => {
  const order = by === "NOT INDEXED" ? ["seq"] : ["account_id"];
  return ["ASC", "DESC"].map(
    (direction) =>
      `SELECT seq, created_at_ms AS createdAtMs FROM messages ${by} ORDER BY ${order.map((name) => `${name} ${direction}`)}`,
  );
});

function seqsWithRecipients(db: Database): Set<number> {
  const seqs = new Set<number>();
  for (const direction of ["ASC", "DESC"]) {
    try {
      const sql = `SELECT DISTINCT seq FROM recipients NOT INDEXED ORDER BY seq ${direction}`;
      for (const seq of db.prepare<[], number>(sql).pluck().iterate()) seqs.add(seq);
    } catch (error) {
      if (!isDamage(error)) throw error;
    }
  }
  return seqs;
}

/** Rows are in the order of acceptance, but for clocks that were set. */
function timeNear(seq: number, found: ReadonlyMap<number, number>): number {
  for (let former = seq - 1; former > 0; former -= 1) {
    const timeMs = found.get(former);
    if (timeMs !== undefined) return timeMs;
  }
  return 0;
}
