/**
 * Reserves the memory of responses until their clients have read them. A client that requests large responses and does not
 * read them must not exhaust the process.
 */
import type { ServerResponse } from "node:http";
import type { ReserveResult, SharedBudget } from "./shared-budget.ts";

/** Responses up to this size need no reservation: the kernel usually accepts them at once. */
const UNRESERVED_BYTES_MAX = 16 * 1024;

/** Reserves memory for a response of this size until it is sent or its connection is closed. */
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
