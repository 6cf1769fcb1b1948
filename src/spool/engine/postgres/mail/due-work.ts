/**
 * Claims due work that no node leases, from the database: deferred recipients, mail accepted while its node had enough, and what
 * other nodes have released. due-looks.ts finds the queues that have some, due-queues.ts decides whose turn it is, and claims.ts
 * which of the claimed jobs are attempted first.
 */
import type { Clock } from "../../../../lib/clock.ts";
import type { Database } from "../connection/database.ts";
import { statement } from "../connection/statement.ts";
import type { ClaimRoom } from "./claim-room.ts";
import { type ClaimedRow, claimJobs } from "./claimed-jobs.ts";
import { DueLooks } from "./due-looks.ts";
import { type DueQueue, DueQueues, type QueueName } from "./due-queues.ts";
import type { GrantedLease } from "./lease-grants.ts";
import type { LeasedJob } from "./leased-work.ts";

/** Statements of one claim. Several are needed if known queues have less than their share. */
const STATEMENTS_MAX = 8;

/*
 * All due recipients of a message at a domain belong to one job, unless some are in an attempt: then the others follow when it
 * has ended. Rows are locked before they are updated, and those that another node is claiming are passed over, so no claim waits
 * for another one.
 */
const claimRows = statement<ClaimedRow>(
  `WITH picked AS MATERIALIZED (
     SELECT w.seq, w.domain
       FROM unnest($1::text[], $2::text[], $3::bigint[], $4::int[]) AS q (account_id, domain, from_ms, rows), LATERAL (
         SELECT seq, domain FROM work
           WHERE owner IS NULL AND account_id = q.account_id AND domain = q.domain AND due_ms >= q.from_ms AND due_ms <= $5
             AND (SELECT 1 FROM quarantined WHERE quarantined.seq = work.seq) IS NULL
             AND (SELECT 1 FROM work busy
                    WHERE busy.seq = work.seq AND busy.domain = work.domain AND busy.owner IS NOT NULL LIMIT 1) IS NULL
           ORDER BY due_ms, seq LIMIT q.rows FOR UPDATE SKIP LOCKED) w
   ), whole AS MATERIALIZED (
     SELECT w.seq, w.position FROM (SELECT DISTINCT seq, domain FROM picked) AS message, LATERAL (
       SELECT seq, position FROM work
         WHERE seq = message.seq AND domain = message.domain AND owner IS NULL AND due_ms <= $5 FOR UPDATE SKIP LOCKED) w
   )
   UPDATE work SET owner = $6, epoch = $7 FROM whole WHERE work.seq = whole.seq AND work.position = whole.position
     RETURNING work.seq, work.position, work.account_id AS "accountId", work.domain, work.due_ms AS "dueMs", work.attempts`,
);

const claimMessageRows = statement<ClaimedRow>(
  `WITH message AS MATERIALIZED (
     SELECT seq, ARRAY (SELECT domain FROM work WHERE work.seq = messages.seq AND owner IS NOT NULL) AS busy
       FROM messages WHERE id = $1 AND (SELECT 1 FROM quarantined q WHERE q.seq = messages.seq) IS NULL
   ), free AS MATERIALIZED (
     SELECT w.seq, w.position FROM message, LATERAL (
       SELECT seq, position FROM work
         WHERE seq = message.seq AND owner IS NULL AND due_ms <= $2 AND domain <> ALL (message.busy) FOR UPDATE SKIP LOCKED) w
   )
   UPDATE work SET owner = $3, epoch = $4 FROM free WHERE work.seq = free.seq AND work.position = free.position
     RETURNING work.seq, work.position, work.account_id AS "accountId", work.domain, work.due_ms AS "dueMs", work.attempts`,
);

export interface DueWorkRequest {
  nowMs: number;
  /** Most rows to claim. All due recipients of a message at a domain are claimed with one of them. */
  limit: number;
  /** Is used up by what is claimed. */
  room: ClaimRoom;
  lease: GrantedLease;
}

/** A queue in its turn: most rows to claim of it. */
interface Turn {
  queue: DueQueue;
  rows: number;
}

export class DueWork {
  readonly #database: Database;
  readonly #queues = new DueQueues();
  readonly #looks: DueLooks;

  constructor(database: Database, clock: Clock, pollMs?: number) {
    this.#database = database;
    this.#looks = new DueLooks({ database, clock, pollMs, queues: this.#queues });
  }

  /** Notes that the database may have work that is due at this moment; 0 if the moment is not known. */
  noteDue(dueMs: number): void {
    this.#looks.noteDue(dueMs);
  }

  /** When `claim` may find something; null if nothing waits that the request allows. */
  nextDueMs({ nowMs, room }: Pick<DueWorkRequest, "nowMs" | "room">): number | null {
    const isKnown = this.#queues.hasAllowed((queue) => room.of(queue) > 0);
    return isKnown ? nowMs : this.#looks.nextLookMs(nowMs);
  }

  /** Whether the database is to be read now. */
  mayHave({ nowMs, room }: Pick<DueWorkRequest, "nowMs" | "room">): boolean {
    return this.#looks.isDue(nowMs) || this.#queues.hasAllowed((queue) => room.of(queue) > 0);
  }

  /** Claims due work under this lease. Calls `hold` with each job as soon as it is claimed, also if it rejects later. */
  async claim(request: DueWorkRequest, hold: (leased: LeasedJob) => void): Promise<void> {
    const { nowMs } = request;
    // Before the known queues, which may have enough for every claim to come.
    if (this.#looks.isDue(nowMs)) await this.#looks.look(nowMs);
    let left = request.limit;
    for (let statements = 0; left > 0 && statements < STATEMENTS_MAX; statements += 1) {
      const turns = this.#nextTurns({ ...request, limit: left });
      if (turns.length === 0) return;
      left -= await this.#claimOf(turns, request, hold);
    }
  }

  /** Claims what is due of one message under this lease. */
  claimMessage(messageId: string, nowMs: number, lease: GrantedLease): Promise<LeasedJob[]> {
    const values = [messageId, nowMs, lease.row.owner, lease.row.epoch];
    return claimJobs(this.#database, { nowMs, lease }, claimMessageRows, values);
  }

  /** Divides the limit among queues, and takes their shares from the room. */
  #nextTurns({ limit, room }: DueWorkRequest): Turn[] {
    const queues = this.#queues.next(limit, (queue) => room.of(queue) > 0);
    const share = Math.ceil(limit / queues.length);
    return queues.flatMap((queue) => {
      const rows = Math.min(share, room.of(queue));
      if (rows === 0) return [];
      room.take(queue, rows);
      return [{ queue, rows }];
    });
  }

  /** Returns how many rows were claimed. */
  async #claimOf(turns: Turn[], request: DueWorkRequest, hold: (leased: LeasedJob) => void): Promise<number> {
    const { nowMs, lease, room } = request;
    const claimed = await claimJobs(this.#database, request, claimRows, [
      turns.map(({ queue }) => queue.accountId),
      turns.map(({ queue }) => queue.domain),
      turns.map(({ queue }) => queue.fromMs),
      turns.map(({ rows }) => rows),
      nowMs,
      lease.row.owner,
      lease.row.epoch,
    ]);
    for (const leased of claimed) hold(leased);
    const jobs = jobsByQueue(claimed);
    return turns.reduce((sum, turn) => sum + this.#endTurn(turn, jobs.get(nameOf(turn.queue)) ?? [], room), 0);
  }

  /** Returns how many rows were claimed. */
  #endTurn({ queue, rows }: Turn, jobs: readonly LeasedJob[], room: ClaimRoom): number {
    room.take(queue, jobs.length - rows);
    const claimed = jobs.reduce((sum, { job }) => sum + job.recipients.length, 0);
    // Then the rest, if there is any, is quarantined, in an attempt, or being claimed by another node.
    if (claimed < rows) this.#queues.remove(queue);
    queue.fromMs = jobs.reduce((latest, { dueMs }) => Math.max(latest, dueMs), queue.fromMs);
    return claimed;
  }
}

const nameOf = ({ accountId, domain }: QueueName): string => `${accountId} ${domain}`;

function jobsByQueue(claimed: readonly LeasedJob[]): Map<string, LeasedJob[]> {
  const jobs = new Map<string, LeasedJob[]>();
  for (const leased of claimed) {
    const name = nameOf(leased.job);
    const known = jobs.get(name);
    if (known === undefined) jobs.set(name, [leased]);
    else known.push(leased);
  }
  return jobs;
}
