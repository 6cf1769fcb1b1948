/** The queue by recipient domain as the command line and the management interface show it. */
import { rfc3339 } from "../../lib/clock.ts";
import { closedSentence, type SentencePart } from "../../message/result/closed-destination.ts";
import type { IdleClosing, QueueDestination, QueueReport } from "./queue-report.ts";
import { waitSentence } from "./queue-wait-text.ts";

export const queueView = (queue: QueueReport) => ({
  waiting: queue.waiting,
  unknown: queue.unknown,
  oldest_at: timeOf(queue.oldestAtMs),
  destinations: queue.domains.map(destinationView),
  delivery_paused: queue.isDeliveryPaused,
  closed_without_mail: queue.idleClosings.map(closingView),
});

const timeOf = (ms: number | null): string | null => (ms === null ? null : rfc3339(ms));

function destinationView(entry: QueueDestination) {
  const { domain, waiting, due, deferred, inFlight, destination, wait, reason, category, smtp } = entry;
  return {
    domain,
    waiting,
    due,
    deferred,
    in_flight: inFlight,
    oldest_at: timeOf(entry.oldestAtMs),
    next_attempt_at: timeOf(entry.nextAttemptAtMs),
    delivered_last_minute: entry.deliveredLastMinute,
    mail_servers: destination,
    wait: { type: wait.type, text: waitText(entry) },
    reason,
    category,
    smtp,
    paused_at: timeOf(entry.pausedAtMs),
  };
}

/** Why the recipients at a domain wait, in a sentence. */
export const waitText = ({ wait }: Pick<QueueDestination, "wait">): string => sentenceText(waitSentence(wait));

/** A sentence with its times as RFC 3339. */
export const sentenceText = (parts: readonly SentencePart[]): string =>
  parts.map((part) => (typeof part === "string" ? part : rfc3339(part.atMs))).join("");

const closingView = ({ name, domains, closed }: IdleClosing) => {
  const { sinceMs, probeAtMs } = closed;
  const times = { since: rfc3339(sinceMs), probe_at: rfc3339(probeAtMs) };
  return { name, domains, ...times, text: sentenceText(closedSentence(closed)) };
};
