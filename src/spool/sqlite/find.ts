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

interface Place {
  atMs: number;
  seq: number;
}

interface FoundRow extends Place {
  id: string;
  sender: string;
  subject: string;
  message_id: string;
  key_id: string;
  tags: string | null;
}

const COLUMNS = "m.seq, m.created_at_ms AS atMs, m.id, m.sender, m.subject, m.message_id, m.key_id, m.tags";

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
  const rowOf = db.prepare<[number], FoundRow>(`SELECT ${COLUMNS} FROM messages m WHERE seq = ?`);
  const placeOf = db.prepare<[string, string], Place>(
    "SELECT created_at_ms AS atMs, seq FROM messages WHERE id = ? AND account_id = ?",
  );
  const counts = db.prepare<[number], CountRow>(
    `SELECT count(*) AS recipients, sum(state = 'delivered') AS delivered, sum(state = 'failed') AS failed,
            sum(state = 'unknown') AS unknown, (SELECT email FROM recipients WHERE seq = r.seq AND position = 0) AS email
       FROM recipients r WHERE seq = ?`,
  );
  const nthBefore = (scope: Scope) =>
    db.prepare<Parameters, Place & { id: string }>(
      `SELECT m.created_at_ms AS atMs, m.seq, m.id FROM ${scope.from}
         WHERE ${scope.condition} AND (m.created_at_ms, m.seq) < (@beforeMs, @beforeSeq) AND m.created_at_ms >= @sinceMs
         ORDER BY m.created_at_ms DESC, m.seq DESC LIMIT 1 OFFSET ${LOOKED_AT_MAX}`,
    );

  function toFound(row: FoundRow): FoundMessage {
    const c = counts.get(row.seq);
    const { recipients = 0, delivered = 0, failed = 0, unknown = 0, email = "" } = c ?? {};
    const results = { delivered, failed, unknown, pending: recipients - delivered - failed - unknown };
    const { id, atMs, sender, subject, message_id, key_id } = row;
    const tags: string[] = row.tags === null ? [] : JSON.parse(row.tags);
    const shown = { id, createdAtMs: atMs, from: sender, subject, messageId: message_id, keyId: key_id, tags };
    return { ...shown, recipients, to: email, results };
  }

  function toPage(rows: FoundRow[], limit: number, lastLooked: { atMs: number; id: string } | null): FoundMessages {
    const shown = rows.slice(0, limit);
    const last = shown.at(-1);
    const messages = shown.map(toFound);
    if (rows.length > limit && last !== undefined) {
      return { messages, cursor: last.id, searchedBackToMs: null };
    }
    if (lastLooked === null) return { messages, cursor: null, searchedBackToMs: null };
    return { messages, cursor: lastLooked.id, searchedBackToMs: lastLooked.atMs };
  }

  /** Over the recipients, or tags, that an index finds. */
  function byIndex(filter: MessageFilter, cursor: Place): FoundMessages {
    const { where, parameters } = ofMessage(filter);
    const { from, conditions, more } = driverOf(filter);
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

  /** Over the messages of the account, or of one of its keys, backwards. */
  function byTime(filter: MessageFilter, cursor: Place): FoundMessages {
    const { keyId, ...asked } = filter;
    const { where, parameters } = ofMessage(asked);
    const scope = SCOPES[keyId === undefined ? "account" : "key"];
    if (filter.result !== undefined) {
      where.push(`EXISTS (SELECT 1 FROM recipients r WHERE r.seq = m.seq AND r.state IN (${STATES[filter.result]}))`);
    }
    const sinceMs = filter.sinceMs ?? 0;
    const within = { accountId: filter.accountId, ...(keyId === undefined ? {} : { keyId }) };
    const before = { ...within, beforeMs: cursor.atMs, beforeSeq: cursor.seq };
    const lastLooked = where.length === 0 ? null : (nthBefore(scope).get({ ...before, sinceMs }) ?? null);
    const conditions = [
      scope.condition,
      "(m.created_at_ms, m.seq) < (@beforeMs, @beforeSeq)",
      "(m.created_at_ms, m.seq) >= (@downToMs, @downToSeq)",
      ...where,
    ].join(" AND ");
    const sql = `SELECT ${COLUMNS} FROM ${scope.from} WHERE ${conditions}
      ORDER BY m.created_at_ms DESC, m.seq DESC LIMIT @limit`;
    const rows = db.prepare<Parameters, FoundRow>(sql).all({
      ...parameters,
      ...before,
      downToMs: lastLooked?.atMs ?? sinceMs,
      downToSeq: lastLooked?.seq ?? 0,
      limit: filter.limit + 1,
    });
    return toPage(rows, filter.limit, lastLooked);
  }

  return (filter) => {
    const known = filter.cursor === undefined ? undefined : placeOf.get(filter.cursor, filter.accountId);
    // A cursor that cannot be read is none.
    const cursor = known ?? { atMs: filter.untilMs ?? Number.MAX_SAFE_INTEGER, seq: 0 };
    return isIndexed(filter) ? byIndex(filter, cursor) : byTime(filter, cursor);
  };
}

/** Whether an index of recipients or tags leads to the messages. */
function isIndexed({ recipient, recipientIs, tag, result }: MessageFilter): boolean {
  const named = recipient ?? recipientIs ?? tag;
  return named !== undefined || (result !== undefined && STATE_INDEX[result] !== undefined);
}

interface Scope {
  from: string;
  condition: string;
}

const SCOPES: Record<"account" | "key", Scope> = {
  account: { from: "messages m INDEXED BY messages_by_time", condition: "m.account_id = @accountId" },
  key: {
    from: "messages m INDEXED BY messages_by_key",
    condition: "m.account_id = @accountId AND m.key_id = @keyId",
  },
};

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
  ask("m.sender = @from COLLATE NOCASE", "from", filter.from);
  const domains = "SELECT id FROM domains WHERE account_id = @accountId AND name = @senderDomain";
  ask(`m.domain_id IN (${domains})`, "senderDomain", filter.senderDomain);
  if (isIndexed(filter)) {
    ask("m.created_at_ms >= @sinceMs", "sinceMs", filter.sinceMs);
    ask("m.created_at_ms < @untilMs", "untilMs", filter.untilMs);
  }
  return { where, parameters };
}

interface Driver {
  /** What is looked through, as `r` with account_id and seq. */
  from: string;
  conditions: string[];
  more: Parameters;
}

function driverOf(filter: MessageFilter): Driver {
  const { recipient, recipientIs, tag, result } = filter;
  if (recipient !== undefined || recipientIs !== undefined) return ofAddress(filter);
  if (tag !== undefined) {
    const conditions = result === undefined ? [] : [`EXISTS (${recipientsOf("r")} AND o.state IN (${STATES[result]}))`];
    return { from: "message_tags r", conditions: ["r.tag = @tag", ...conditions], more: { tag } };
  }
  const index = result === undefined ? undefined : STATE_INDEX[result];
  if (result === "pending") return { from: WAITING, conditions: [], more: {} };
  return { from: `recipients r INDEXED BY ${index}`, conditions: [`r.state = '${result}'`], more: {} };
}

const recipientsOf = (of: string): string => `SELECT 1 FROM recipients o WHERE o.seq = ${of}.seq`;

function ofAddress({ recipient = "", recipientIs, tag, result }: MessageFilter): Driver {
  const from = "recipients r INDEXED BY recipients_by_email";
  const conditions = result === undefined ? [] : [`r.state IN (${STATES[result]})`];
  const more: Parameters = {};
  if (tag !== undefined) {
    const tags = "SELECT 1 FROM message_tags t WHERE t.account_id = r.account_id AND t.tag = @tag AND t.seq = r.seq";
    conditions.push(`EXISTS (${tags})`);
    more.tag = tag;
  }
  if (recipientIs !== undefined) {
    conditions.push("r.email = @email COLLATE NOCASE");
    return { from, conditions, more: { ...more, email: recipientIs } };
  }
  if (recipient.indexOf("@") > 0) {
    conditions.push("r.email >= @email COLLATE NOCASE", "r.email < @emailEnd COLLATE NOCASE");
    return { from, conditions, more: { ...more, email: recipient, emailEnd: `${recipient}\u{10ffff}` } };
  }
  conditions.push("r.email LIKE @like ESCAPE '\\'");
  const like = `%${escapeLike(recipient)}${recipient.startsWith("@") ? "" : "%"}`;
  return { from, conditions, more: { ...more, like } };
}

/** A marked recipient is pending to the outside, and in an index of its own. */
const WAITING = `(SELECT account_id, seq FROM recipients INDEXED BY recipients_waiting WHERE state = 'pending'
  UNION ALL SELECT account_id, seq FROM recipients INDEXED BY recipients_marked WHERE state = 'marked') r`;

function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, "\\$&");
}
