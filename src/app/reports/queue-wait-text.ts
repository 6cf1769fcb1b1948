/** Why the recipients of a domain wait, in a sentence. The dashboard and the command line each format the times in it. */
import { closedSentence, type SentencePart } from "../../message/result/closed-destination.ts";
import type { QueueWait } from "./queue-report.ts";

export const DELIVERY_PAUSED_TEXT =
  "Delivery is paused: the spool was restored from a backup, and an operator has to resume it.";

const FIXED = {
  nothing_waits: "",
  delivery_paused: DELIVERY_PAUSED_TEXT,
  account_share: "The account has as many attempts in progress as one account may have now.",
  accept_priority: "Many messages are being accepted at this moment: they come first, for a few seconds.",
  next: "Waiting for a free slot.",
  in_attempt: "In an attempt now.",
} as const;

/** Empty where nothing waits. */
export function waitSentence(wait: QueueWait): SentencePart[] {
  switch (wait.type) {
    case "domain_paused":
      return ["An operator paused this recipient domain ", { atMs: wait.sinceMs }, "."];
    case "closed":
      return closedSentence(wait.closed);
    case "connection_limit":
      return [`All connections that its mail servers allow at one time are in use: ${wait.limit}.`];
    case "window":
      return [`As many attempts are in progress as its mail servers accept at one time: ${wait.attempts}.`];
    case "attempts_max":
      return [`All ${wait.max} attempts that the service makes at one time are in progress.`];
    case "deferred":
      if (wait.nextAttemptAtMs === null) return ["Deferred after a temporary failure."];
      return ["Deferred after a temporary failure: the next attempt is due ", { atMs: wait.nextAttemptAtMs }, "."];
    default:
      return [FIXED[wait.type]];
  }
}
