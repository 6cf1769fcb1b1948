/** The entry that a suppressed address adds to a recipient's history at acceptance, and the recipient's category. */
import type { Category } from "../../message/result/category.ts";
import type { Suppression } from "../../message/result/suppression.ts";
import type { SpoolEvent } from "../port/results.ts";

export const suppressedEntry = (
  { cause, sinceMs: since_ms, untilMs: until_ms, refusals }: Suppression,
  at_ms: number,
): SpoolEvent => ({ at_ms, type: "suppressed", cause, since_ms, until_ms, refusals });

export const categoryOfSuppression = ({ cause }: Suppression): Category =>
  cause === "refusals" || cause === "bounce" ? "bad_address" : "policy";
