/** The entry of a recipient's history for one that waited in a backup and is held after the restore. */
import { categoryOfReason } from "../../message/classifier.ts";
import type { SpoolEvent } from "../port/results.ts";

/** The reason of recipients that are held. */
export const RESTORED = "restored_from_backup";

export const heldEntry = (attempts: number, nowMs: number): SpoolEvent => ({
  at_ms: nowMs,
  type: "unknown",
  attempt: attempts,
  reason: RESTORED,
  category: categoryOfReason(RESTORED),
  tries: [],
  next_attempt_at_ms: null,
});
