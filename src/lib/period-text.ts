/** A period of a setting or a limit in words, for sentences. */

const UNITS: readonly [string, number][] = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1000],
];

/** `30 days`, `36 hours`: the period in the largest unit that divides it; rounded down to seconds if none does. */
export function periodText(periodMs: number): string {
  const [name, unitMs] = UNITS.find(([, ms]) => periodMs % ms === 0) ?? ["second", 1000];
  const count = Math.floor(periodMs / unitMs);
  return `${count} ${name}${count === 1 ? "" : "s"}`;
}
