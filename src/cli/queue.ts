/**
 * `queue retry`: makes recipients due now: the pending and unknown ones of a message; with --failed, the failed ones of a message or of
 * the whole account; with --unknown or --pending, those of the whole account. The latter three are narrowed by filters.
 */

import { askProbes } from "../app/decide/destinations.ts";
import type { RetriedRecipients } from "../app/decide/retry-failed.ts";
import { retryFailed } from "../app/decide/retry-failed.ts";
import { storedTraffic } from "../app/reports/traffic-board.ts";
import { HELD } from "../message/result/reasons.ts";
import { MessageDamaged } from "../spool/port/errors.ts";
import type { FailedFilter } from "../spool/port/operations.ts";
import type { MessageReport } from "../spool/port/results.ts";
import { type BulkCommand, isAboutAll, runOnAll } from "./bulk.ts";
import {
  type CommandContext,
  type CommandResult,
  type Implementation,
  pluralize,
  Refusal,
  UsageError,
} from "./command.ts";
import { probeText } from "./destinations.ts";
import { messageOf, recipientOf } from "./messages.ts";
import { checkFilters, filterOf, retriedResult } from "./retry-failed.ts";

const TWICE = "They may get the message twice.";

export const queueRetry: Implementation = {
  async run(context, args) {
    const {
      positionals: [messageId, typed],
      options,
    } = args;
    checkFilters(options);
    if (options.unknown === true && isAboutAll("unknown", args)) return runOnAll(context, RETRY_UNKNOWN, options);
    if (options.pending === true && isAboutAll("pending", args)) {
      if (options.reason === HELD)
        throw new Refusal("mail of a held key is tried by keys release ID; keys list shows held keys");
      return runOnAll(context, RETRY_PENDING, options);
    }
    if (options.failed !== true) {
      if (messageId === undefined) {
        throw new UsageError(
          "ID is missing; to send again to all failed recipients, add --failed; to all pending ones, --pending; to all unknown ones, --unknown",
        );
      }
      return retryWaiting(context, messageId, typed);
    }
    const filter = { ...filterOf(options, context.nowMs), accountId: context.account.id };
    const dryRun = options["dry-run"] === true;
    if (messageId === undefined) return retriedResult(await retry(context, filter, dryRun), dryRun);
    const message = await messageOf(context, messageId);
    const email = typed === undefined ? undefined : recipientOf(message, typed).email;
    const narrowed = { ...filter, messageId, ...(email === undefined ? {} : { email }) };
    const retried = await retry(context, narrowed, dryRun);
    if (retried.count === 0 && !dryRun) throw new Refusal(whyNoneFailed(message, retried));
    return retriedResult(retried, dryRun);
  },
};

const RETRY_UNKNOWN: BulkCommand = {
  action: "send-unknown-again",
  question: (recipients) => `Send again to ${recipients}? ${TWICE}`,
  done: "due now",
  wouldBe: "due now. They may get the message twice",
  counted: "retried",
  wouldCount: "would_retry",
};

const RETRY_PENDING: BulkCommand = {
  action: "try-now",
  question: null,
  done: "due now",
  wouldBe: "due now",
  counted: "retried",
  wouldCount: "would_retry",
};

function retry({ config, store, by, nowMs }: CommandContext, filter: FailedFilter, dryRun: boolean) {
  return retryFailed(store, { filter, by, nowMs, maxAgeMs: config.retryMaxAgeMs, dryRun });
}

async function retryWaiting(
  context: CommandContext,
  messageId: string,
  typed: string | undefined,
): Promise<CommandResult> {
  const { store, account, by, nowMs, confirm } = context;
  const message = await messageOf(context, messageId);
  const email = typed === undefined ? undefined : recipientOf(message, typed).email;
  const narrowed = email === undefined ? {} : { email };
  const unknown = message.recipients.filter(
    (each) => each.result === "unknown" && (email ?? each.email) === each.email,
  );
  if (unknown.length > 0) {
    await confirm(`Send again to ${pluralize(unknown.length, "unknown recipient")}? ${TWICE}`);
  }
  const closed = message.test ? [] : await probedDomains(context, message, email);
  const retried = await store
    .retry({ accountId: account.id, messageId, by, nowMs, ...narrowed })
    .catch((error: unknown) => refuseDamaged(messageId, error));
  if (retried === 0) throw new Refusal(whyNone(message, email));
  const due = `${pluralize(retried, "recipient")} ${retried === 1 ? "is" : "are"} due now.`;
  const text = closed.length === 0 ? due : `${due} ${probeText(closed)}`;
  return { json: { id: messageId, retried }, text };
}

/** Asks for probes with the message. Returns the recipient domains whose destination is closed. */
async function probedDomains(
  { store, nowMs }: CommandContext,
  { id: messageId, recipients }: MessageReport,
  email: string | undefined,
): Promise<string[]> {
  const retried = recipients.filter((each) => each.result === "pending" || each.result === "unknown");
  const domains = retried.filter((each) => (email ?? each.email) === each.email).map(({ domain }) => domain);
  const traffic = () => storedTraffic(store, nowMs);
  const holds = await askProbes({ spool: store, traffic }, { accountId: null, domains, messageId, nowMs });
  return [...holds].filter(([, hold]) => hold === "closed").map(([domain]) => domain);
}

function refuseDamaged(messageId: string, error: unknown): never {
  if (!(error instanceof MessageDamaged)) throw error;
  throw new Refusal(`${messageId} stays in quarantine, because it still cannot be read: ${error.message}`);
}

/** Why no recipient could be made due. */
function whyNone({ id, recipients, quarantined }: MessageReport, email: string | undefined): string {
  const only = "only pending and unknown recipients can be sent to again, and failed ones with --failed";
  const matching = recipients.filter((recipient) => email === undefined || recipient.email === email);
  const final = matching.filter(({ result }) => result === "delivered" || result === "failed");
  if (final.length < matching.length) {
    if (quarantined === undefined)
      return `${id} is waiting for the server's reply to the final dot: wait for the result`;
    return `${id} was released from quarantine, but its attempt had reached the final dot: without a result it becomes unknown within 5 minutes`;
  }
  if (email !== undefined) return `${email} is already ${final[0]?.result}: ${only}`;
  const results = ["delivered", "failed"] as const;
  const counts = results.map((result) => [final.filter((r) => r.result === result).length, result] as const);
  const words = counts.filter(([count]) => count > 0).map(([count, result]) => `${count} ${result}`);
  return `every recipient of ${id} is final (${words.join(", ")}): ${only}`;
}

function whyNoneFailed({ id }: MessageReport, { contentDeleted, unreadable }: RetriedRecipients): string {
  if (unreadable > 0) return `the stored message ${id} is damaged: it cannot be sent again to its failed recipients`;
  if (contentDeleted === 0)
    return `${id} has no failed recipient that matches (suppressed ones need --reason suppressed)`;
  return `the content of ${id} was deleted after RETENTION_BODY: it cannot be sent again to its failed recipients`;
}
