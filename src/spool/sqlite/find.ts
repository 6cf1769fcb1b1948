/**
 * Finding messages again, the newest first. What an index answers is asked of it: addresses, results, time. For the
 * rest messages are read backwards from where the page before ended, so many and no more at a time: a page costs the
 * same whether the spool holds a thousand messages or a million.
 */
import type { Database } from "better-sqlite3";
import type { Result } from "../../message/outcome.ts";
import type { FoundMessage, FoundMessages, MessageFilter } from "../reports.ts";

/** Messages looked at for one page where no index leads to them. */
const LOOKED_AT_MAX = 50_000;

interface Cursor {
  atMs: number;
  seq: number;
}

interface FoundRow extends Cursor {
  id: string;
  sender: string;
  subject: string;
  key_id: string;
}

interface CountRow {
  recipients: number;
  delivered: number;
  failed: number;
  unknown: number;
  email: string;
}

type Parameters = Record<string, string | number>;

interface Sought {
  where: string[];
  parameters: Parameters;
}

const STATES: Record<Result, string> = {
  pending: "'pending', 'marked'",
  delivered: "'delivered'",
  failed: "'failed'",
  unknown: "'unknown'",
};

/** Where messages with few such recipients are found without reading the others. */
const STATE_INDEX: Partial<Record<Result, string>> = {
  pending: "recipients_waiting",
  failed: "recipients_failed",
  unknown: "recipients_unknown",
};

export function prepareFind(db: Database): (filter: MessageFilter) => FoundMessages {
  const rowOf = db.prepare<[number], FoundRow>(
    "SELECT seq, created_at_ms AS atMs, id, sender, subject, key_id FROM messages WHERE seq = ?",
  );
  const counts = db.prepare<[number], CountRow>(
    `SELECT count(*) AS recipients, sum(state = 'delivered') AS delivered, sum(state = 'failed') AS failed,
            sum(state = 'unknown') AS unknown, (SELECT email FROM recipients WHERE seq = r.seq AND position = 0) AS email
       FROM recipients r WHERE seq = ?`,
  );
  const nthBefore = db.prepare<[string, number, number, number, number], Cursor>(
    `SELECT created_at_ms AS atMs, seq FROM messages
       WHERE account_id = ? AND (created_at_ms, seq) < (?, ?) AND created_at_ms >= ?
       ORDER BY created_at_ms DESC, seq DESC LIMIT 1 OFFSET ?`,
  );

  function toFound(row: FoundRow): FoundMessage {
    const c = counts.get(row.seq);
    const { recipients = 0, delivered = 0, failed = 0, unknown = 0, email = "" } = c ?? {};
    const results = { delivered, failed, unknown, pending: recipients - delivered - failed - unknown };
    const { id, atMs, sender, subject, key_id } = row;
    return { id, createdAtMs: atMs, from: sender, subject, keyId: key_id, recipients, to: email, results };
  }

  function toPage(rows: FoundRow[], limit: number, lastLooked: Cursor | null): FoundMessages {
    const shown = rows.slice(0, limit);
    const last = shown.at(-1);
    const messages = shown.map(toFound);
    if (rows.length > limit && last !== undefined) {
      return { messages, cursor: `${last.atMs}.${last.seq}`, searchedBackToMs: null };
    }
    if (lastLooked === null) return { messages, cursor: null, searchedBackToMs: null };
    return { messages, cursor: `${lastLooked.atMs}.${lastLooked.seq}`, searchedBackToMs: lastLooked.atMs };
  }

  /** Over the recipients that an index finds. */
  function byRecipient(filter: MessageFilter, cursor: Cursor): FoundMessages {
    const { where, parameters } = ofMessage(filter);
    const { from, conditions, more } = ofRecipient(filter);
    // Without a condition on the message it is not read for recipients that the page does not show.
    const join = where.length > 0 ? "CROSS JOIN messages m ON m.seq = r.seq" : "";
    const bounds = `r.account_id = @accountId AND r.seq < @beforeSeq`;
    const all = [bounds, ...conditions, ...where].join(" AND ");
    const sql = `SELECT DISTINCT r.seq FROM ${from} ${join} WHERE ${all} ORDER BY r.seq DESC LIMIT @limit`;
    const given = {
      ...parameters,
      ...more,
      accountId: filter.accountId,
      beforeSeq: cursor.seq || Number.MAX_SAFE_INTEGER,
      limit: filter.limit + 1,
    };
    const seqs = db.prepare<Parameters, number>(sql).pluck().all(given);
    return toPage(
      seqs.map((seq) => rowOf.get(seq)).filter((row) => row !== undefined),
      filter.limit,
      null,
    );
  }

  /** Over the account's messages, backwards. */
  function byTime(filter: MessageFilter, cursor: Cursor): FoundMessages {
    const { where, parameters } = ofMessage(filter);
    if (filter.result !== undefined) {
      where.push(`EXISTS (SELECT 1 FROM recipients r WHERE r.seq = m.seq AND r.state IN (${STATES[filter.result]}))`);
    }
    const sinceMs = filter.sinceMs ?? 0;
    const lastLooked =
      where.length === 0
        ? null
        : (nthBefore.get(filter.accountId, cursor.atMs, cursor.seq, sinceMs, LOOKED_AT_MAX) ?? null);
    const conditions = [
      "m.account_id = @accountId",
      "(m.created_at_ms, m.seq) < (@beforeMs, @beforeSeq)",
      "(m.created_at_ms, m.seq) >= (@downToMs, @downToSeq)",
      ...where,
    ].join(" AND ");
    const sql = `SELECT m.seq, m.created_at_ms AS atMs, m.id, m.sender, m.subject, m.key_id
      FROM messages m INDEXED BY messages_by_time WHERE ${conditions}
      ORDER BY m.created_at_ms DESC, m.seq DESC LIMIT @limit`;
    const rows = db.prepare<Parameters, FoundRow>(sql).all({
      ...parameters,
      accountId: filter.accountId,
      beforeMs: cursor.atMs,
      beforeSeq: cursor.seq,
      downToMs: lastLooked?.atMs ?? sinceMs,
      downToSeq: lastLooked?.seq ?? 0,
      limit: filter.limit + 1,
    });
    return toPage(rows, filter.limit, lastLooked);
  }

  return (filter) => {
    const cursor = readCursor(filter);
    const indexed = filter.recipient !== undefined || (filter.result !== undefined && STATE_INDEX[filter.result]);
    return indexed ? byRecipient(filter, cursor) : byTime(filter, cursor);
  };
}

/** Where the page before ended; one that cannot be read is none. */
function readCursor({ cursor, untilMs }: MessageFilter): Cursor {
  const [, atMs, seq] = /^(\d{1,15})\.(\d{1,15})$/.exec(cursor ?? "") ?? [];
  if (atMs !== undefined && seq !== undefined) return { atMs: Number(atMs), seq: Number(seq) };
  return { atMs: untilMs ?? Number.MAX_SAFE_INTEGER, seq: 0 };
}

/** What is asked of the message's own row. */
function ofMessage(filter: MessageFilter): Sought {
  const where: string[] = [];
  const parameters: Parameters = {};
  const ask = (condition: string, name: string, value: string | number | undefined): void => {
    if (value === undefined) return;
    where.push(condition);
    parameters[name] = value;
  };
  ask("m.subject LIKE @subject ESCAPE '\\'", "subject", filter.subject && `%${escapeLike(filter.subject)}%`);
  ask("m.key_id = @keyId", "keyId", filter.keyId);
  const domains = "SELECT id FROM domains WHERE account_id = @accountId AND name = @senderDomain";
  ask(`m.domain_id IN (${domains})`, "senderDomain", filter.senderDomain);
  if (filter.recipient !== undefined || (filter.result !== undefined && STATE_INDEX[filter.result] !== undefined)) {
    ask("m.created_at_ms >= @sinceMs", "sinceMs", filter.sinceMs);
    ask("m.created_at_ms < @untilMs", "untilMs", filter.untilMs);
  }
  return { where, parameters };
}

function ofRecipient({ recipient, result }: MessageFilter): { from: string; conditions: string[]; more: Parameters } {
  if (recipient === undefined) {
    const index = result === undefined ? undefined : STATE_INDEX[result];
    if (result === "pending") return { from: WAITING, conditions: [], more: {} };
    return { from: `recipients r INDEXED BY ${index}`, conditions: [`r.state = '${result}'`], more: {} };
  }
  const from = "recipients r INDEXED BY recipients_by_email";
  const conditions = result === undefined ? [] : [`r.state IN (${STATES[result]})`];
  if (recipient.indexOf("@") > 0) {
    conditions.push("r.email >= @email COLLATE NOCASE", "r.email < @emailEnd COLLATE NOCASE");
    return { from, conditions, more: { email: recipient, emailEnd: `${recipient}\u{10ffff}` } };
  }
  conditions.push("r.email LIKE @like ESCAPE '\\'");
  const like = `%${escapeLike(recipient)}${recipient.startsWith("@") ? "" : "%"}`;
  return { from, conditions, more: { like } };
}

/** A marked recipient is pending to the outside, and in an index of its own. */
const WAITING = `(SELECT account_id, seq FROM recipients INDEXED BY recipients_waiting WHERE state = 'pending'
  UNION ALL SELECT account_id, seq FROM recipients INDEXED BY recipients_marked WHERE state = 'marked') r`;

function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, "\\$&");
}
