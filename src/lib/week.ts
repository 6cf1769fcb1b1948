/** Days and weeks in UTC. A week begins on Monday. */
import { DAY_MS } from "./units.ts";

export const WEEK_MS = 7 * DAY_MS;
/** The first Monday after the epoch, a Thursday. */
const FIRST_MONDAY_MS = 4 * DAY_MS;

/** The beginning of the week that has this moment. */
export const weekOf = (atMs: number): number =>
  Math.floor((atMs - FIRST_MONDAY_MS) / WEEK_MS) * WEEK_MS + FIRST_MONDAY_MS;

/** The day of a time, such as 2026-03-02. */
export const dayText = (atMs: number): string => new Date(atMs).toISOString().slice(0, 10);
