/** Messages and the queue, as a person asks for them. */
import { rfc3339 } from "../clock.ts";
import { lookupBody } from "../http/lookup.ts";
import type { RecipientReport, SpoolEvent } from "../spool/spool.ts";
import { type Command, Refusal, table } from "./command.ts";

const QUEUE_MAX = 1000;

const show: Command = {
  usage: "messages show ID",
  async run({ store, account }, { positionals: [id = ""] }) {
    const report = await store.report(id);
    if (report === null || report.accountId !== account.id) {
      throw new Refusal(`the account ${account.name} has no message ${id}`);
    }
    const head = [
      `${report.id}  accepted ${rfc3339(report.createdAtMs)}`,
      `From: ${report.from}`,
      `Subject: ${report.subject}`,
      `Message-ID: ${report.messageId}`,
    ];
    const text = [...head, ...report.recipients.map(recipientText)].join("\n");
    return { json: lookupBody(report), text };
  },
};

function recipientText(recipient: RecipientReport): string {
  const reason = recipient.reason === null ? "" : ` (${recipient.reason})`;
  const next = recipient.nextAttemptAtMs === null ? "" : `, next attempt ${rfc3339(recipient.nextAttemptAtMs)}`;
  const title = `\n${recipient.email}: ${recipient.result}${reason}${next}`;
  return [title, ...recipient.events.flatMap(eventLines)].join("\n");
}

function eventLines(event: SpoolEvent): string[] {
  if (event.type === "accepted") return [`  ${rfc3339(event.at_ms)}  accepted`];
  const tries = event.tries.map((t) => {
    const tls = t.tls === null ? "no TLS" : t.tls.protocol;
    const said = t.reply === null ? t.error : `${t.reply.code} ${t.reply.message.replaceAll("\n", " / ")}`;
    const note = t.note === null ? "" : ` [${t.note}]`;
    return `      ${t.mx}${t.ip === null ? "" : ` (${t.ip})`}, ${tls}, at ${t.stage}: ${said}${note}`;
  });
  const reason = event.reason === null ? "" : ` ${event.reason}`;
  return [`  ${rfc3339(event.at_ms)}  attempt ${event.attempt} ${event.type}${reason}`, ...tries];
}

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
