/** `queue retry --failed`: its filters, and what it reports. */
import type { RetriedRecipients } from "../app/retry-failed.ts";
import type { Category } from "../message/category.ts";
import type { FailedFilter } from "../spool/port/operations.ts";
import { type CommandResult, type ParsedArguments, pluralize } from "./command.ts";
import { recipientDomain } from "./recipient-domain.ts";
import { parseSince } from "./since.ts";

type Options = ParsedArguments["options"];

const FILTERS = ["reason", "category", "domain", "since", "dry-run"] as const;

export const isFiltered = (options: Options): boolean => FILTERS.some((name) => options[name] !== undefined);

/** The filter that the options describe; parsing has checked the reason and the category. Throws UsageError. */
export function filterOf(options: Options, nowMs: number): Omit<FailedFilter, "accountId"> {
  const { reason, category, domain, since } = options;
  return {
    ...(typeof reason === "string" ? { reason } : {}),
    ...(typeof category === "string" ? { category: category as Category } : {}),
    ...(typeof domain === "string" ? { domain: recipientDomain(domain) } : {}),
    ...(typeof since === "string" ? { sinceMs: parseSince(since, nowMs) } : {}),
  };
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
