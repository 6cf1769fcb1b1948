/**
 * Lists undelivered recipients of an account, without a pass over all of them: those at their final dot, then the pending ones by
 * their due time, then the unknown ones. The index of what waits is in the order of domains, so the queues of the domains are
 * merged: of the domains that begin first, a few rows at a time. Reads thousands of rows at most, however many wait.
 */
import type { Database, Statement } from "better-sqlite3";
import { isTestRoute } from "../../../../message/test-route.ts";
import type { QueueEntry, QueueFilter } from "../../../port/results.ts";
import { isInQueueSql } from "../../../records/quarantined.ts";
import { dueOf } from "../../../records/stored-due.ts";
import { LISTED_LENGTH_MAX, storedReply } from "../../../records/stored-reply.ts";
import { isLiveSql } from "../../../records/test-routes.ts";
import type { RecipientKey } from "../../session.ts";
import { readable } from "../files/damage.ts";

/** Recipient domains whose queues are looked at, in their order. */
const DOMAINS_MAX = 5000;

/** Rows read of a queue at a time. */
const ROWS_AT_ONCE = 16;

interface DomainHead {
  domain: string;
  dueMs: number;
}

interface WaitingKey extends RecipientKey {
  dueMs: number;
}

interface QueueRow extends Omit<QueueEntry, "smtp" | "nextAttemptAtMs" | "test"> {
  test: number;
  smtp: string | null;
  dueMs: number | null;
  deadlineMs: number | null;
}

interface Selection {
  accountId: string;
  domain: string | null;
  /** Whether only live messages are wanted; null for all. */
  live: number | null;
  limit: number;
}

type RowsOf = (domain: string, after: WaitingKey | null) => WaitingKey[];

export function prepareQueueList(db: Database): (filter: QueueFilter) => QueueEntry[] {
  const { marked, unknown, heads, waiting, entry } = prepareStatements(db);
  // In one transaction, because SQLite locks and unlocks the file's log for each statement outside of one.
  const list = db.transaction(({ accountId, test, result, limit, ...filter }: QueueFilter) => {
    const domain = filter.domain ?? null;
    const selection: Selection = { accountId, domain, live: test === undefined ? null : Number(!test), limit };
    const keys: RecipientKey[] = result === "unknown" ? [] : marked.all(selection);
    if (result !== "unknown" && keys.length < limit) {
      const rowsOf: RowsOf = (name, after) => waiting.all({ accountId, domain: name, ...(after ?? FIRST) });
      const all = domain === null ? heads.all({ accountId }) : [{ domain, dueMs: 0 }];
      const own = all.filter((head) => test === undefined || isTestRoute(head.domain) === test);
      keys.push(...firstOf(own, rowsOf, limit - keys.length));
    }
    if (result !== "pending" && keys.length < limit) {
      keys.push(...unknown.all({ ...selection, limit: limit - keys.length }));
    }
    return keys.flatMap((key) => entryOf(entry, key));
  });
  return (filter) => list(filter);
}

const FIRST: WaitingKey = { dueMs: Number.MIN_SAFE_INTEGER, seq: -1, position: -1 };

/** The first rows of all queues together. Only as many queues as rows are wanted can have some of them. */
function firstOf(heads: readonly DomainHead[], rowsOf: RowsOf, limit: number): WaitingKey[] {
  const queues = [...heads]
    .sort((a, b) => a.dueMs - b.dueMs)
    .slice(0, limit)
    .map(({ domain }) => new DomainQueue(domain, rowsOf));
  const first: WaitingKey[] = [];
  const open = queues.filter(({ head }) => head !== undefined).sort(byHead);
  while (first.length < limit) {
    const queue = open.shift();
    if (queue?.head === undefined) break;
    first.push(queue.head);
    queue.next();
    if (queue.head !== undefined) insert(open, queue);
  }
  return first;
}

/** Keeps the order of `open`. */
function insert(open: DomainQueue[], queue: DomainQueue): void {
  let [from, to] = [0, open.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (byHead(open[middle] as DomainQueue, queue) <= 0) from = middle + 1;
    else to = middle;
  }
  open.splice(from, 0, queue);
}

const byHead = ({ head: a }: DomainQueue, { head: b }: DomainQueue): number =>
  a === undefined || b === undefined ? 0 : a.dueMs - b.dueMs || a.seq - b.seq || a.position - b.position;

class DomainQueue {
  readonly #domain: string;
  readonly #rowsOf: RowsOf;
  #rows: WaitingKey[];

  constructor(domain: string, rowsOf: RowsOf) {
    this.#domain = domain;
    this.#rowsOf = rowsOf;
    this.#rows = rowsOf(domain, null);
  }

  get head(): WaitingKey | undefined {
    return this.#rows[0];
  }

  next(): void {
    const passed = this.#rows.shift();
    if (this.#rows.length === 0 && passed !== undefined) this.#rows = this.#rowsOf(this.#domain, passed);
  }
}

function entryOf(entry: Statement<[RecipientKey], QueueRow>, key: RecipientKey): QueueEntry[] {
  // The list goes on without a damaged one.
  const found = readable(() => entry.get(key));
  if (found === undefined) return [];
  const { dueMs, deadlineMs, test, smtp, ...row } = found;
  return [{ ...row, test: test === 1, ...dueOf(dueMs, deadlineMs), smtp: storedReply(smtp, LISTED_LENGTH_MAX) }];
}

const WAITING = "work INDEXED BY work_waiting WHERE mark IS NULL AND account_id = @accountId";
const SELECTED = `account_id = @accountId AND (@domain IS NULL OR domain = @domain)
  AND (@live IS NULL OR (${isLiveSql("domain")}) = @live) AND ${isInQueueSql("seq")}`;

function prepareStatements(db: Database) {
  return {
    marked: db.prepare<[Selection], RecipientKey>(
      `SELECT seq, position FROM work INDEXED BY work_marked WHERE mark IS NOT NULL AND ${SELECTED}
         ORDER BY seq, position LIMIT @limit`,
    ),
    unknown: db.prepare<[Selection], RecipientKey>(
      `SELECT seq, position FROM unknown_recipients INDEXED BY unknown_recipients_account WHERE result IS NULL AND ${SELECTED}
         ORDER BY seq, position LIMIT @limit`,
    ),
    // One look into the index for each domain, and one for the first of its queue.
    heads: db.prepare<[{ accountId: string }], DomainHead>(
      `WITH RECURSIVE domains (domain) AS (
         SELECT (SELECT min(domain) FROM ${WAITING}) UNION ALL
         SELECT (SELECT min(r.domain) FROM work r INDEXED BY work_waiting
                   WHERE r.mark IS NULL AND r.account_id = @accountId AND r.domain > domains.domain)
           FROM domains WHERE domains.domain IS NOT NULL LIMIT ${DOMAINS_MAX}
       )
       SELECT domain, (SELECT min(due_ms) FROM work r INDEXED BY work_waiting
                         WHERE r.mark IS NULL AND r.account_id = @accountId AND r.domain = domains.domain) AS dueMs
         FROM domains WHERE domain IS NOT NULL`,
    ),
    waiting: db.prepare<[{ accountId: string; domain: string } & WaitingKey], WaitingKey>(
      `SELECT seq, position, due_ms AS dueMs FROM ${WAITING} AND domain = @domain
           AND due_ms >= @dueMs AND (due_ms, seq, position) > (@dueMs, @seq, @position) AND ${isInQueueSql("seq")}
         ORDER BY due_ms, seq, position LIMIT ${ROWS_AT_ONCE}`,
    ),
    entry: db.prepare<[RecipientKey], QueueRow>(
      `SELECT m.id AS messageId, r.email, r.domain, iif(r.result = 'unknown', 'unknown', 'pending') AS result, r.reason,
              r.category, r.attempts, iif(r.mark IS NULL, r.due_ms, NULL) AS dueMs, m.deadline_ms AS deadlineMs,
              m.created_at_ms AS createdAtMs, m.test, r.smtp
         FROM recipient_states r JOIN messages m USING (seq) WHERE r.seq = @seq AND r.position = @position`,
    ),
  };
}
