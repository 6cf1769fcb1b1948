/**
 * Sums the counts of activity over minutes and accounts, and estimates percentiles of the delivery times from their histogram.
 */
import type { Activity } from "../port/reports.ts";

/** The histogram bucket of a time span. With four buckets an octave, a bucket's middle is within a tenth of each value. */
export const bucketOf = (spanMs: number): number => Math.floor(4 * Math.log2(Math.max(1, spanMs)));
const middleMs = (bucket: number): number => Math.round(2 ** ((bucket + 0.5) / 4));

/** What is counted. */
export const COUNTS = ["messages", "recipients", "delivered", "failed", "unknown", "deferred"] as const;
export type Counts = Record<(typeof COUNTS)[number], number>;

export const noCounts = (): Counts => ({
  messages: 0,
  recipients: 0,
  delivered: 0,
  failed: 0,
  unknown: 0,
  deferred: 0,
});

/** Delivered recipients by bucket of delivery time. */
type Histogram = Map<number, number>;

/** The counts of an interval that begins at `atMs`. */
export type IntervalCounts = Counts & { atMs: number };
export type IntervalTimes = { atMs: number; bucket: number; recipients: number };

/** Sums rows of any number of accounts. */
export class ActivitySums {
  readonly #counts = new Map<number, Counts>();
  readonly #times = new Map<number, Histogram>();
  readonly #allTimes: Histogram = new Map();

  addCounts({ atMs, ...counts }: IntervalCounts): void {
    this.#counts.set(atMs, sumOf(this.#counts.get(atMs) ?? noCounts(), counts));
  }

  addTimes({ atMs, bucket, recipients }: IntervalTimes): void {
    const histogram = this.#times.get(atMs) ?? new Map();
    this.#times.set(atMs, histogram);
    for (const each of [histogram, this.#allTimes]) each.set(bucket, (each.get(bucket) ?? 0) + recipients);
  }

  activity(): Activity {
    const total = [...this.#counts.values()].reduce(sumOf, noCounts());
    const ordered = [...this.#counts].sort(([a], [b]) => a - b);
    return {
      slots: ordered.map(([atMs, counts]) => ({ atMs, ...counts, ...percentiles(this.#times.get(atMs)) })),
      total: { ...total, ...percentiles(this.#allTimes) },
    };
  }
}

function sumOf(a: Counts, b: Counts): Counts {
  return Object.fromEntries(COUNTS.map((name) => [name, a[name] + b[name]])) as Counts;
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
