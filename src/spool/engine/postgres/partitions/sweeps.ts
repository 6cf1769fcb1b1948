/**
 * Deletes what is past its time and belongs to no message: idempotency records, the counts of former quota days, and content
 * parts whose message was never accepted. A step deletes a bounded number of rows.
 */
import { DAY_MS } from "../../../../lib/units.ts";
import { quotaDay } from "../../../records/quota-day.ts";
import type { Database } from "../connection/database.ts";
import { statement } from "../connection/statement.ts";
import { IDEMPOTENCY_KEPT_MS } from "../mail/accept-write.ts";
import { firstNumberAt } from "../mail/message-number.ts";

/** Rows looked at by each statement of a step. */
const STEP_ROWS = 2000;

/** Longer than the clocks of nodes differ, and than one is set back. */
const QUOTA_DAYS_KEPT = 7;

/** Parts of a content are stored before their message is accepted, but never so long before. */
export const STAGED_MAX_MS = DAY_MS;

const sweepIdempotency = statement(
  `DELETE FROM idempotency WHERE (account_id, key) IN (
     SELECT account_id, key FROM idempotency WHERE created_at_ms <= $1
       ORDER BY created_at_ms LIMIT ${STEP_ROWS} FOR UPDATE SKIP LOCKED)`,
);
const sweepQuotas = statement(
  `DELETE FROM quota WHERE (account_id, day) IN (
     SELECT account_id, day FROM quota WHERE day < $1 LIMIT ${STEP_ROWS} FOR UPDATE SKIP LOCKED)`,
);
const findStaged = statement<{ seq: number; isAccepted: boolean }>(
  `SELECT seq, (SELECT 1 FROM messages m WHERE m.seq = c.seq) IS NOT NULL AS "isAccepted"
     FROM contents c WHERE part = 1 AND seq > $1 AND seq < $2 ORDER BY seq LIMIT ${STEP_ROWS}`,
);
const deleteStaged = statement("DELETE FROM contents WHERE seq BETWEEN $2 AND $3 AND seq = ANY ($1::bigint[])");

export class Sweeps {
  readonly #database: Database;
  /** The later parts of contents up to this number were looked at: their messages were accepted, or the parts deleted. */
  #stagedThrough = Number.MIN_SAFE_INTEGER;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Runs one step. Returns whether there is more to do. */
  async step(nowMs: number): Promise<boolean> {
    const database = this.#database;
    const idempotency = await database.run(sweepIdempotency, [nowMs - IDEMPOTENCY_KEPT_MS]);
    const quotas = await database.run(sweepQuotas, [quotaDay(nowMs) - QUOTA_DAYS_KEPT]);
    const isMoreStaged = await this.#sweepStaged(firstNumberAt(nowMs - STAGED_MAX_MS));
    return idempotency.count === STEP_ROWS || quotas.count === STEP_ROWS || isMoreStaged;
  }

  async #sweepStaged(before: number): Promise<boolean> {
    const { rows } = await this.#database.run(findStaged, [this.#stagedThrough, before]);
    const left = rows.filter(({ isAccepted }) => !isAccepted).map(({ seq }) => seq);
    if (left.length > 0) await this.#database.run(deleteStaged, [left, left.at(0), left.at(-1)]);
    this.#stagedThrough = rows.at(-1)?.seq ?? this.#stagedThrough;
    return rows.length === STEP_ROWS;
  }
}
