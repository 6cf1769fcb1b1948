/**
 * The time ranges of the overview, each with a step that gives its charts about 60 points.
 */
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../lib/units.ts";
import type { Activity, Reports } from "../../spool/port/reports.ts";

export interface TimeRange {
  name: string;
  text: string;
  /** The time of the same length before it, after a figure. */
  beforeText: string;
  spanMs: number;
  stepMs: number;
}

export const TIME_RANGES: readonly [TimeRange, ...TimeRange[]] = [
  { name: "24h", text: "24 hours", beforeText: "the day before", spanMs: DAY_MS, stepMs: 20 * MINUTE_MS },
  { name: "3h", text: "3 hours", beforeText: "the 3 hours before", spanMs: 3 * HOUR_MS, stepMs: 10 * MINUTE_MS },
  { name: "7d", text: "7 days", beforeText: "the 7 days before", spanMs: 7 * DAY_MS, stepMs: 3 * HOUR_MS },
  { name: "30d", text: "30 days", beforeText: "the 30 days before", spanMs: 30 * DAY_MS, stepMs: 12 * HOUR_MS },
];

export function rangeNamed(name: unknown): TimeRange {
  return TIME_RANGES.find((range) => range.name === name) ?? TIME_RANGES[0];
}

/** The moments of a time range. It ends with the current step, so that its first step is complete. */
export function momentsOf({ stepMs, spanMs }: TimeRange, nowMs: number): { sinceMs: number; untilMs: number } {
  const untilMs = (Math.floor(nowMs / stepMs) + 1) * stepMs;
  return { sinceMs: untilMs - spanMs, untilMs };
}

/** Queries the activity of a time range. */
export function activityIn(
  reports: Reports,
  { range, accountId, nowMs }: { range: TimeRange; accountId: string | null; nowMs: number },
): Promise<Activity> {
  return reports.activity({ accountId, ...momentsOf(range, nowMs), stepMs: range.stepMs });
}

/** Returns one column per series for charts.js, with a value for every step of the range. */
export function columnsOf(activity: Activity, range: TimeRange, nowMs: number) {
  const { sinceMs, untilMs } = momentsOf(range, nowMs);
  const slots = new Map(activity.slots.map((slot) => [slot.atMs, slot]));
  const times: number[] = [];
  for (let atMs = sinceMs; atMs < untilMs; atMs += range.stepMs) times.push(atMs);
  const column = (name: "messages" | "recipients" | "delivered" | "failed" | "unknown" | "deferred"): number[] =>
    times.map((atMs) => slots.get(atMs)?.[name] ?? 0);
  const seconds = (name: "p50Ms" | "p95Ms"): (number | null)[] =>
    times.map((atMs) => {
      const ms = slots.get(atMs)?.[name] ?? null;
      return ms === null ? null : ms / 1000;
    });
  return {
    times: times.map((atMs) => atMs / 1000),
    stepS: range.stepMs / 1000,
    accepted: column("messages"),
    recipients: column("recipients"),
    delivered: column("delivered"),
    failed: column("failed"),
    unknown: column("unknown"),
    p50: seconds("p50Ms"),
    p95: seconds("p95Ms"),
  };
}
