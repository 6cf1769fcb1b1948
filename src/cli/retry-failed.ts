/** `queue retry --failed`: its filters, and what it reports. The filters of `queue retry --unknown` are in bulk.ts. */
import type { RetriedRecipients } from "../app/decide/retry-failed.ts";
import type { Category } from "../message/result/category.ts";
import type { HostSet } from "../receivers/names.ts";
import { hostsOf } from "../receivers/receiver.ts";
import type { FailedFilter } from "../spool/port/operations.ts";
import { type CommandResult, type ParsedArguments, pluralize, UsageError } from "./command.ts";
import { recipientDomain } from "./recipient-domain.ts";
import { parseSince } from "./since.ts";

type Options = ParsedArguments["options"];

const OF_FAILED = ["reason", "category", "receiver"] as const;
const OF_UNKNOWN = ["tag", "test"] as const;
const OF_BOTH = ["domain", "since", "dry-run"] as const;

/** Throws UsageError for a filter of `queue retry` without what it narrows. */
export function checkFilters(options: Options): void {
  const given = <Name extends string>(names: readonly Name[]) => names.find((name) => options[name] !== undefined);
  if (options.failed === true && options.unknown === true) {
    throw new UsageError("--failed and --unknown exclude each other");
  }
  const ofFailed = options.failed === true ? undefined : given(OF_FAILED);
  if (ofFailed !== undefined) throw new UsageError(`--${ofFailed} needs --failed`);
  const ofUnknown = options.unknown === true ? undefined : given(OF_UNKNOWN);
  if (ofUnknown !== undefined) throw new UsageError(`--${ofUnknown} needs --unknown`);
  const ofBoth = options.failed === true || options.unknown === true ? undefined : given(OF_BOTH);
  if (ofBoth !== undefined) throw new UsageError(`--${ofBoth} needs --failed or --unknown`);
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
  if (count === 0) return "No failed recipient to retry.";
  const verb = dryRun ? "would be" : count === 1 ? "is" : "are";
  const byCategory = [...categories].map(([name, number]) => `${name} ${number}`).join(", ");
  return `${pluralize(count, "failed recipient")} ${verb} due now (${byCategory}).`;
}

function unchangedLine(count: number, reason: string): string[] {
  return count === 0 ? [] : [`${pluralize(count, "recipient")} ${count === 1 ? "stays" : "stay"} failed: ${reason}.`];
}
