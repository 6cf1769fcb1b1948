/**
 * Looks in the database for queues with due work that no node leases, and adds them to the known ones (due-queues.ts). Decides when
 * to look, and what to read.
 *
 * A look reads by time, from the earliest work that this node may not know. If more is due than it reads, a scan over all accounts
 * and domains follows, a step with each look, so that a backlog hides no other queue. The scan is a skip scan of an index: its
 * cost grows with the queues that wait, due or not, and not with their rows.
 *
 * Both pass over index entries of former rows, which the server cannot remove while a session holds an old snapshot. So the node
 * rests after a look, in proportion to the time that the look took.
 */
import type { Clock } from "../../../../lib/clock.ts";
import type { Database } from "../connection/database.ts";
import { statement } from "../connection/statement.ts";
import type { DueQueue, DueQueues, QueueName } from "./due-queues.ts";

/** While other nodes may have left due work without a signal, everything is looked at so often. */
export const DUE_POLL_MS = 1000;

/** Rows of work that a look reads by time, and queues that a step of a scan reads. */
const ROWS_MAX = 1024;
const STEP_MAX = 1024;

/** How long a look is followed by a rest: so many times as long as it took, and at most so many times the interval of polls. */
const REST = 4;
const REST_POLLS_MAX = 5;

interface TimeRow {
  accountId: string | null;
  domain: string;
  fromMs: number;
  rows: number;
  nextDueMs: number | null;
}

/** Has at least one row. `rows` and `nextDueMs` are the same in all of them. */
const findByTime = statement<TimeRow>(
  `WITH due AS MATERIALIZED (
     SELECT account_id, domain, due_ms FROM work WHERE owner IS NULL AND due_ms >= $1 AND due_ms <= $2
       ORDER BY due_ms LIMIT ${ROWS_MAX}
   )
   SELECT queue.account_id AS "accountId", queue.domain, queue.from_ms AS "fromMs", (SELECT count(*) FROM due) AS rows,
          (SELECT due_ms FROM work WHERE owner IS NULL AND due_ms > $2 ORDER BY due_ms LIMIT 1) AS "nextDueMs"
     FROM (VALUES (1)) AS one
     LEFT JOIN (SELECT account_id, domain, min(due_ms) AS from_ms FROM due GROUP BY account_id, domain) AS queue ON true
     ORDER BY queue.from_ms`,
);

/** The queues after this one, due or not. `fromMs` is when their first row is due. */
const scanQueues = statement<DueQueue>(
  `WITH RECURSIVE queue (account_id, domain, due_ms) AS (
     (SELECT account_id, domain, due_ms FROM work
        WHERE owner IS NULL AND (account_id, domain) > ($1, $2) ORDER BY account_id, domain, due_ms LIMIT 1)
     UNION ALL
     SELECT w.account_id, w.domain, w.due_ms FROM queue, LATERAL (
       SELECT account_id, domain, due_ms FROM work
         WHERE owner IS NULL AND (account_id, domain) > (queue.account_id, queue.domain)
         ORDER BY account_id, domain, due_ms LIMIT 1) w
   )
   SELECT account_id AS "accountId", domain, due_ms AS "fromMs" FROM queue LIMIT ${STEP_MAX}`,
);

/** Before all queues. */
const START: QueueName = { accountId: "", domain: "" };

export interface LooksParts {
  database: Database;
  clock: Clock;
  /** Where the queues are added. */
  queues: DueQueues;
  /** DUE_POLL_MS if absent. */
  pollMs?: number | undefined;
}

export class DueLooks {
  readonly #parts: LooksParts;
  readonly #pollMs: number;
  /** What was due before was looked for by time, or the scan finds it. */
  #lookedUntilMs = 0;
  /** When something may be due that was not looked for; infinite if nothing is. */
  #dueMs = 0;
  /** The last queue that the scan under way has read; null if there is no scan. */
  #scannedUntil: QueueName | null = null;
  /** By the monotonic clock. */
  #polledAtMs = Number.NEGATIVE_INFINITY;
  #restUntilMs = Number.NEGATIVE_INFINITY;

  constructor(parts: LooksParts) {
    this.#parts = parts;
    this.#pollMs = parts.pollMs ?? DUE_POLL_MS;
  }

  /** Notes that the database may have work that is due at this moment; 0 if the moment is not known. */
  noteDue(dueMs: number): void {
    this.#lookedUntilMs = Math.min(this.#lookedUntilMs, dueMs);
    this.#dueMs = Math.min(this.#dueMs, dueMs);
  }

  /** When a look may find something, polls aside; null if nothing waits that was not looked for. */
  nextLookMs(nowMs: number): number | null {
    const dueMs = this.#scannedUntil === null ? this.#dueMs : nowMs;
    if (dueMs === Number.POSITIVE_INFINITY) return null;
    const restMs = Math.max(0, Math.ceil(this.#restUntilMs - this.#parts.clock.monotonicMs()));
    return Math.max(dueMs, nowMs + restMs);
  }

  /** Whether to look now. */
  isDue(nowMs: number): boolean {
    const monotonicMs = this.#parts.clock.monotonicMs();
    if (monotonicMs < this.#restUntilMs) return false;
    return this.#scannedUntil !== null || this.#dueMs <= nowMs || monotonicMs - this.#polledAtMs >= this.#pollMs;
  }

  /** Adds queues with work due at `nowMs`: all of them, unless a scan begins or goes on, which later looks continue. */
  async look(nowMs: number): Promise<void> {
    const { clock } = this.#parts;
    const beganMs = clock.monotonicMs();
    if (beganMs - this.#polledAtMs >= this.#pollMs) {
      this.noteDue(0);
      this.#polledAtMs = beganMs;
    }
    if (this.#dueMs <= nowMs) await this.#readByTime(nowMs);
    if (this.#scannedUntil !== null) await this.#scanOn(this.#scannedUntil, nowMs);
    const endedMs = clock.monotonicMs();
    this.#restUntilMs = endedMs + Math.min(REST * (endedMs - beganMs), REST_POLLS_MAX * this.#pollMs);
  }

  async #readByTime(nowMs: number): Promise<void> {
    const fromMs = this.#lookedUntilMs;
    // What is noted from now on may be committed too late for this look.
    this.#lookedUntilMs = nowMs;
    this.#dueMs = Number.POSITIVE_INFINITY;
    for (const { accountId, rows, nextDueMs, ...queue } of await this.#rowsByTime(fromMs, nowMs)) {
      if (accountId !== null) this.#parts.queues.add({ ...queue, accountId });
      if (nextDueMs !== null) this.#dueMs = Math.min(this.#dueMs, nextDueMs);
      // What a scan under way has passed already, the next poll finds.
      if (rows === ROWS_MAX) this.#scannedUntil ??= START;
    }
  }

  async #rowsByTime(fromMs: number, nowMs: number): Promise<TimeRow[]> {
    try {
      return (await this.#parts.database.run(findByTime, [fromMs, nowMs])).rows;
    } catch (error) {
      this.noteDue(Math.min(fromMs, nowMs));
      throw error;
    }
  }

  async #scanOn({ accountId, domain }: QueueName, nowMs: number): Promise<void> {
    const { database, queues } = this.#parts;
    const { rows } = await database.run(scanQueues, [accountId, domain]);
    for (const queue of rows) if (queue.fromMs <= nowMs) queues.add(queue);
    this.#scannedUntil = rows[STEP_MAX - 1] ?? null;
  }
}
