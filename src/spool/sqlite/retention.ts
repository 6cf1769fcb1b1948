/**
 * Removing what is kept no longer, in steps so small that no commit waits long for one. A pass goes over the messages in
 * the order they came; the next one begins with the first again, for those that became final meanwhile.
 */
import type { Database } from "better-sqlite3";
import type { RetentionResult, RetentionStep } from "../port/operations.ts";
import { DamagedMessages, type DamageLog, isDamage } from "./damage.ts";
import type { Quarantine } from "./quarantine.ts";
import type { Written } from "./written.ts";

/** Pages given back to the disk with each step. */
const VACUUM_PAGES = 256;
/** Free pages that are left alone: new mail soon takes them again. */
const FREE_PAGES_KEPT = 1024;

interface Seen {
  seq: number;
  createdAtMs: number;
  /** Of its last change, where no recipient is open. */
  finalAtMs: number | null;
}

/** As many as the rows of a few pages. */
const CAREFUL_ROWS = 200;

type Drop = (seq: number) => void;

const SEEN = `m.seq, m.created_at_ms AS createdAtMs,
  iif(EXISTS (SELECT 1 FROM recipients r WHERE r.seq = m.seq AND r.state IN ('pending', 'marked', 'unknown')),
      NULL, m.updated_at_ms) AS finalAtMs`;

export function prepareRetention(db: Database, { quarantine, log }: { quarantine: Quarantine; log: DamageLog }) {
  const withContent = db.prepare<[number, number], Seen>(
    `SELECT ${SEEN} FROM contents c CROSS JOIN messages m ON m.seq = c.seq WHERE c.seq > ? ORDER BY c.seq LIMIT ?`,
  );
  const all = db.prepare<[number, number], Seen>(
    `SELECT ${SEEN} FROM messages m WHERE m.seq > ? ORDER BY m.seq LIMIT ?`,
  );
  const dropContent = db.prepare("DELETE FROM contents WHERE seq = ?");
  const dropTags = db.prepare(
    `DELETE FROM message_tags WHERE seq = @seq AND (account_id, tag) IN
       (SELECT m.account_id, t.value FROM messages m, json_each(m.tags) t WHERE m.seq = @seq)`,
  );
  const drops = ["events", "recipients", "messages", "quarantined"].map((table) =>
    db.prepare(`DELETE FROM ${table} WHERE seq = ?`),
  );
  /** Where the passes are. */
  const at = { contents: 0, results: 0 };
  /** How many rows of a pass are still read one by one, for there was damage. */
  const careful = { contents: 0, results: 0 };
  /** Damaged messages that cannot be removed. */
  const undroppable = new DamagedMessages(log, {
    place: (seq) => `the message in row ${seq}, which is kept no longer`,
  });

  /** Looks at the next messages of a pass and drops those that are over; how many, and whether the pass goes on. */
  function walk(
    pass: keyof typeof at,
    { beforeMs, nowMs, limit }: { beforeMs: number; nowMs: number; limit: number },
    drop: Drop,
  ): { dropped: number; isMore: boolean } {
    const rows = rowsAfter(pass, careful[pass] > 0 ? 1 : limit);
    // Messages come in the order of their acceptance, and none is final before it. One dated in the future says nothing of
    // those behind it: the clock was ahead when it came.
    const end = rows.findIndex(({ createdAtMs }) => createdAtMs >= beforeMs && createdAtMs <= nowMs);
    const looked = end === -1 ? rows : rows.slice(0, end);
    const over = looked.filter(({ finalAtMs }) => finalAtMs !== null && finalAtMs < beforeMs);
    for (const { seq } of over) {
      if (!undroppable.has(seq)) undroppable.attempt(seq, () => drop(seq));
    }
    const isMore = looked.length === (careful[pass] > 0 ? 1 : limit);
    at[pass] = isMore ? (looked.at(-1)?.seq ?? 0) : 0;
    careful[pass] = Math.max(0, careful[pass] - 1);
    return { dropped: over.length, isMore };
  }

  /** The next rows of a pass. Where one of them cannot be read, they are read one by one for a while, and that one passed over. */
  function rowsAfter(pass: keyof typeof at, limit: number): Seen[] {
    try {
      return (pass === "contents" ? withContent : all).all(at[pass], limit);
    } catch (error) {
      if (!isDamage(error)) throw error;
      log.note(`${pass} that are kept no longer`, error);
      if (careful[pass] > 0) at[pass] += 1;
      careful[pass] = CAREFUL_ROWS;
      log.avoid();
      throw error;
    }
  }

  function dropMessage(seq: number): void {
    dropContent.run(seq);
    dropTags.run({ seq });
    for (const statement of drops) statement.run(seq);
    // The number may become another message's.
    quarantine.released(seq);
  }

  function giveBack(): boolean {
    const free = db.pragma("freelist_count", { simple: true }) as number;
    if (free <= FREE_PAGES_KEPT || db.pragma("auto_vacuum", { simple: true }) !== 2) return false;
    db.exec(`PRAGMA incremental_vacuum(${VACUUM_PAGES})`);
    return free - VACUUM_PAGES > FREE_PAGES_KEPT;
  }

  return {
    applyRetention({ contentsBeforeMs, resultsBeforeMs, nowMs, limit }: RetentionStep): Written<RetentionResult> {
      const contents = walk(
        "contents",
        { beforeMs: contentsBeforeMs, nowMs, limit },
        (seq) => void dropContent.run(seq),
      );
      const results = walk("results", { beforeMs: resultsBeforeMs, nowMs, limit }, dropMessage);
      const isFreeing = log.passing("the free pages", giveBack, false);
      const isMore = contents.isMore || results.isMore || isFreeing;
      return { value: { contents: contents.dropped, messages: results.dropped, isMore } };
    },
  };
}
