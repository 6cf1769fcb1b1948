/**
 * `queue retry`: recipients due now. Without --failed the pending and unknown ones of a message; with it the failed ones of
 * a message or of the whole account, narrowed by filters.
 */
import { mailboxKey, parseMailbox } from "../message/address.ts";
import { MessageDamaged } from "../spool/port/errors.ts";
import type { MessageReport, RecipientReport } from "../spool/port/results.ts";
import { type Command, type CommandAnswer, counted, Refusal, type Surroundings, UsageError } from "./command.ts";
import { messageOf } from "./messages.ts";
import { failedAnswer, filterOf, isFiltered, type Retried, retryFailed } from "./retry-failed.ts";

export const queueRetry: Command = {
  usage: "queue retry [ID] [RECIPIENT]",
  about: "try recipients now: pending and unknown ones (unknown: may be a duplicate), or failed ones",
  options: {
    failed: { type: "boolean", usage: "[--failed]" },
    reason: { type: "string", usage: "[--reason REASON]" },
    category: { type: "string", usage: "[--category CATEGORY]" },
    domain: { type: "string", usage: "[--domain NAME]" },
    since: { type: "string", usage: "[--since TIME]" },
    "dry-run": { type: "boolean", usage: "[--dry-run]" },
  },
  async run(surroundings, { positionals: [messageId, typed], options }) {
    if (options.failed !== true) {
      if (isFiltered(options)) throw new UsageError("the filters of queue retry, and --dry-run, need --failed");
      if (messageId === undefined) throw new UsageError("ID is missing; to retry failed recipients, add --failed");
      return retryWaiting(surroundings, messageId, typed);
    }
    const filter = filterOf(options, surroundings.nowMs);
    const dryRun = options["dry-run"] === true;
    if (messageId === undefined) return failedAnswer(await retryFailed(surroundings, filter, dryRun), dryRun);
    const message = await messageOf(surroundings, messageId);
    const email = typed === undefined ? undefined : recipientOf(message, typed).email;
    const narrowed = { ...filter, messageId, ...(email === undefined ? {} : { email }) };
    const retried = await retryFailed(surroundings, narrowed, dryRun);
    if (retried.count === 0 && !dryRun) throw new Refusal(whyNoneFailed(message, retried));
    return failedAnswer(retried, dryRun);
  },
};

async function retryWaiting(
  surroundings: Surroundings,
  messageId: string,
  typed: string | undefined,
): Promise<CommandAnswer> {
  const { store, account, nowMs } = surroundings;
  const message = await messageOf(surroundings, messageId);
  const email = typed === undefined ? undefined : recipientOf(message, typed).email;
  const narrowed = email === undefined ? {} : { email };
  const retried = await store
    .retry({ accountId: account.id, messageId, nowMs, ...narrowed })
    .catch((error: unknown) => refuseDamaged(messageId, error));
  if (retried === 0) throw new Refusal(whyNone(message, email));
  const due = `${counted(retried, "recipient")} ${retried === 1 ? "is" : "are"} due now.`;
  return { json: { id: messageId, retried }, text: due };
}

function refuseDamaged(messageId: string, error: unknown): never {
  if (!(error instanceof MessageDamaged)) throw error;
  throw new Refusal(`${messageId} stays in quarantine, for it still cannot be read: ${error.message}`);
}

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
function whyNone({ id, recipients, quarantined }: MessageReport, email: string | undefined): string {
  const only = "only pending and unknown recipients can be tried again, and failed ones with --failed";
  const asked = recipients.filter((recipient) => email === undefined || recipient.email === email);
  const final = asked.filter(({ result }) => result === "delivered" || result === "failed");
  if (final.length < asked.length) {
    if (quarantined === undefined)
      return `${id} is waiting for the server's reply to the final dot: wait for the result`;
    return `${id} has left quarantine. Its attempt came to the final dot: without a result it becomes unknown within 5 minutes`;
  }
  if (email !== undefined) return `${email} is ${final[0]?.result} already: ${only}`;
  const results = ["delivered", "failed"] as const;
  const counts = results.map((result) => [final.filter((r) => r.result === result).length, result] as const);
  const words = counts.filter(([count]) => count > 0).map(([count, result]) => `${count} ${result}`);
  return `every recipient of ${id} is final (${words.join(", ")}): ${only}`;
}

function whyNoneFailed({ id }: MessageReport, { contentDeleted, unreadable }: Retried): string {
  if (unreadable > 0) return `what is stored of ${id} is damaged: its failed recipients cannot be retried`;
  if (contentDeleted === 0)
    return `${id} has no failed recipient that matches (suppressed ones need --reason suppressed)`;
  return `the content of ${id} was deleted after RETENTION_BODY: its failed recipients cannot be retried`;
}
