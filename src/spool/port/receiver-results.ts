/**
 * The results of attempts by receiver, for reports: each node keeps its own, by hour for the last day and by day for the last month.
 * Results of a node that no longer exists are not counted. Test messages are left out.
 */
import { DAY_MS, HOUR_MS } from "../../lib/units.ts";
import type { Category } from "../../message/result/category.ts";
import { type KeyValueStore, NODE_ENTRIES } from "./key-value.ts";

/** Recipients in attempts at one receiver. */
export interface ReceiverCounts {
  delivered: number;
  /** Attempts after which another one follows. */
  deferred: number;
  failed: number;
  unknown: number;
  /** Delivered without TLS. */
  withoutTls: number;
  /** Complaints that were received and are proven. */
  complaints: number;
  /** Delivered within each of DELIVERED_WITHIN_MS after acceptance; each delivery counts in the first one that it fits. Later deliveries are not counted. */
  within: number[];
  /** Deferred and failed ones. */
  categories: Partial<Record<Category, number>>;
  /** The id of a message of each category, of one delivered without TLS, and of one with a complaint. */
  examples: Partial<Record<Category | "without_tls" | "complaint", string>>;
}

/** A minute, ten minutes, an hour. */
export const DELIVERED_WITHIN_MS = [60_000, 600_000, HOUR_MS] as const;

/** By the name of the receiver. */
export type CountsByReceiver = Map<string, ReceiverCounts>;

/** By the number of the interval since the epoch. */
export type CountsByInterval = Map<number, CountsByReceiver>;

/** Of one node each. An hour of the last day is in no day. */
export interface StoredResults {
  hours: CountsByInterval[];
  days: CountsByInterval[];
}

export const HOURS_KEPT = 24;
export const DAYS_KEPT = 31;

export const newCounts = (): ReceiverCounts => ({
  delivered: 0,
  deferred: 0,
  failed: 0,
  unknown: 0,
  withoutTls: 0,
  complaints: 0,
  within: DELIVERED_WITHIN_MS.map(() => 0),
  categories: {},
  examples: {},
});

function addCounts(to: ReceiverCounts, from: ReceiverCounts): void {
  const names = ["delivered", "deferred", "failed", "unknown", "withoutTls", "complaints"] as const;
  for (const name of names) to[name] += from[name];
  to.within = to.within.map((count, i) => count + (from.within[i] ?? 0));
  for (const [category, count] of Object.entries(from.categories))
    to.categories[category as Category] = (to.categories[category as Category] ?? 0) + count;
  to.examples = { ...to.examples, ...from.examples };
}

/** The days up to `nowMs`; the last 24 hours if `days` is 1. */
export interface ResultsRange {
  nowMs: number;
  days: number;
}

/** The counts of all live nodes by receiver. */
export async function readReceiverResults(
  store: Pick<KeyValueStore, "readLiveNodeValues">,
  range: ResultsRange,
): Promise<CountsByReceiver> {
  return countsIn(await readStoredResults(store, range.days), range);
}

/** Those of all live nodes, with the days if there is more than one. */
export async function readStoredResults(
  store: Pick<KeyValueStore, "readLiveNodeValues">,
  days: number,
): Promise<StoredResults> {
  const [hours, earlier] = await Promise.all([
    store.readLiveNodeValues(NODE_ENTRIES.receiverHours),
    days > 1 ? store.readLiveNodeValues(NODE_ENTRIES.receiverDays) : [],
  ]);
  return { hours: hours.map(parseCounts), days: earlier.map(parseCounts) };
}

export function countsIn(stored: StoredResults, { nowMs, days }: ResultsRange): CountsByReceiver {
  const total: CountsByReceiver = new Map();
  for (const hours of stored.hours) addSince(total, hours, Math.floor(nowMs / HOUR_MS) - HOURS_KEPT);
  if (days > 1) for (const each of stored.days) addSince(total, each, Math.floor(nowMs / DAY_MS) - days);
  return total;
}

function addSince(total: CountsByReceiver, intervals: CountsByInterval, after: number): void {
  for (const [interval, receivers] of intervals) if (interval > after) addReceivers(total, receivers);
}

export function addReceivers(total: CountsByReceiver, receivers: CountsByReceiver): void {
  for (const [name, counts] of receivers) {
    const sum = total.get(name) ?? newCounts();
    addCounts(sum, counts);
    total.set(name, sum);
  }
}

export const encodeCounts = (intervals: CountsByInterval): string =>
  JSON.stringify([...intervals].map(([interval, receivers]) => [interval, [...receivers]]));

/** Empty where the text cannot be read. */
export function parseCounts(text: string | null): CountsByInterval {
  try {
    const stored = JSON.parse(text ?? "[]") as [number, [string, Partial<ReceiverCounts>][]][];
    const counts = stored.map(
      ([interval, receivers]) => [interval, new Map(receivers.map(([name, each]) => [name, completed(each)]))] as const,
    );
    return new Map(counts);
  } catch {
    return new Map();
  }
}

/** Another version may have stored fewer counts. */
const completed = (stored: Partial<ReceiverCounts>): ReceiverCounts => ({ ...newCounts(), ...stored });
