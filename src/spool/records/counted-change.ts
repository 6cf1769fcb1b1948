/** What the counts of activity make of a new state that an operation gives a recipient. */
import type { Result } from "../../message/result/outcome.ts";
import { isTestRoute } from "../../message/test-route.ts";
import type { GatheredCounts } from "./activity-counts.ts";

interface ChangedRecipient {
  recipient: { domain: string; former: { result: "unknown" | "failed"; atMs: number } | null };
  result: Result;
}

/** Counts a new result, and takes the recipient from the minute in which its former one was counted. */
export function countChange(
  activity: Pick<GatheredCounts, "retried" | "decided" | "settled">,
  { recipient: { domain, former }, result }: ChangedRecipient,
  { accountId, nowMs, acceptedAtMs }: { accountId: string; nowMs: number; acceptedAtMs?: number },
): void {
  if (isTestRoute(domain)) return;
  if (former !== null) activity.retried({ accountId, result: former.result, countedAtMs: former.atMs });
  if (result === "pending") return;
  if (acceptedAtMs === undefined) activity.decided(accountId, nowMs, result);
  else activity.settled({ accountId, createdAtMs: acceptedAtMs }, nowMs, result);
}
