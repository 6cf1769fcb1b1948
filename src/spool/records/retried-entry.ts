/** The entry that an operator's or a sender's retry adds to a recipient's history. */
import type { SpoolEvent } from "../port/results.ts";

/** `attempts`: those settled so far. The recipient is due at `nowMs`. */
export const retriedEntry = (
  attempts: number,
  { nowMs, by }: { nowMs: number; by?: string | undefined },
): SpoolEvent => ({
  at_ms: nowMs,
  type: "retried",
  attempt: attempts,
  reason: null,
  tries: [],
  next_attempt_at_ms: nowMs,
  ...(by === undefined ? {} : { by }),
});
