/** The one result that stands for a message with several recipients. */
import type { Result } from "../../message/result/outcome.ts";
import type { FoundMessage } from "../../spool/port/reports.ts";

/** Returns the most urgent result among the recipients. */
export function primaryResult({ results }: Pick<FoundMessage, "results">): Result {
  if (results.unknown > 0) return "unknown";
  if (results.failed > 0) return "failed";
  return results.pending > 0 ? "pending" : "delivered";
}
