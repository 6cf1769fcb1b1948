/**
 * Removing what is kept no longer, in steps so small that no commit waits long for one. A pass goes over the messages in
 * the order they came; the next one begins with the first again, for those that became final meanwhile.
 */
import type { Database } from "better-sqlite3";
import type { Forgetting, Forgotten } from "../spool.ts";
import { type DamageReports, unlessDamaged } from "./damage.ts";
import type { Quarantine } from "./quarantine.ts";
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

interface Walk {
  beforeMs: number;
  limit: number;
}

type Drop = (seq: number) => void;

const SEEN = `m.seq, m.created_at_ms AS createdAtMs,
  iif(EXISTS (SELECT 1 FROM recipients r WHERE r.seq = m.seq AND r.state IN ('pending', 'marked', 'unknown')),
      NULL, m.updated_at_ms) AS finalAtMs`;

export function prepareRetention(db: Database, { quarantine, log }: { quarantine: Quarantine; log: DamageReports }) {
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

  /** Looks at the next messages of a pass and drops those that are over; how many, and whether the pass goes on. */
  function walk(pass: keyof typeof at, { beforeMs, limit }: Walk, drop: Drop): { dropped: number; isMore: boolean } {
    const statement = pass === "contents" ? withContent : all;
    const rows = readable(pass, () => statement.all(at[pass], limit));
    // The damage may be in any of these rows: one by one, those before it are looked at, and it is passed over.
    if (rows === null) return stepOver(pass, { beforeMs, limit }, drop);
    // Messages come in the order of their acceptance, and none is final before it.
    const end = rows.findIndex(({ createdAtMs }) => createdAtMs >= beforeMs);
    const looked = end === -1 ? rows : rows.slice(0, end);
    const over = looked.filter(({ finalAtMs }) => finalAtMs !== null && finalAtMs < beforeMs);
    const dropped = over.filter(({ seq }) => readable(pass, () => void dropWhole(drop, seq)) !== null);
    const isMore = looked.length === limit;
    at[pass] = isMore ? (looked.at(-1)?.seq ?? 0) : 0;
    return { dropped: dropped.length, isMore };
  }

  /** As `walk`, row by row, beyond rows that cannot be read. */
  function stepOver(
    pass: keyof typeof at,
    { beforeMs, limit }: Walk,
    drop: Drop,
  ): { dropped: number; isMore: boolean } {
    const statement = pass === "contents" ? withContent : all;
    let dropped = 0;
    for (let step = 0; step < limit; step += 1) {
      const row = readable(pass, () => statement.get(at[pass], 1));
      if (row === undefined || (row !== null && row.createdAtMs >= beforeMs)) {
        at[pass] = 0;
        return { dropped, isMore: false };
      }
      at[pass] = row?.seq ?? at[pass] + 1;
      if (row === null || row.finalAtMs === null || row.finalAtMs >= beforeMs) continue;
      if (readable(pass, () => void dropWhole(drop, row.seq)) !== null) dropped += 1;
    }
    return { dropped, isMore: true };
  }

  /** All of a message or nothing, in the caller's transaction. */
  const dropWhole = db.transaction((drop: Drop, seq: number): void => drop(seq));

  const readable = <T>(pass: string, read: () => T): T | null =>
    unlessDamaged(read, null, { log, place: `${pass} that are to be forgotten` });

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
    forget({ contentsBeforeMs, resultsBeforeMs, limit }: Forgetting): Written<Forgotten> {
      const contents = walk("contents", { beforeMs: contentsBeforeMs, limit }, (seq) => void dropContent.run(seq));
      const results = walk("results", { beforeMs: resultsBeforeMs, limit }, dropMessage);
      const isFreeing = unlessDamaged(giveBack, false, { log, place: "the free pages" });
      const isMore = contents.isMore || results.isMore || isFreeing;
      return { value: { contents: contents.dropped, messages: results.dropped, isMore } };
    },
  };
}
