/** `send`: a message of the account, for a first test. With --wait, also the result of each recipient. */
import type { RejectionCode } from "../app/send/accept-message.ts";
import { sendCommandLineMessage } from "../app/send/command-line-message.ts";
import { messageView } from "../app/send/message-view.ts";
import { systemClock } from "../lib/clock.ts";
import type { MessageReport } from "../spool/port/results.ts";
import {
  type CommandContext,
  type CommandResult,
  type Implementation,
  type ParsedArguments,
  pluralize,
  Refusal,
  STDIN,
  UsageError,
} from "./command.ts";
import { messageOf } from "./messages.ts";
import { replyOf, whyPending } from "./pending-text.ts";
import { resultCell } from "./result-cell.ts";
import { table } from "./table.ts";

/** How often the results are looked at. */
const LOOK_EVERY_MS = 200;
const WAIT_MAX_S = 3600;
/** What `--text` and `--html` may be to read the content from standard input. */

/** What an operator can do about a rejection. */
const ADVICE: Partial<Record<RejectionCode, string>> = {
  sender_not_allowed: 'See "domains list" and "domains add".',
  domain_not_verified: 'See "domains verify".',
  quota_exceeded: 'See "accounts set-quota".',
};

export const sendMessage: Implementation = {
  async run(context, { options }) {
    const waitS = waitOf(options);
    const message = { accountId: context.account.id, ...(await messageFrom(context, options)) };
    const acceptMessage = await context.acceptMessage();
    const { recipientsMax } = context.config;
    const result = await sendCommandLineMessage({ acceptMessage, clock: systemClock, recipientsMax }, message);
    if (result.type === "invalid") throw new Refusal(result.errors.join(" "));
    if (result.type === "rejected") {
      throw new Refusal([result.detail, ADVICE[result.code] ?? ""].join(" ").trim());
    }
    const { id } = result;
    if (waitS !== null) return resultsOf(context, await waitForResults(context, id, waitS), waitS);
    const text = `${id} accepted. The service delivers it: messages show ${id}`;
    return { json: { id, state: "accepted" }, text };
  },
};

async function messageFrom({ config, readInput }: CommandContext, options: ParsedArguments["options"]) {
  const { from, to, subject, text, html } = options;
  if (text === undefined && html === undefined) throw new UsageError("send needs --text or --html, or both");
  if (text === STDIN && html === STDIN) throw new UsageError("standard input can be --text or --html, not both");
  const content = async (given: string | boolean | undefined): Promise<string | null> => {
    if (typeof given !== "string") return null;
    return given === STDIN ? readInput(config.messageBytesMax) : given;
  };
  return {
    from: String(from),
    to: addressesOf(String(to)),
    subject: String(subject),
    text: await content(text),
    html: await content(html),
  };
}

/** The items of a comma-separated list. A comma in a quoted name separates nothing. */
const addressesOf = (list: string): string[] =>
  (list.match(/(?:"(?:[^"\\]|\\.)*(?:"|\\?$)|[^,"])+/gs) ?? [])
    .map((item) => item.trim())
    .filter((item) => item !== "");

/** In seconds; null without --wait. */
function waitOf({ wait }: ParsedArguments["options"]): number | null {
  if (wait === undefined) return null;
  const seconds = /^\d{1,9}$/.test(String(wait)) ? Number(wait) : 0;
  if (seconds >= 1 && seconds <= WAIT_MAX_S) return seconds;
  throw new UsageError(`--wait '${wait}' is not a whole number of seconds from 1 to ${WAIT_MAX_S}`);
}

async function waitForResults(context: CommandContext, id: string, waitS: number): Promise<MessageReport> {
  const untilMs = systemClock.monotonicMs() + waitS * 1000;
  for (;;) {
    const report = await messageOf(context, id);
    const leftMs = untilMs - systemClock.monotonicMs();
    if (leftMs <= 0 || report.recipients.every(({ result }) => result !== "pending")) return report;
    await new Promise((resolve) => setTimeout(resolve, Math.min(LOOK_EVERY_MS, leftMs)));
  }
}

async function resultsOf(context: CommandContext, report: MessageReport, waitS: number): Promise<CommandResult> {
  const { id, recipients } = report;
  const rows = recipients.map((recipient) => [recipient.email, resultCell(recipient.result), replyOf(recipient)]);
  const text = `${id}\n${table(["RECIPIENT", "RESULT", "REPLY"], rows, "")}`;
  const json = messageView(report);
  const others = recipients.filter(({ result }) => result !== "delivered").length;
  if (others === 0) return { json, text };
  const pending = recipients.filter(({ result }) => result === "pending").length;
  if (pending === 0) {
    return { json, text, failure: `${pluralize(others, "recipient")} not delivered to: messages show ${id}` };
  }
  const cause = await whyPending(context, report);
  const failed = others === pending ? "" : `${pluralize(others - pending, "recipient")} not delivered to, and `;
  const still = `${pluralize(pending, "recipient")} still pending after ${pluralize(waitS, "second")}`;
  return { json, text, failure: `${failed}${still}. ${cause} See messages show ${id}` };
}
