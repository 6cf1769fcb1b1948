/** Commands that show a message, the queue and the quarantine. */
import { messageView } from "../app/message-view.ts";
import { rfc3339 } from "../lib/clock.ts";
import type { MessageReport, QueueEntry } from "../spool/port/results.ts";
import { type Command, type CommandContext, Refusal, table, UsageError } from "./command.ts";

import { messageHistory } from "./message-history.ts";
import { recipientDomain } from "./recipient-domain.ts";

const QUEUE_MAX = 1000;

/** The account's message with this id. Rejects with a Refusal if there is none. */
export async function messageOf({ store, account }: CommandContext, id: string): Promise<MessageReport> {
  const report = await store.report(id);
  if (report === null || report.accountId !== account.id) {
    throw new Refusal(`the account ${account.name} has no message ${id}`);
  }
  return report;
}

const show: Command = {
  usage: "messages show ID",
  summary: "the result of each recipient, and the history of its attempts",
  async run(context, { positionals: [id = ""] }) {
    const report = await messageOf(context, id);
    return { json: messageView(report), text: messageHistory(report, context.nowMs) };
  },
};

const queueList: Command = {
  usage: "queue list",
  summary: "recipients that are waiting, in an attempt, or held as unknown",
  options: {
    domain: { type: "string", usage: "[--domain NAME]" },
    live: { type: "boolean", usage: "[--live]" },
    test: { type: "boolean", usage: "[--test]" },
  },
  async run({ store, account, nowMs }, { options: { domain, live = false, test = false } }) {
    if (live === true && test === true) throw new UsageError("--live and --test exclude each other");
    const filter = {
      ...(typeof domain === "string" ? { domain: recipientDomain(domain) } : {}),
      ...(live === test ? {} : { test: test === true }),
    };
    const waiting = await store.queue({ accountId: account.id, limit: QUEUE_MAX, ...filter });
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
    const none = `No recipient is waiting at ${rfc3339(nowMs)}.`;
    const more = entries.length === QUEUE_MAX ? `\nOnly the first ${QUEUE_MAX} are shown.` : "";
    return { json: entries, text: table(heading, rows, none) + more };
  },
};

const queueQuarantined: Command = {
  usage: "queue quarantined",
  summary: "messages of all accounts that are not delivered because their stored data cannot be read",
  async run({ store }) {
    const { count, messages } = await store.quarantined(QUEUE_MAX);
    const entries = messages.map(({ seq, messageId, accountId, foundAtMs, part, error }) => ({
      ...{ id: messageId, row: seq, account_id: accountId, found_at: rfc3339(foundAtMs), part, error },
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
  if (entry?.failsAtMs !== undefined) return `fails ${rfc3339(entry.failsAtMs)}`;
  return entry?.result === "unknown" ? "held" : "in an attempt";
}

export const messageCommands = [show, queueList, queueQuarantined];
