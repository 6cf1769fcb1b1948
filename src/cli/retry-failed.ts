/**
 * Failed recipients sent again, for `queue retry --failed`: which ones are meant, in steps between which the service's own
 * writes have their turn, and what the answer says.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { isTime } from "../http/query.ts";
import { CATEGORIES, type Category } from "../message/category.ts";
import { FAILED_REASONS } from "../message/reasons.ts";
import { parseDuration } from "../message/retry.ts";
import type { FailedFilter } from "../spool/port/operations.ts";
import { type CommandAnswer, counted, type Surroundings, UsageError, type Words } from "./command.ts";
import { domainName } from "./domain-name.ts";

/** Failed recipients looked at in one transaction, and the pause after it. */
const STEP_RECIPIENTS = 250;
const PAUSE_MS = 20;

/** Ids of messages in the answer. */
const IDS_MAX = 1000;

type Filter = Omit<FailedFilter, "accountId">;

export interface Retried {
  count: number;
  /** By category; `none` for results of before categories were stored. */
  categories: Map<string, number>;
  ids: Set<string>;
  contentDeleted: number;
  pastDeadline: number;
  unreadable: number;
}

const FILTERS = ["reason", "category", "domain", "since", "dry-run"] as const;

export const isFiltered = (options: Words["options"]): boolean => FILTERS.some((name) => options[name] !== undefined);

/** The filter that the options ask for. Throws UsageError. */
export function filterOf(options: Words["options"], nowMs: number): Filter {
  const { reason, category, domain, since } = options;
  return {
    ...(typeof reason === "string" ? { reason: oneOf("reason", FAILED_REASONS, reason) } : {}),
    ...(typeof category === "string" ? { category: oneOf("category", CATEGORIES, category) as Category } : {}),
    ...(typeof domain === "string" ? { domain: domainName(domain) } : {}),
    ...(typeof since === "string" ? { sinceMs: momentOf(since, nowMs) } : {}),
  };
}

function oneOf(name: string, values: readonly string[], given: string): string {
  if (values.includes(given)) return given;
  throw new UsageError(`--${name} '${given}' is not known; it is one of ${values.join(", ")}`);
}

/** A time by RFC 3339, or a duration before now. */
function momentOf(given: string, nowMs: number): number {
  const beforeMs = parseDuration(given);
  if (beforeMs !== null) return nowMs - beforeMs;
  if (isTime(given)) return Date.parse(given);
  throw new UsageError(`--since '${given}' is neither a time such as 2026-03-01T10:00:00Z nor a duration such as 2h`);
}

/** Every step is durable by itself: after a fault, the same command goes on where this one stopped. */
export async function retryFailed(
  { store, account, config, nowMs }: Surroundings,
  filter: Filter,
  dryRun: boolean,
): Promise<Retried> {
  const stay = { contentDeleted: 0, pastDeadline: 0, unreadable: 0 };
  const retried: Retried = { count: 0, categories: new Map(), ids: new Set(), ...stay };
  const step = { ...filter, accountId: account.id, nowMs, expiresAtMs: nowMs + config.retryMaxAgeMs, dryRun };
  let after: string | null = null;
  do {
    if (after !== null) await sleep(PAUSE_MS);
    const done = await store.retryFailed({ ...step, limit: STEP_RECIPIENTS, after });
    const { recipients, next } = done;
    for (const { messageId, category } of recipients) {
      const name = category ?? "none";
      retried.categories.set(name, (retried.categories.get(name) ?? 0) + 1);
      if (retried.ids.size < IDS_MAX) retried.ids.add(messageId);
    }
    retried.count += recipients.length;
    retried.contentDeleted += done.contentDeleted;
    retried.pastDeadline += done.pastDeadline;
    retried.unreadable += done.unreadable;
    after = next;
  } while (after !== null);
  return retried;
}

export function failedAnswer(retried: Retried, dryRun: boolean): CommandAnswer {
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
    ...stayLine(contentDeleted, "the content was deleted after RETENTION_BODY"),
    ...stayLine(pastDeadline, "the sender's expires_in is over"),
    ...stayLine(unreadable, "what is stored of it is damaged"),
  ];
  return { json, text: lines.join("\n") };
}

function countLine({ count, categories }: Retried, dryRun: boolean): string {
  if (count === 0) return "No failed recipient to retry.";
  const verb = dryRun ? "would be" : count === 1 ? "is" : "are";
  const byCategory = [...categories].map(([name, number]) => `${name} ${number}`).join(", ");
  return `${counted(count, "failed recipient")} ${verb} due now (${byCategory}).`;
}

function stayLine(count: number, why: string): string[] {
  return count === 0 ? [] : [`${counted(count, "recipient")} ${count === 1 ? "stays" : "stay"} failed: ${why}.`];
}
