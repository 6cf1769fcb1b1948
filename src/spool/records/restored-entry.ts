/** The entry of a recipient's history for one that waited in a backup, and becomes unknown after the restore. */
import { categoryOfReason } from "../../message/result/classifier.ts";
import type { SpoolEvent } from "../port/results.ts";

/** The reason of these recipients. */
export const RESTORED = "restored_from_backup";

export const restoredEntry = (attempts: number, nowMs: number): SpoolEvent => ({
  at_ms: nowMs,
  type: "unknown",
  attempt: attempts,
  reason: RESTORED,
  category: categoryOfReason(RESTORED),
  tries: [],
  next_attempt_at_ms: null,
});
