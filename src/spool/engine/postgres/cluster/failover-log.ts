/** The log lines of a failover: what the database has lost, as far as the nodes know. */
import { rfc3339 } from "../../../../lib/clock.ts";
import type { Logger } from "../../../../lib/log.ts";
import { hasLost, type ReviewEnd } from "./failover-review.ts";
import type { LostWork } from "./lost-work.ts";

/** The ids of a line. All are named, because nothing else knows of these messages. */
const NAMED_MAX = 100;

/** What is lost of this node's work, in as many lines as its ids need. */
export function logLostWork(log: Pick<Logger, "error">, { recipients, messageIds }: LostWork): void {
  for (let from = 0; from === 0 || from < messageIds.length; from += NAMED_MAX) {
    const named = messageIds.slice(from, from + NAMED_MAX);
    log.error(
      { messages: messageIds.length, messageIds: named, recipients },
      "the database has lost work of this node in a failover: these messages were answered with 202 and are gone, these recipients become unknown",
    );
  }
}

/** What the nodes have agreed on. */
export function logReview(log: Pick<Logger, "error" | "info">, end: ReviewEnd): void {
  const { isPaused, missing, fromMs, toMs, lostMessages: messages, lostRecipients: recipients } = end;
  const time = (ms: number | null): string | null => (ms === null ? null : rfc3339(ms));
  const found = { from: time(fromMs), to: time(toMs), messages, recipients, missingNodes: missing };
  if (!hasLost(end)) {
    log.info(found, "the database has failed over, and has lost nothing that a node knows of");
    return;
  }
  const text = "the database has failed over, and has lost what was committed in this time";
  log.error(found, isPaused ? `${text}: delivery is paused, see postrider queue resume` : text);
}
