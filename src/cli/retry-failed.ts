/** `queue retry --failed`: its filters, and what it reports. Those of --unknown and --pending are in bulk.ts. */
import type { RetriedRecipients } from "../app/decide/retry-failed.ts";
import type { Category } from "../message/result/category.ts";
import { FAILED_REASONS } from "../message/result/reasons.ts";
import type { HostSet } from "../receivers/names.ts";
import { hostsOf } from "../receivers/receiver.ts";
import type { FailedFilter } from "../spool/port/operations.ts";
import { type CommandResult, type ParsedArguments, pluralize, UsageError } from "./command.ts";
import { recipientDomain } from "./recipient-domain.ts";
import { parseSince } from "./since.ts";

type Options = ParsedArguments["options"];

const SELECTIONS = ["failed", "pending", "unknown"] as const;

/** What each filter narrows. */
const NARROWS: Readonly<Record<string, readonly (typeof SELECTIONS)[number][]>> = {
  reason: ["failed", "pending"],
  category: ["failed"],
  receiver: ["failed"],
  tag: ["pending", "unknown"],
  test: ["pending", "unknown"],
  domain: SELECTIONS,
  since: SELECTIONS,
  "dry-run": SELECTIONS,
};

/** Throws UsageError for a filter of `queue retry` without what it narrows. */
export function checkFilters(options: Options): void {
  const [selected, another] = SELECTIONS.filter((name) => options[name] === true);
  if (another !== undefined) throw new UsageError(`--${selected} and --${another} exclude each other`);
  for (const [filter, narrowed] of Object.entries(NARROWS)) {
    if (options[filter] === undefined || (selected !== undefined && narrowed.includes(selected))) continue;
    throw new UsageError(`--${filter} needs ${narrowed.map((name) => `--${name}`).join(" or ")}`);
  }
  const { failed, reason } = options;
  if (failed === true && typeof reason === "string" && !FAILED_REASONS.includes(reason))
    throw new UsageError(
      `--reason ${reason}: no recipient fails for it; with --failed it is one of ${FAILED_REASONS.join(", ")}`,
    );
}

/** The filter that the options describe; parsing has checked the reason and the category. Throws UsageError. */
export function filterOf(options: Options, nowMs: number): Omit<FailedFilter, "accountId"> {
  const { reason, category, domain, receiver, since } = options;
  return {
    ...(typeof reason === "string" ? { reason } : {}),
    ...(typeof category === "string" ? { category: category as Category } : {}),
    ...(typeof domain === "string" ? { domain: recipientDomain(domain) } : {}),
    ...(typeof receiver === "string" ? { exchangers: exchangersOf(receiver) } : {}),
    ...(typeof since === "string" ? { sinceMs: parseSince(since, nowMs) } : {}),
  };
}

function exchangersOf(typed: string): HostSet {
  const hosts = hostsOf(typed.trim().toLowerCase());
  if (hosts === null) throw new UsageError(`--receiver ${typed}: no receiver has this name; receivers list shows all`);
  return hosts;
}

export function retriedResult(retried: RetriedRecipients, dryRun: boolean): CommandResult {
  const { count, categories, ids, contentDeleted, pastDeadline, unreadable } = retried;
  const json = {
    retried: dryRun ? 0 : count,
    ...(dryRun ? { would_retry: count } : {}),
    by_category: Object.fromEntries(categories),
    content_deleted: contentDeleted,
    past_expires_in: pastDeadline,
    unreadable,
    ids: [...ids],
  };
  const lines = [
    countLine(retried, dryRun),
    ...unchangedLine(contentDeleted, "the content was deleted after RETENTION_BODY"),
    ...unchangedLine(pastDeadline, "the sender's expires_in is over"),
    ...unchangedLine(unreadable, "the stored message is damaged"),
  ];
  return { json, text: lines.join("\n") };
}

function countLine({ count, categories }: RetriedRecipients, dryRun: boolean): string {
  if (count === 0) return "No failed recipient to send to again.";
  const verb = dryRun ? "would be" : count === 1 ? "is" : "are";
  const byCategory = [...categories].map(([name, number]) => `${name} ${number}`).join(", ");
  return `${pluralize(count, "failed recipient")} ${verb} due now (${byCategory}).`;
}

function unchangedLine(count: number, reason: string): string[] {
  return count === 0 ? [] : [`${pluralize(count, "recipient")} ${count === 1 ? "stays" : "stay"} failed: ${reason}.`];
}
