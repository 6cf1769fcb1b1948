/** Commands that show the queue and the quarantine. */
import { closedAmong } from "../app/reports/queue-report.ts";
import { sentenceText } from "../app/reports/queue-view.ts";
import { storedTraffic } from "../app/reports/traffic-board.ts";
import { rfc3339 } from "../lib/clock.ts";
import { closedSentence } from "../message/result/closed-destination.ts";
import { endOfTime } from "../message/result/reasons.ts";
import type { NodeTraffic } from "../spool/port/node-traffic.ts";
import type { QueueEntry } from "../spool/port/results.ts";
import { type Implementation, UsageError } from "./command.ts";
import { recipientDomain } from "./recipient-domain.ts";
import { table } from "./table.ts";

const QUEUE_MAX = 1000;

export const queueList: Implementation = {
  async run({ store, account, nowMs }, { options: { domain, result, live = false, test = false } }) {
    if (live === true && test === true) throw new UsageError("--live and --test exclude each other");
    const filter = {
      ...(typeof domain === "string" ? { domain: recipientDomain(domain) } : {}),
      ...(typeof result === "string" ? { result: result as QueueEntry["result"] } : {}),
      ...(live === test ? {} : { test: test === true }),
    };
    const waiting = await store.queue({ accountId: account.id, limit: QUEUE_MAX, ...filter });
    const closed = await closedTexts(waiting, await storedTraffic(store, nowMs));
    const entries = waiting.map((entry) => ({
      id: entry.messageId,
      email: entry.email,
      result: entry.result,
      reason: entry.reason,
      category: entry.category,
      attempts: entry.attempts,
      test: entry.test,
      created_at: rfc3339(entry.createdAtMs),
      next_attempt_at: entry.nextAttemptAtMs === null ? null : rfc3339(entry.nextAttemptAtMs),
      smtp: entry.smtp,
      closed: isHeldBack(entry) ? (closed.get(entry.domain) ?? null) : null,
    }));
    const rows = entries.map((entry, i) => [
      entry.id,
      entry.email,
      entry.test ? "test" : "live",
      entry.result,
      String(entry.attempts),
      entry.next_attempt_at ?? withoutAttempt(waiting[i]),
      entry.category ?? "",
      entry.smtp === null ? (entry.reason ?? "") : `${entry.smtp.code} ${entry.smtp.message.replaceAll("\n", " / ")}`,
    ]);
    const heading = ["MESSAGE", "RECIPIENT", "KIND", "RESULT", "ATTEMPTS", "NEXT", "CATEGORY", "REASON"];
    const none = `No recipient is ${result ?? "waiting"} at ${rfc3339(nowMs)}.`;
    const more = entries.length === QUEUE_MAX ? `\nOnly the first ${QUEUE_MAX} are shown.` : "";
    const notes = [...closed].map(([name, text]) => `${name}: ${text}`);
    return { json: entries, text: [table(heading, rows, none) + more, ...notes].join("\n") };
  },
};

/** Why recipients wait for a closed destination, by their recipient domain. */
function closedTexts(waiting: readonly QueueEntry[], traffic: readonly NodeTraffic[]): Map<string, string> {
  const domains = waiting.filter(isHeldBack).map(({ domain }) => domain);
  const closed = closedAmong(traffic, new Set(domains), { isOperator: true });
  return new Map([...closed].map(([domain, each]) => [domain, sentenceText(closedSentence(each))]));
}

const isHeldBack = ({ test, result }: QueueEntry): boolean => !test && result === "pending";

export const queueQuarantined: Implementation = {
  async run({ store }) {
    const { count, messages } = await store.quarantined(QUEUE_MAX);
    const entries = messages.map(({ seq, messageId, accountId, foundAtMs, part, error }) => ({
      id: messageId,
      row: seq,
      account_id: accountId,
      found_at: rfc3339(foundAtMs),
      part,
      error,
    }));
    const rows = entries.map(({ id, row, account_id, found_at, part, error }) => {
      return [id ?? `row ${row}`, account_id ?? "", found_at, part, error];
    });
    const heading = ["MESSAGE", "ACCOUNT", "FOUND", "PART", "ERROR"];
    const more = count > entries.length ? `\nOnly the newest ${QUEUE_MAX} of ${count} are shown.` : "";
    return { json: entries, text: table(heading, rows, "No message is quarantined.") + more };
  },
};

/** The NEXT column of a recipient without a next attempt. */
function withoutAttempt(entry: QueueEntry | undefined): string {
  if (entry?.failsAtMs !== undefined) return `${endOfTime(entry.reason)} ${rfc3339(entry.failsAtMs)}`;
  return entry?.result === "unknown" ? "" : "in an attempt";
}
