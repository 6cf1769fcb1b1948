/** `messages show`, and finding the message that a command names. */

import { closedAmong } from "../app/reports/queue-report.ts";
import { sentenceText } from "../app/reports/queue-view.ts";
import { storedTraffic } from "../app/reports/traffic-board.ts";
import { mailboxKey, parseMailbox } from "../message/address.ts";
import { closedSentence } from "../message/result/closed-destination.ts";
import type { MessageReport, RecipientReport } from "../spool/port/results.ts";
import { type CommandContext, type Implementation, Refusal } from "./command.ts";
import { messageHistory } from "./message-history.ts";

/** The account's message with this id. Rejects with a Refusal if there is none. */
export async function messageOf({ store, account }: CommandContext, id: string): Promise<MessageReport> {
  const report = await store.report(id);
  if (report === null || report.accountId !== account.id) {
    throw new Refusal(`the account ${account.name} has no message ${id}`);
  }
  return report;
}

/** The recipient with this address: local parts compare exactly, domains in any case and script. */
export function recipientOf({ id, recipients }: MessageReport, typed: string): RecipientReport {
  const mailbox = parseMailbox(typed);
  if (mailbox.type === "invalid") throw new Refusal(`${typed} is not an email address: ${mailbox.detail}`);
  const key = mailboxKey(mailbox.local, mailbox.domain);
  const found = recipients.find(({ email, domain }) => mailboxKey(localOf(email), domain) === key);
  if (found === undefined) throw new Refusal(`the message ${id} has no recipient ${typed}`);
  return found;
}

function localOf(email: string): string {
  return email.slice(0, email.lastIndexOf("@"));
}

export const showMessage: Implementation = {
  async run(context, { positionals: [id = ""] }) {
    const report = await messageOf(context, id);
    const closed = report.test ? new Map<string, string>() : await closedTexts(context, report);
    // Not for lists, which it would delay: it names receivers by the public suffix list.
    const { messageView } = await import("../app/send/message-view.ts");
    return { json: messageView(report), text: messageHistory(report, context.nowMs, closed) };
  },
};

/** Why pending recipients wait for a closed destination, by their recipient domain. */
async function closedTexts(
  { store, nowMs }: CommandContext,
  { recipients }: MessageReport,
): Promise<Map<string, string>> {
  const domains = new Set(recipients.filter(({ result }) => result === "pending").map(({ domain }) => domain));
  if (domains.size === 0) return new Map();
  const closed = closedAmong(await storedTraffic(store, nowMs), domains, { isOperator: true });
  return new Map([...closed].map(([domain, each]) => [domain, sentenceText(closedSentence(each))]));
}
