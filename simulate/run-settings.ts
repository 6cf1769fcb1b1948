/** Draws the service's settings for a run. */
import { hasLimitedReceivers } from "./limited-receivers.ts";
import { losesOwnRecords, ownRecordsSettings } from "./own-records.ts";
import type { Settings } from "./postrider.ts";
import type { Prng } from "./prng.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/**
 * Retry gaps longer than the recovery phase. After the last attempt of the fault phase, the clock is set from at
 * least `LONG_SKEW_MS` behind to the maximum ahead, so that every waiting recipient is due.
 */
const LONG_SCHEDULE = [30_000, 8 * HOUR_MS];
const LONG_AGE_MS = 24 * HOUR_MS;
export const LONG_SKEW_MS = -2 * HOUR_MS;
/** The share of runs with a long schedule. */
export const LONG_PROBABILITY = 0.2;
const SCHEDULES: [number[], ...number[][]] = [[5_000], [30_000, 120_000, 600_000], [1_000, 60_000]];

/** In each run with such a seed, one domain rejects everything for load until the recovery phase. */
const OVERLOAD_EVERY = 25;
/** Many messages are then due at once, which a window that does not shrink lets through. */
const OVERLOAD_SCHEDULE = [5_000];

export const hasOverload = (seed: number): boolean => seed % OVERLOAD_EVERY === 0;

/** The settings of a run with an overloaded domain. */
const overloadSettings = (drawn: Settings): Settings => ({
  ...drawn,
  retrySchedule: OVERLOAD_SCHEDULE,
  maxAgeMs: HOUR_MS,
});

/** The settings of a seed's run, from those that are drawn. */
export function settingsOf(seed: number, drawn: Settings, hasLongSchedule: boolean): Settings {
  if (losesOwnRecords(seed) || hasLimitedReceivers(seed)) return ownRecordsSettings(drawn);
  return hasOverload(seed) && !hasLongSchedule ? overloadSettings(drawn) : drawn;
}

/** Draws settings; a long schedule has retry gaps that only a clock step makes due within a run. */
export function drawSettings(prng: Prng, hasLongSchedule: boolean): Settings {
  return {
    retrySchedule: hasLongSchedule ? LONG_SCHEDULE : prng.pick(SCHEDULES),
    maxAgeMs: hasLongSchedule ? LONG_AGE_MS : prng.pick([10 * MINUTE_MS, HOUR_MS, 4 * HOUR_MS]),
    contentsMs: prng.pick([0, 10 * MINUTE_MS, 7 * 24 * HOUR_MS]),
    unknownPolicy: prng.chance(0.8) ? "hold" : "retry",
  };
}
