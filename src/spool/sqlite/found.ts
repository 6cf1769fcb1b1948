/**
 * A message as a list shows it, by its place in the spool.
 */
import type { Database } from "better-sqlite3";
import type { Category } from "../../message/category.ts";
import type { FoundMessage } from "../port/reports.ts";
import { isDamage, isTexts, soundJson } from "./damage.ts";
import { shortened } from "./shortened.ts";

interface FoundRow {
  id: string;
  createdAtMs: number;
  from: string;
  subject: string;
  messageId: string;
  keyId: string;
  tags: string | null;
}

interface CountRow {
  recipients: number;
  delivered: number;
  failed: number;
  unknown: number;
  email: string;
}

export function prepareFound(db: Database): (seq: number) => FoundMessage | null {
  const rowOf = db.prepare<[number], FoundRow>(
    `SELECT id, created_at_ms AS createdAtMs, sender AS "from", ${shortened("subject")} AS subject,
            ${shortened("message_id")} AS messageId, key_id AS keyId, tags FROM messages WHERE seq = ?`,
  );
  const counts = db.prepare<[number], CountRow>(
    `SELECT count(*) AS recipients, sum(state = 'delivered') AS delivered, sum(state = 'failed') AS failed,
            sum(state = 'unknown') AS unknown, (SELECT email FROM recipients WHERE seq = r.seq AND position = 0) AS email
       FROM recipients r WHERE seq = ?`,
  );
  const categoriesOf = db
    .prepare<[number], Category>(
      "SELECT DISTINCT category FROM recipients WHERE seq = ? AND category IS NOT NULL ORDER BY category",
    )
    .pluck();
  const read = (seq: number): FoundMessage | null => {
    const row = rowOf.get(seq);
    if (row === undefined) return null;
    const { recipients = 0, delivered = 0, failed = 0, unknown = 0, email = "" } = counts.get(seq) ?? {};
    const results = { delivered, failed, unknown, pending: recipients - delivered - failed - unknown };
    const categories = categoriesOf.all(seq);
    return {
      ...row,
      tags: row.tags === null ? [] : (soundJson(row.tags, isTexts) ?? []),
      recipients,
      to: email,
      results,
      categories,
    };
  };
  return (seq) => {
    try {
      return read(seq);
    } catch (error) {
      // The list goes on without it.
      if (isDamage(error)) return null;
      throw error;
    }
  };
}
