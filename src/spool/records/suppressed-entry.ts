/** The entry that a suppressed address adds to a recipient's history. */
import type { Suppression } from "../../message/result/suppression.ts";
import type { SpoolEvent } from "../port/results.ts";

export const suppressedEntry = (
  { cause, sinceMs: since_ms, untilMs: until_ms, refusals }: Suppression,
  at_ms: number,
): SpoolEvent => ({ at_ms, type: "suppressed", cause, since_ms, until_ms, refusals });
