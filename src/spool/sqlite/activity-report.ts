/**
 * Reports what happened over time, from the counts that activity.ts keeps. One step reads one table for one account.
 */

import type { Database } from "better-sqlite3";
import type { Activity, ActivityFilter, ActivityInterval } from "../port/reports.ts";
import { middleMs } from "./activity.ts";
import type { Steps } from "./steps.ts";

type Counts = Omit<ActivityInterval, "atMs" | "p50Ms" | "p95Ms">;
const NO_COUNTS: Counts = { messages: 0, recipients: 0, delivered: 0, failed: 0, unknown: 0, deferred: 0 };
const NAMES = Object.keys(NO_COUNTS) as (keyof Counts)[];

/** Delivered recipients by bucket of delivery time. */
type Histogram = Map<number, number>;
type AccountFilter = ActivityFilter & { accountId: string };
type CountRow = Counts & { atMs: number };
type TimeRow = { atMs: number; bucket: number; recipients: number };

export function prepareActivityReport(db: Database) {
  const accounts = db.prepare<[], string>("SELECT id FROM accounts").pluck();
  // Numbers are bound as floating point: the cast makes it an integer division.
  const counts = db.prepare<AccountFilter, CountRow>(
    `SELECT CAST(minute_ms / @stepMs AS INTEGER) * @stepMs AS atMs, sum(messages) AS messages, sum(recipients) AS recipients,
            sum(delivered) AS delivered, sum(failed) AS failed, sum(unknown) AS unknown, sum(deferred) AS deferred
       FROM activity WHERE account_id = @accountId AND minute_ms >= @sinceMs AND minute_ms < @untilMs GROUP BY 1`,
  );
  const times = db.prepare<AccountFilter, TimeRow>(
    `SELECT CAST(slot_ms / @stepMs AS INTEGER) * @stepMs AS atMs, bucket, sum(recipients) AS recipients
       FROM delivery_times WHERE account_id = @accountId AND slot_ms >= @sinceMs AND slot_ms < @untilMs GROUP BY 1, 2`,
  );
  return function* activity(filter: ActivityFilter): Steps<Activity> {
    const sums = new ActivitySums();
    for (const accountId of filter.accountId === null ? accounts.all() : [filter.accountId]) {
      for (const row of counts.all({ ...filter, accountId })) sums.addCounts(row);
      yield;
      for (const row of times.all({ ...filter, accountId })) sums.addTimes(row);
      yield;
    }
    return sums.activity();
  };
}

/** The sums over all accounts. */
class ActivitySums {
  readonly #counts = new Map<number, Counts>();
  readonly #times = new Map<number, Histogram>();
  readonly #allTimes: Histogram = new Map();

  addCounts({ atMs, ...counts }: CountRow): void {
    this.#counts.set(atMs, sumOf(this.#counts.get(atMs) ?? NO_COUNTS, counts));
  }

  addTimes({ atMs, bucket, recipients }: TimeRow): void {
    const histogram = this.#times.get(atMs) ?? new Map();
    this.#times.set(atMs, histogram);
    for (const each of [histogram, this.#allTimes]) each.set(bucket, (each.get(bucket) ?? 0) + recipients);
  }

  activity(): Activity {
    const total = [...this.#counts.values()].reduce(sumOf, NO_COUNTS);
    const ordered = [...this.#counts].sort(([a], [b]) => a - b);
    return {
      slots: ordered.map(([atMs, counts]) => ({ atMs, ...counts, ...percentiles(this.#times.get(atMs)) })),
      total: { ...total, ...percentiles(this.#allTimes) },
    };
  }
}

function sumOf(a: Counts, b: Counts): Counts {
  return Object.fromEntries(NAMES.map((name) => [name, a[name] + b[name]])) as unknown as Counts;
}

function percentiles(histogram: Histogram = new Map()): { p50Ms: number | null; p95Ms: number | null } {
  const buckets = [...histogram].sort(([a], [b]) => a - b);
  const total = buckets.reduce((sum, [, recipients]) => sum + recipients, 0);
  const at = (share: number): number | null => {
    let seen = 0;
    for (const [bucket, recipients] of buckets) {
      seen += recipients;
      if (seen >= total * share) return middleMs(bucket);
    }
    return null;
  };
  return { p50Ms: at(0.5), p95Ms: at(0.95) };
}
