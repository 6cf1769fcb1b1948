/**
 * Removing what is kept no longer, in steps so small that no commit waits long for one. A pass goes over the messages in
 * the order they came; the next one begins with the first again, for those that became final meanwhile.
 */
import type { Database } from "better-sqlite3";
import type { Forgetting, Forgotten } from "../spool.ts";
import type { Written } from "./writer.ts";

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

const SEEN = `m.seq, m.created_at_ms AS createdAtMs,
  iif(EXISTS (SELECT 1 FROM recipients r WHERE r.seq = m.seq AND r.state IN ('pending', 'marked', 'unknown')),
      NULL, m.updated_at_ms) AS finalAtMs`;

export function prepareRetention(db: Database) {
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
  const drops = ["events", "recipients", "messages"].map((table) => db.prepare(`DELETE FROM ${table} WHERE seq = ?`));
  /** Where the passes are. */
  const at = { contents: 0, results: 0 };

  /** Looks at the next messages of a pass and drops those that are over; how many, and whether the pass goes on. */
  function walk(
    pass: keyof typeof at,
    { beforeMs, nowMs, limit }: { beforeMs: number; nowMs: number; limit: number },
    drop: (seq: number) => void,
  ): { dropped: number; isMore: boolean } {
    const rows = (pass === "contents" ? withContent : all).all(at[pass], limit);
    // Messages come in the order of their acceptance, and none is final before it. One dated in the future says nothing of
    // those behind it: the clock was ahead when it came.
    const end = rows.findIndex(({ createdAtMs }) => createdAtMs >= beforeMs && createdAtMs <= nowMs);
    const looked = end === -1 ? rows : rows.slice(0, end);
    const over = looked.filter(({ finalAtMs }) => finalAtMs !== null && finalAtMs < beforeMs);
    for (const { seq } of over) drop(seq);
    const isMore = looked.length === limit;
    at[pass] = isMore ? (looked.at(-1)?.seq ?? 0) : 0;
    return { dropped: over.length, isMore };
  }

  function dropMessage(seq: number): void {
    dropContent.run(seq);
    dropTags.run({ seq });
    for (const statement of drops) statement.run(seq);
  }

  function giveBack(): boolean {
    const free = db.pragma("freelist_count", { simple: true }) as number;
    if (free <= FREE_PAGES_KEPT || db.pragma("auto_vacuum", { simple: true }) !== 2) return false;
    db.exec(`PRAGMA incremental_vacuum(${VACUUM_PAGES})`);
    return free - VACUUM_PAGES > FREE_PAGES_KEPT;
  }

  return {
    forget({ contentsBeforeMs, resultsBeforeMs, nowMs, limit }: Forgetting): Written<Forgotten> {
      const contents = walk("contents", { beforeMs: contentsBeforeMs, nowMs, limit }, (seq) => dropContent.run(seq));
      const results = walk("results", { beforeMs: resultsBeforeMs, nowMs, limit }, dropMessage);
      const isFreeing = giveBack();
      const isMore = contents.isMore || results.isMore || isFreeing;
      return { value: { contents: contents.dropped, messages: results.dropped, isMore } };
    },
  };
}
