/**
 * What happened over time, from the counts that activity.ts keeps. One account is one step.
 */
import type { Database } from "better-sqlite3";
import type { Activity, ActivityFilter, ActivityInterval } from "../port/reports.ts";
import { middleMs } from "./activity.ts";
import type { Steps } from "./steps.ts";

type Counts = Omit<ActivityInterval, "atMs" | "p50Ms" | "p95Ms">;
const NOTHING: Counts = { messages: 0, recipients: 0, delivered: 0, failed: 0, unknown: 0, deferred: 0 };
const NAMES = Object.keys(NOTHING) as (keyof Counts)[];

/** Delivered recipients by bucket of time. */
type Histogram = Map<number, number>;
type Asked = ActivityFilter & { accountId: string };

export function prepareActivityReport(db: Database) {
  const accounts = db.prepare<[], string>("SELECT id FROM accounts").pluck();
  // Numbers come as floating point: the cast makes the division one of whole numbers.
  const counts = db.prepare<Asked, Counts & { atMs: number }>(
    `SELECT CAST(minute_ms / @stepMs AS INTEGER) * @stepMs AS atMs, sum(messages) AS messages, sum(recipients) AS recipients,
            sum(delivered) AS delivered, sum(failed) AS failed, sum(unknown) AS unknown, sum(deferred) AS deferred
       FROM activity WHERE account_id = @accountId AND minute_ms >= @sinceMs AND minute_ms < @untilMs GROUP BY 1`,
  );
  const times = db.prepare<Asked, { atMs: number; bucket: number; recipients: number }>(
    `SELECT CAST(slot_ms / @stepMs AS INTEGER) * @stepMs AS atMs, bucket, sum(recipients) AS recipients
       FROM delivery_times WHERE account_id = @accountId AND slot_ms >= @sinceMs AND slot_ms < @untilMs GROUP BY 1, 2`,
  );
  return function* activity(filter: ActivityFilter): Steps<Activity> {
    const slots = new Map<number, Counts>();
    const taken = new Map<number, Histogram>();
    const all: Histogram = new Map();
    for (const accountId of filter.accountId === null ? accounts.all() : [filter.accountId]) {
      for (const { atMs, ...counted } of counts.all({ ...filter, accountId })) {
        slots.set(atMs, sumOf(slots.get(atMs) ?? NOTHING, counted));
      }
      yield;
      for (const { atMs, bucket, recipients } of times.all({ ...filter, accountId })) {
        const histogram = taken.get(atMs) ?? new Map();
        taken.set(atMs, histogram);
        for (const each of [histogram, all]) each.set(bucket, (each.get(bucket) ?? 0) + recipients);
      }
      yield;
    }
    const total = [...slots.values()].reduce(sumOf, NOTHING);
    const ordered = [...slots].sort(([a], [b]) => a - b);
    return {
      slots: ordered.map(([atMs, counted]) => ({ atMs, ...counted, ...percentiles(taken.get(atMs)) })),
      total: { ...total, ...percentiles(all) },
    };
  };
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
