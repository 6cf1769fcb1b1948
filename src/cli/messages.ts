/** Messages and the queue, as a person asks for them. */
import { domainToASCII } from "node:url";
import { rfc3339 } from "../clock.ts";
import { lookupBody } from "../http/lookup.ts";
import { mailboxKey, parseMailbox } from "../message/address.ts";
import type { MessageReport, QueueEntry, RecipientReport } from "../spool/spool.ts";
import { type Command, counted, Refusal, type Surroundings, table } from "./command.ts";
import { storyOf } from "./story.ts";

const QUEUE_MAX = 1000;

async function messageOf({ store, account }: Surroundings, id: string): Promise<MessageReport> {
  const report = await store.report(id);
  if (report === null || report.accountId !== account.id) {
    throw new Refusal(`the account ${account.name} has no message ${id}`);
  }
  return report;
}

const show: Command = {
  usage: "messages show ID",
  about: "what became of each recipient, and what was tried",
  async run(surroundings, { positionals: [id = ""] }) {
    const report = await messageOf(surroundings, id);
    return { json: lookupBody(report), text: storyOf(report, surroundings.nowMs) };
  },
};

const queueList: Command = {
  usage: "queue list",
  about: "recipients that wait, are under way, or are held as unknown",
  options: { domain: { type: "string", usage: "[--domain NAME]" } },
  async run({ store, account, nowMs }, { options: { domain } }) {
    const filter = typeof domain === "string" ? { domain: domainName(domain) } : {};
    const waiting = await store.queue({ accountId: account.id, limit: QUEUE_MAX, ...filter });
    const entries = waiting.map((entry) => ({
      id: entry.messageId,
      email: entry.email,
      result: entry.result,
      reason: entry.reason,
      attempts: entry.attempts,
      created_at: rfc3339(entry.createdAtMs),
      next_attempt_at: entry.nextAttemptAtMs === null ? null : rfc3339(entry.nextAttemptAtMs),
      smtp: entry.smtp,
    }));
    const rows = entries.map((entry, i) => [
      entry.id,
      entry.email,
      entry.result,
      String(entry.attempts),
      entry.next_attempt_at ?? withoutAttempt(waiting[i]),
      entry.smtp === null ? (entry.reason ?? "") : `${entry.smtp.code} ${entry.smtp.message.replaceAll("\n", " / ")}`,
    ]);
    const heading = ["MESSAGE", "RECIPIENT", "RESULT", "ATTEMPTS", "NEXT", "WHY"];
    const none = `Nothing waits at ${rfc3339(nowMs)}.`;
    const more = entries.length === QUEUE_MAX ? `\nOnly the first ${QUEUE_MAX} are shown.` : "";
    return { json: entries, text: table(heading, rows, none) + more };
  },
};

/** What becomes of a recipient that has no next attempt. */
function withoutAttempt(entry: QueueEntry | undefined): string {
  if (entry?.failsAtMs !== undefined) return `fails ${rfc3339(entry.failsAtMs)}`;
  return entry?.result === "unknown" ? "held" : "under way";
}

function domainName(typed: string): string {
  const name = domainToASCII(typed.replace(/\.$/, ""));
  if (name === "") throw new Refusal(`${typed} is no domain name`);
  return name;
}

const queueRetry: Command = {
  usage: "queue retry ID [RECIPIENT]",
  about: "try pending and unknown recipients now (unknown: may be a duplicate)",
  async run(surroundings, { positionals: [messageId = "", typed] }) {
    const { store, account, nowMs } = surroundings;
    const message = await messageOf(surroundings, messageId);
    const email = typed === undefined ? undefined : recipientOf(message, typed).email;
    const narrowed = email === undefined ? {} : { email };
    const retried = await store.retry({ accountId: account.id, messageId, nowMs, ...narrowed });
    if (retried === 0) throw new Refusal(whyNone(message, email));
    const due = `${counted(retried, "recipient")} ${retried === 1 ? "is" : "are"} due now.`;
    return { json: { id: messageId, retried }, text: due };
  },
};

/** The recipient that was meant: the local part as written, the domain in any case and script. */
function recipientOf({ id, recipients }: MessageReport, typed: string): RecipientReport {
  const mailbox = parseMailbox(typed);
  if (mailbox.type === "invalid") throw new Refusal(`${typed} is not an address: ${mailbox.detail}`);
  const meant = mailboxKey(mailbox.local, mailbox.domain);
  const found = recipients.find(({ email, domain }) => mailboxKey(localOf(email), domain) === meant);
  if (found === undefined) throw new Refusal(`the message ${id} has no recipient ${typed}`);
  return found;
}

function localOf(email: string): string {
  return email.slice(0, email.lastIndexOf("@"));
}

/** Nothing could be made due: what the recipients are instead. */
function whyNone({ id, recipients }: MessageReport, email: string | undefined): string {
  const only = "only pending and unknown recipients can be tried again";
  const asked = recipients.filter((recipient) => email === undefined || recipient.email === email);
  const final = asked.filter(({ result }) => result === "delivered" || result === "failed");
  if (final.length < asked.length) return `${id} is at the final dot of an attempt: see what comes of it`;
  if (email !== undefined) return `${email} is ${final[0]?.result} already: ${only}`;
  const results = ["delivered", "failed"] as const;
  const counts = results.map((result) => [final.filter((r) => r.result === result).length, result] as const);
  const words = counts.filter(([count]) => count > 0).map(([count, result]) => `${count} ${result}`);
  return `every recipient of ${id} is final (${words.join(", ")}): ${only}`;
}

export const messageCommands = [show, queueList, queueRetry];
