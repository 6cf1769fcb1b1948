/** The entry that a time of sending adds to a recipient's history, at acceptance and when it is changed. */
import type { SpoolEvent } from "../port/results.ts";

export const scheduledEntry = (
  sendAtMs: number,
  { nowMs, by }: { nowMs: number; by?: string | undefined },
): SpoolEvent => ({ at_ms: nowMs, type: "scheduled", send_at_ms: sendAtMs, ...(by === undefined ? {} : { by }) });
