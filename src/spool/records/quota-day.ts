/** Decides when the daily quota of an account begins anew. */

const DAY_MS = 86_400_000;

/** The UTC day in which a moment is counted, in days since the epoch. */
export const quotaDay = (atMs: number): number => Math.floor(atMs / DAY_MS);
