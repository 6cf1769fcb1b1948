/** Decides when the daily quota of an account begins anew. */
import { DAY_MS } from "../../lib/units.ts";

/** The UTC day in which a moment is counted, in days since the epoch. */
export const quotaDay = (atMs: number): number => Math.floor(atMs / DAY_MS);
