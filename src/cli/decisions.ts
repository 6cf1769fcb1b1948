/** `queue resolve` and `queue cancel`: a person decides about unknown and pending recipients, of a message or of all messages. */
import { cancelRecipients, recipientsWith, resolveRecipients } from "../app/decide/decide-recipients.ts";
import { RESULTS } from "../message/result/outcome.ts";
import type { RecipientsRef } from "../spool/port/mail.ts";
import { type CancelledRecipients, RESOLUTIONS } from "../spool/port/operations.ts";
import type { MessageReport } from "../spool/port/results.ts";
import { type BulkCommand, isAboutAll, runOnAll } from "./bulk.ts";
import { type CommandContext, type Implementation, pluralize, Refusal, UsageError } from "./command.ts";
import { messageOf, recipientOf } from "./messages.ts";

export const queueResolve: Implementation = {
  async run(context, args) {
    const { positionals, options } = args;
    const as = RESOLUTIONS.find((name) => name === options.as);
    if (as === undefined) throw new UsageError(`--as is ${RESOLUTIONS.join(" or ")}`);
    if (isAboutAll("unknown", args)) return runOnAll(context, resolveAllAs(as), options);
    const { message, email } = await named(context, positionals);
    const recipients = recipientsWith(message, "unknown", email);
    if (recipients.length === 0)
      throw new Refusal(whyNone(message, email, "only unknown recipients can be marked as delivered or failed"));
    await context.confirm(`Settle ${pluralize(countOf(recipients), "unknown recipient")} as ${as}?`);
    const { resolved, unreadable } = await resolveRecipients(context.store, { ...decision(context, recipients), as });
    if (resolved === 0) throw new Refusal(whyUnchanged(message, unreadable));
    return {
      json: { id: message.id, resolved, result: as },
      text: `${pluralize(resolved, "recipient")} ${resolved === 1 ? "is" : "are"} ${as} now.`,
    };
  },
};

export const queueCancel: Implementation = {
  async run(context, args) {
    if (isAboutAll("pending", args)) return runOnAll(context, CANCEL_ALL, args.options);
    const { message, email } = await named(context, args.positionals);
    const recipients = recipientsWith(message, "pending", email);
    if (recipients.length === 0) throw new Refusal(whyNone(message, email, "only pending recipients can be cancelled"));
    await context.confirm(`Cancel the delivery to ${pluralize(countOf(recipients), "pending recipient")}?`);
    const done = await cancelRecipients(context.store, decision(context, recipients));
    const { cancelled, unknown, atDot, unreadable } = done;
    if (cancelled + unknown === 0) {
      throw new Refusal(atDot > 0 ? `${message.id} ${AT_DOT}: wait for the result` : whyUnchanged(message, unreadable));
    }
    return { json: { id: message.id, cancelled, unknown, at_final_dot: atDot, unreadable }, text: cancelText(done) };
  },
};

const resolveAllAs = (as: (typeof RESOLUTIONS)[number]): BulkCommand => ({
  action: as === "delivered" ? "mark-delivered" : "mark-failed",
  question: (recipients) => `Settle ${recipients} as ${as}?`,
  done: `${as} now`,
  wouldBe: `settled as ${as}`,
  counted: "resolved",
  wouldCount: "would_resolve",
  more: () => ({ result: as }),
});

const CANCEL_ALL: BulkCommand = {
  action: "cancel",
  question: (recipients) => `Cancel the delivery to ${recipients}?`,
  done: "cancelled",
  wouldBe: "cancelled",
  counted: "cancelled",
  wouldCount: "would_cancel",
  more: ({ unknown, atDot }) => ({ unknown, at_final_dot: atDot }),
};

const countOf = (recipients: readonly RecipientsRef[]): number =>
  recipients.reduce((sum, { positions }) => sum + positions.length, 0);

const AT_DOT = "is waiting for the server's reply to the final dot";

async function named(
  context: CommandContext,
  [id = "", typed]: readonly string[],
): Promise<{ message: MessageReport; email?: string }> {
  const message = await messageOf(context, id);
  return typed === undefined ? { message } : { message, email: recipientOf(message, typed).email };
}

const decision = ({ account, by, nowMs }: CommandContext, recipients: RecipientsRef[]) => ({
  accountId: account.id,
  recipients,
  by,
  nowMs,
});

function cancelText({ cancelled, unknown, atDot, unreadable }: CancelledRecipients): string {
  const line = (count: number, one: string, many: string): string[] =>
    count === 0 ? [] : [`${pluralize(count, "recipient")} ${count === 1 ? one : many}`];
  return [
    ...line(cancelled, "is cancelled.", "are cancelled."),
    ...line(
      unknown,
      "is unknown again: an earlier attempt may have delivered the message.",
      "are unknown again: an earlier attempt may have delivered the message.",
    ),
    ...line(atDot, `stays pending: it ${AT_DOT}.`, `stay pending: each ${AT_DOT}.`),
    ...line(
      unreadable,
      "stays pending: the stored message is damaged.",
      "stay pending: the stored message is damaged.",
    ),
  ].join("\n");
}

/** Why no recipient has the result that the command needs. */
function whyNone({ id, recipients }: MessageReport, email: string | undefined, rule: string): string {
  const [only] = recipients.filter((recipient) => recipient.email === email);
  if (only !== undefined) return `${only.email} is ${only.result}: ${rule}`;
  const counts = RESULTS.map((result) => [recipients.filter((each) => each.result === result).length, result] as const);
  const words = counts.filter(([count]) => count > 0).map(([count, result]) => `${count} ${result}`);
  return `${id} has ${words.join(", ")}: ${rule}`;
}

const whyUnchanged = ({ id }: MessageReport, unreadable: number): string =>
  unreadable > 0
    ? `the stored message ${id} is damaged: its recipients cannot be changed`
    : `the recipients of ${id} have changed in the meantime: see messages show ${id}`;
