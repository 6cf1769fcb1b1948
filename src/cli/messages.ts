/** Messages and the queue, as a person asks for them. */
import { rfc3339 } from "../clock.ts";
import { lookupBody } from "../http/lookup.ts";
import { type Command, Refusal, table } from "./command.ts";
import { storyOf } from "./story.ts";

const QUEUE_MAX = 1000;

const show: Command = {
  usage: "messages show ID",
  async run({ store, account, nowMs }, { positionals: [id = ""] }) {
    const report = await store.report(id);
    if (report === null || report.accountId !== account.id) {
      throw new Refusal(`the account ${account.name} has no message ${id}`);
    }
    return { json: lookupBody(report), text: storyOf(report, nowMs) };
  },
};

const queueList: Command = {
  usage: "queue list",
  options: { domain: { type: "string" } },
  async run({ store, account, nowMs }, { options: { domain } }) {
    const filter = typeof domain === "string" ? { domain: domain.toLowerCase() } : {};
    const entries = (await store.queue({ accountId: account.id, limit: QUEUE_MAX, ...filter })).map((entry) => ({
      id: entry.messageId,
      email: entry.email,
      result: entry.result,
      reason: entry.reason,
      attempts: entry.attempts,
      created_at: rfc3339(entry.createdAtMs),
      next_attempt_at: entry.nextAttemptAtMs === null ? null : rfc3339(entry.nextAttemptAtMs),
      smtp: entry.smtp,
    }));
    const rows = entries.map((entry) => [
      entry.id,
      entry.email,
      entry.result,
      String(entry.attempts),
      entry.next_attempt_at ?? (entry.result === "unknown" ? "held" : "under way"),
      entry.smtp === null ? (entry.reason ?? "") : `${entry.smtp.code} ${entry.smtp.message.replaceAll("\n", " / ")}`,
    ]);
    const heading = ["MESSAGE", "RECIPIENT", "RESULT", "ATTEMPTS", "NEXT", "WHY"];
    const none = `Nothing waits at ${rfc3339(nowMs)}.`;
    const more = entries.length === QUEUE_MAX ? `\nOnly the first ${QUEUE_MAX} are shown.` : "";
    return { json: entries, text: table(heading, rows, none) + more };
  },
};

const queueRetry: Command = {
  usage: "queue retry ID [RECIPIENT]",
  async run({ store, account, nowMs }, { positionals: [messageId = "", email] }) {
    const narrowed = email === undefined ? {} : { email };
    const retried = await store.retry({ accountId: account.id, messageId, nowMs, ...narrowed });
    if (retried === 0) {
      const whom = email === undefined ? "recipient" : `recipient ${email}`;
      throw new Refusal(`the account ${account.name} has no pending or unknown ${whom} of ${messageId}`);
    }
    return { json: { id: messageId, retried }, text: `${retried} recipients are due now.` };
  },
};

export const messageCommands = [show, queueList, queueRetry];
