/** A period of a setting or a limit in words, for sentences. */
import { DAY_MS, HOUR_MS, MINUTE_MS } from "./units.ts";

const UNITS: readonly [string, number][] = [
  ["day", DAY_MS],
  ["hour", HOUR_MS],
  ["minute", MINUTE_MS],
  ["second", 1000],
];

/** `30 days`, `36 hours`: the period in the largest unit that divides it; rounded down to seconds if none does. */
export function periodText(periodMs: number): string {
  const [name, unitMs] = UNITS.find(([, ms]) => periodMs % ms === 0) ?? ["second", 1000];
  const count = Math.floor(periodMs / unitMs);
  return `${count} ${name}${count === 1 ? "" : "s"}`;
}
