/**
 * Memory that responses hold until their clients have read them: a client that asks for much and reads nothing must not fill
 * the process.
 */
import type { ServerResponse } from "node:http";
import type { ReserveResult, SharedBudget } from "./shared-budget.ts";

/** What the kernel takes of a response at once, or nearly. */
const UNRESERVED_BYTES_MAX = 16 * 1024;

/** Reserves memory for a response of this size until it has been sent or its connection is closed. */
export function reserveForResponse(
  budget: SharedBudget,
  res: ServerResponse,
  { holder, sizeBytes }: { holder: string; sizeBytes: number },
): ReserveResult {
  if (sizeBytes <= UNRESERVED_BYTES_MAX) return "reserved";
  const reserved = budget.reserve(holder, sizeBytes);
  if (reserved === "reserved") res.once("close", () => budget.release(holder, sizeBytes));
  return reserved;
}
