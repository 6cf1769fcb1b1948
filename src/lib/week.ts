/** Weeks in UTC, from Monday on. */
import { DAY_MS } from "./units.ts";

export const WEEK_MS = 7 * DAY_MS;
/** The first Monday after the epoch, a Thursday. */
const FIRST_MONDAY_MS = 4 * DAY_MS;

/** The beginning of the week that has this moment. */
export const weekOf = (atMs: number): number =>
  Math.floor((atMs - FIRST_MONDAY_MS) / WEEK_MS) * WEEK_MS + FIRST_MONDAY_MS;
