/**
 * Commands for suppressed addresses: those that receive no attempts because hosts refused them as not existing, because their owner
 * complained or unsubscribed, or because they were added. suppression-files.ts has those for files.
 */

import { type AddResult, addSuppressions } from "../app/suppressions/add-suppressions.ts";
import {
  type ListRequest,
  listSuppressions,
  removeSuppression,
  testAddress,
} from "../app/suppressions/suppression-list.ts";
import { suppressionView } from "../app/suppressions/suppression-view.ts";
import { sanitizeLine } from "../lib/terminal-text.ts";
import { parseMailbox } from "../message/address.ts";
import { SUPPRESSION_NAMES } from "../message/result/explanation.ts";
import type { SetCause, SuppressionCause } from "../message/result/suppression.ts";
import type { SuppressedAddress } from "../spool/port/suppressions.ts";
import {
  type CommandContext,
  type Implementation,
  type ParsedArguments,
  pluralize,
  Refusal,
  UsageError,
} from "./command.ts";
import { refusalLines, suppressedPeriod } from "./message-history.ts";
import { parseUntil } from "./since.ts";

const LIMIT_DEFAULT = 1000;
const LIMIT_MAX = 10_000;
const PAGE_MAX = 100;

type Options = ParsedArguments["options"];

/** Which addresses of the account a command is about. */
export const filterOf = ({ config, account, nowMs }: CommandContext, { cause, search }: Options) => ({
  accountId: account.id,
  suppressAfter: config.suppressAfter,
  nowMs,
  ...(typeof cause === "string" ? { cause: cause as SuppressionCause } : {}),
  ...(typeof search === "string" ? { search } : {}),
});

/** The cause and the end that the options give. */
export const givenSuppression = ({ cause, until }: Options, nowMs: number) => ({
  ...(typeof cause === "string" ? { cause: cause as SetCause } : {}),
  ...(typeof until === "string" ? { untilMs: parseUntil(until, nowMs) } : {}),
});

export const listSuppressionsCommand: Implementation = {
  async run(context, { options }) {
    const limit = limitOf(options);
    const { addresses, isMore } = await findAll(context, filterOf(context, options), limit);
    const more = isMore ? `\n\nOnly the first ${limit} are shown: --limit shows up to ${LIMIT_MAX}.` : "";
    const text = addresses.length === 0 ? noneText(context, options) : addresses.map(blockOf).join("\n\n") + more;
    return { json: addresses.map(suppressionView), text };
  },
};

function noneText({ config }: CommandContext, { cause, search }: Options): string {
  if (cause !== undefined || search !== undefined) return "No suppressed address matches.";
  return config.suppressAfter === 0
    ? "No address is suppressed. Refusals suppress none (SUPPRESS_AFTER=0)."
    : "No address is suppressed.";
}

function limitOf({ limit = String(LIMIT_DEFAULT) }: Options): number {
  const number = /^\d{1,9}$/.test(String(limit)) ? Number(limit) : 0;
  if (number >= 1 && number <= LIMIT_MAX) return number;
  throw new UsageError(`--limit '${limit}' is not a whole number from 1 to ${LIMIT_MAX}`);
}

async function findAll({ store }: CommandContext, filter: Omit<ListRequest, "limit" | "cursor">, limit: number) {
  const addresses: SuppressedAddress[] = [];
  let at: { cursor?: string } = {};
  for (;;) {
    const page = await listSuppressions(store, {
      ...filter,
      ...at,
      limit: Math.min(PAGE_MAX, limit - addresses.length),
    });
    if (page === "invalid_cursor") throw new Error("the list does not take its own cursor");
    addresses.push(...page.data);
    if (page.next === null || addresses.length >= limit) return { addresses, isMore: page.next !== null };
    at = { cursor: page.next };
  }
}

function blockOf(address: SuppressedAddress): string {
  const { email, cause, refusals } = address;
  return [
    `${sanitizeLine(email)}  ${SUPPRESSION_NAMES[cause]}, suppressed ${suppressedPeriod(address)}`,
    ...refusals.flatMap((refusal) => refusalLines(refusal, "  ")),
  ].join("\n");
}

export const addSuppressionsCommand: Implementation = {
  async run({ store, account, nowMs }, { positionals, options }) {
    const given = givenSuppression(options, nowMs);
    const result = await addSuppressions(store, { accountId: account.id, entries: positionals, ...given, nowMs });
    const { added, changed, already, invalid, faults } = result;
    const json = {
      added,
      changed,
      already,
      invalid,
      faults: faults.map(({ at, ...fault }) => ({ index: at, ...fault })),
    };
    const text = [countsText(result), ...faults.map(({ email, detail }) => `  ${email}: ${detail}`)].join("\n");
    const failure = `${invalid} of ${pluralize(positionals.length, "value")} ${invalid === 1 ? "is not an address" : "are not addresses"}`;
    return { json, text, ...(invalid === 0 ? {} : { failure }) };
  },
};

/** What an addition did. */
export const countsText = ({ added, changed, already, invalid }: AddResult): string =>
  `added ${added}, changed ${changed}, already suppressed ${already}, invalid ${invalid}`;

export const testSuppressionCommand: Implementation = {
  async run(context, { positionals: [email = ""] }) {
    const mailbox = parseMailbox(email);
    if (mailbox.type === "invalid") throw new Refusal(`${email} is not an email address: ${mailbox.detail}`);
    const found = await testAddress(context.store, { ...filterOf(context, {}), email });
    if (found === null) return { json: null, text: `${email} is not suppressed.` };
    return { json: suppressionView(found), text: blockOf(found) };
  },
};

export const removeSuppressionCommand: Implementation = {
  async run({ store, account }, { positionals: [email = ""] }) {
    if (!(await removeSuppression(store, { accountId: account.id, email }))) {
      throw new Refusal(`the account ${account.name} has no refusals of ${email}, and no suppression`);
    }
    const text = `${email} is allowed again, and its refusals were deleted: the next message to it is attempted.`;
    return { json: { email, removed: true }, text };
  },
};
