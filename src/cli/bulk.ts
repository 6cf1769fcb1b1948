/**
 * Actions on all recipients of a search: `queue resolve --unknown`, `queue cancel --pending`, `queue retry --unknown` and `queue retry
 * --pending`. Which recipients an action is about is decided in app/decide/bulk-actions.ts.
 */
import {
  ACTED_RESULTS,
  type BulkAction,
  type BulkFilter,
  type BulkParts,
  type BulkTotals,
  countBulk,
  NO_TOTALS,
  runBulk,
  UNLIMITED,
} from "../app/decide/bulk-actions.ts";
import { changedSince, restOf } from "../app/decide/bulk-outcome-text.ts";
import { systemClock } from "../lib/clock.ts";
import { type CommandContext, type CommandResult, type ParsedArguments, pluralize, UsageError } from "./command.ts";
import { recipientDomain } from "./recipient-domain.ts";
import { parseSince } from "./since.ts";

type Options = ParsedArguments["options"];

/** The options that go with the one that selects all recipients. */
const SEARCH_OPTIONS = ["domain", "since", "tag", "test", "dry-run"] as const;

/** Whether the command is about all recipients, by the option `flag`, or about one message. Throws UsageError. */
export function isAboutAll(flag: "unknown" | "pending", { positionals: [id], options }: ParsedArguments): boolean {
  if (options[flag] === true) {
    if (id !== undefined) throw new UsageError(`--${flag} is about all messages: leave out ${id}, or --${flag}`);
    return true;
  }
  const stray = SEARCH_OPTIONS.find((name) => options[name] !== undefined);
  if (stray !== undefined) throw new UsageError(`--${stray} needs --${flag}`);
  if (id === undefined) throw new UsageError(`ID is missing; for all ${flag} recipients, add --${flag}`);
  return false;
}

/** An action in the words of its command. */
export interface BulkCommand {
  action: BulkAction;
  /** The question before it; `recipients` is such as `3 unknown recipients`. Null for none. */
  question: ((recipients: string) => string) | null;
  /** What recipients are afterwards, and what they would be. */
  done: string;
  wouldBe: string;
  /** The member of the JSON that counts them, and that of a dry run. */
  counted: string;
  wouldCount: string;
  /** Further members of the JSON. */
  more?: (totals: BulkTotals) => Record<string, unknown>;
}

export const bulkParts = ({ store }: CommandContext): BulkParts => ({
  spool: store,
  reports: store.reports,
  monotonicMs: () => systemClock.monotonicMs(),
});

/** Counts the recipients that the options select, asks, and acts until all of them are done. */
export async function runOnAll(
  context: CommandContext,
  command: BulkCommand,
  options: Options,
): Promise<CommandResult> {
  const { store, config, confirm } = context;
  const { action, question, wouldBe, counted, wouldCount } = command;
  const result = ACTED_RESULTS[action];
  const request = { action, filter: filterOf(context, result, options) };
  const monotonicMs = () => systemClock.monotonicMs();
  const scope = await countBulk(store.reports, request, {
    nowMs: systemClock.now(),
    monotonicMs,
    limits: UNLIMITED,
  });
  const kind = `${result}${options.test === true ? " test" : ""} recipient`;
  if (options["dry-run"] === true) {
    const text = `${pluralize(scope.recipients, kind)} would be ${wouldBe}.`;
    return { json: { [counted]: 0, [wouldCount]: scope.recipients }, text };
  }
  if (scope.recipients === 0) {
    return { json: jsonOf(command, 0, NO_TOTALS), text: `There is no such ${kind}.` };
  }
  if (question !== null) await confirm(question(pluralize(scope.recipients, kind)), { isRequired: true });
  const totals = await runBulk(
    bulkParts(context),
    { ...request, scope, by: context.by, maxAgeMs: config.retryMaxAgeMs },
    () => systemClock.now(),
  );
  const lines = [{ count: totals.done, text: `${totals.done === 1 ? "is" : "are"} ${command.done}` }];
  const text = [...lines, ...restOf(scope.recipients, totals)]
    .map((line) => `${pluralize(line.count, "recipient")} ${line.text}.`)
    .join("\n");
  return { json: jsonOf(command, scope.recipients, totals), text };
}

const jsonOf = ({ counted, more }: BulkCommand, recipients: number, totals: BulkTotals) => ({
  [counted]: totals.done,
  ...more?.(totals),
  unreadable: totals.unreadable,
  changed: changedSince(recipients, totals),
});

function filterOf(
  { account, nowMs }: CommandContext,
  result: (typeof ACTED_RESULTS)[BulkAction],
  { domain, reason, since, tag, test }: Options,
): BulkFilter {
  const sinceMs = typeof since === "string" ? parseSince(since, nowMs) : undefined;
  return {
    accountId: account.id,
    ...(typeof domain === "string" ? { recipient: `@${recipientDomain(domain)}` } : {}),
    ...(typeof tag === "string" ? { tag } : {}),
    ...(typeof reason === "string" ? { reason } : {}),
    ...(sinceMs === undefined ? {} : result === "pending" ? { sinceMs } : { resultSinceMs: sinceMs }),
    test: test === true,
  };
}
