/**
 * Claims due work whose message has reached its deadline or its maximum age, in passes over all work. Each call looks at a bounded
 * number of rows, from where the last call ended: no index has the times at which messages expire. Jobs that this node holds are
 * looked at in memory.
 */
import type { DeliveryJob, ExpiredRequest } from "../../../port/mail.ts";
import type { Database } from "../connection/database.ts";
import { statement } from "../connection/statement.ts";
import { type ClaimedRow, claimJobs } from "./claimed-jobs.ts";
import type { GrantedLease } from "./lease-grants.ts";
import type { LeasedJob, LeasedWork } from "./leased-work.ts";

/** Rows that one call looks at. */
const LOOKED_AT_MAX = 4096;

interface LookedAtRow {
  seq: number;
  position: number;
  domain: string;
  isOver: boolean;
  /** Whether no row comes after it, as far as it was looked. */
  isLast: boolean;
  /** How many rows were looked at. */
  count: number;
}

const look = statement<LookedAtRow>(
  `WITH looked AS MATERIALIZED (
     SELECT seq, position, domain, owner, due_ms FROM work WHERE (seq, position) > ($1::bigint, $2::int)
       ORDER BY seq, position LIMIT $3
   ), aged AS MATERIALIZED (
     SELECT l.seq, l.position, l.domain, l.owner IS NULL AND l.due_ms <= $4::bigint AND (
              SELECT least(m.expires_at_ms, coalesce(m.deadline_ms, m.expires_at_ms)) FROM messages m WHERE m.seq = l.seq
            ) <= $4::bigint IS TRUE AS is_over,
            row_number() OVER (ORDER BY l.seq, l.position) = count(*) OVER () AS is_last, count(*) OVER () AS count
       FROM looked l
   )
   SELECT seq, position, domain, is_over AS "isOver", is_last AS "isLast", count FROM aged WHERE is_over OR is_last
     ORDER BY seq, position`,
);

const claimExpiredRows = statement<ClaimedRow>(
  `WITH free AS MATERIALIZED (
     SELECT w.seq, w.position FROM unnest($1::bigint[], $2::text[]) AS expired (seq, domain), LATERAL (
       SELECT seq, position FROM work
         WHERE seq = expired.seq AND domain = expired.domain AND owner IS NULL AND due_ms <= $3
           AND (SELECT 1 FROM quarantined WHERE quarantined.seq = work.seq) IS NULL
           AND (SELECT 1 FROM work busy
                  WHERE busy.seq = work.seq AND busy.domain = work.domain AND busy.owner IS NOT NULL LIMIT 1) IS NULL
         FOR UPDATE SKIP LOCKED) w
   )
   UPDATE work SET owner = $4, epoch = $5 FROM free WHERE work.seq = free.seq AND work.position = free.position
     RETURNING work.seq, work.position, work.account_id AS "accountId", work.domain, work.due_ms AS "dueMs", work.attempts`,
);

export interface ExpiredWorkParts {
  database: Database;
  leased: LeasedWork;
  /** Calls `use` with the lease of a new claim, unless this node must not claim. */
  withLease: (use: (lease: GrantedLease) => Promise<void>) => Promise<unknown>;
  /** Holds what was claimed. */
  hold: (leased: LeasedJob) => void;
  /** Paused recipient domains; null while all delivery is paused. */
  pausedDomains: () => Promise<ReadonlySet<string> | null>;
}

/** A message with expired recipients at a domain. */
interface Expired {
  seq: number;
  domain: string;
}

export class ExpiredWork {
  readonly #parts: ExpiredWorkParts;
  /** Where the last call ended. */
  #place = { seq: 0, position: 0 };

  constructor(parts: ExpiredWorkParts) {
    this.#parts = parts;
  }

  async claim(request: ExpiredRequest): Promise<DeliveryJob[]> {
    const paused = await this.#parts.pausedDomains();
    if (paused === null) return [];
    const held = this.#takeHeld(request, paused);
    const limit = request.limit - held.length;
    if (limit <= 0) return held;
    const expired = (await this.#look({ ...request, limit })).filter(({ domain }) => !paused.has(domain));
    if (expired.length > 0) await this.#claim(expired, request.nowMs);
    return [...held, ...this.#takeHeld({ ...request, limit }, paused)];
  }

  /** Jobs that this node holds are returned like those of a claim. */
  #takeHeld({ nowMs, limit }: ExpiredRequest, paused: ReadonlySet<string>): DeliveryJob[] {
    let left = limit;
    const taken = this.#parts.leased.takeHeld(({ job, dueMs }) => {
      const isTaken = left > 0 && dueMs <= nowMs && isOver(job, nowMs) && !paused.has(job.domain);
      if (isTaken) left -= 1;
      return isTaken;
    });
    return taken.map(({ job }) => job);
  }

  /** The next messages with expired recipients. */
  async #look({ nowMs, limit }: ExpiredRequest): Promise<Expired[]> {
    const { seq, position } = this.#place;
    const { rows } = await this.#parts.database.run(look, [seq, position, LOOKED_AT_MAX, nowMs]);
    const expired: Expired[] = [];
    for (const row of rows) {
      this.#place = { seq: row.seq, position: row.position };
      if (!row.isOver || expired.some((each) => each.seq === row.seq && each.domain === row.domain)) continue;
      expired.push({ seq: row.seq, domain: row.domain });
      if (expired.length === limit) return expired;
    }
    if ((rows.at(-1)?.count ?? 0) < LOOKED_AT_MAX) this.#place = { seq: 0, position: 0 };
    return expired;
  }

  async #claim(expired: readonly Expired[], nowMs: number): Promise<void> {
    const { database, withLease, hold } = this.#parts;
    const columns = [expired.map(({ seq }) => seq), expired.map(({ domain }) => domain)];
    await withLease(async (lease) => {
      const values = [...columns, nowMs, lease.row.owner, lease.row.epoch];
      for (const leased of await claimJobs(database, { nowMs, lease }, claimExpiredRows, values)) hold(leased);
    });
  }
}

const isOver = ({ expiresAtMs, deadlineMs }: DeliveryJob, nowMs: number): boolean =>
  expiresAtMs <= nowMs || (deadlineMs !== undefined && deadlineMs <= nowMs);
