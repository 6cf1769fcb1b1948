/** The log lines of a destination that is closed, and of its opening, and the alarm where it refuses this server. */
import { type Clock, rfc3339 } from "../../lib/clock.ts";
import type { Logger } from "../../lib/log.ts";
import { blockOf, type ClosedDestination, closedSentence } from "../../message/result/closed-destination.ts";

interface LogParts {
  clock: Clock;
  log: Logger;
  /** Called for a destination that closes after refusals of this server's address or name. */
  onBlocked?: (destination: string) => void;
}

/** Logs the change, if there is one. Times are of the monotonic clock. */
export function logClosing(
  { clock, log, onBlocked }: LogParts,
  destination: string,
  { before, after }: { before: ClosedDestination | null; after: ClosedDestination | null },
): void {
  if (before === null && after !== null) log.warn({ destination, why: closedText(after, clock) }, "destination closed");
  if (before === null && after !== null && blockOf(after) !== null) onBlocked?.(destination);
  if (before !== null && after === null) log.info({ destination }, "destination opened");
}

/** The sentence about a closed destination, with times of the wall clock. */
export function closedText(closed: ClosedDestination, clock: Clock): string {
  const aheadMs = clock.now() - clock.monotonicMs();
  const parts = closedSentence(closed);
  return parts.map((part) => (typeof part === "string" ? part : rfc3339(Math.round(part.atMs + aheadMs)))).join("");
}
