/**
 * Parses the search form's query into a filter for the spool. Times are UTC. Unparsable values are ignored, so a truncated
 * link still shows a list.
 */
import { CATEGORIES, type Category } from "../../message/category.ts";
import { isMessageId } from "../../message/ids.ts";
import type { Result } from "../../message/outcome.ts";
import type { MessageFilter } from "../../spool/port/reports.ts";

const PAGE_MESSAGES = 50;
const TEXT_LENGTH_MAX = 500;
const RESULTS: readonly string[] = ["delivered", "failed", "pending", "unknown"] satisfies Result[];
const KINDS: readonly string[] = ["live", "test"];

export interface Search {
  /** The values as typed, for the form and for links. */
  fields: Record<SearchField, string>;
  /** The message id that was searched for; null without one. */
  id: string | null;
  filter: Omit<MessageFilter, "accountId">;
  /** Whether any field restricts the list. */
  narrowed: boolean;
}

export const SEARCH_FIELDS = [
  "q",
  "subject",
  "result",
  "category",
  "kind",
  "key",
  "domain",
  "since",
  "until",
  "reason",
  "result_since",
  "result_until",
] as const;
export type SearchField = (typeof SEARCH_FIELDS)[number];

/** Parses a query. Never throws. */
export function readSearch(query: Record<string, string | string[] | undefined>): Search {
  const textOf = (name: string): string => {
    const value = query[name];
    return typeof value === "string" ? value.trim().slice(0, TEXT_LENGTH_MAX) : "";
  };
  const fields = Object.fromEntries(SEARCH_FIELDS.map((name) => [name, textOf(name)])) as Record<SearchField, string>;
  const sinceMs = timeOf(fields.since);
  const untilMs = timeOf(fields.until);
  const resultSinceMs = timeOf(fields.result_since);
  const resultUntilMs = timeOf(fields.result_until);
  const isIdSearch = fields.q.startsWith("msg_");
  const filter = {
    limit: PAGE_MESSAGES,
    ...optional("recipient", isIdSearch ? "" : fields.q),
    ...optional("subject", fields.subject),
    ...optional("keyId", fields.key),
    ...optional("senderDomain", fields.domain),
    ...(RESULTS.includes(fields.result) ? { result: fields.result as Result } : {}),
    ...(isCategory(fields.category) ? { category: fields.category } : {}),
    ...optional("reason", fields.reason),
    ...(resultSinceMs === null ? {} : { resultSinceMs }),
    ...(resultUntilMs === null ? {} : { resultUntilMs }),
    ...(KINDS.includes(fields.kind) ? { test: fields.kind === "test" } : {}),
    ...(sinceMs === null ? {} : { sinceMs }),
    ...(untilMs === null ? {} : { untilMs }),
    ...optional("cursor", textOf("before")),
  };
  const narrowed = SEARCH_FIELDS.some((name) => fields[name] !== "");
  return { fields, id: isIdSearch ? (isMessageId(fields.q) ? fields.q : "msg_") : null, filter, narrowed };
}

const isCategory = (text: string): text is Category => (CATEGORIES as readonly string[]).includes(text);

function optional<Name extends string>(name: Name, text: string): Partial<Record<Name, string>> {
  return text === "" ? {} : ({ [name]: text } as Partial<Record<Name, string>>);
}

/** Parses `2026-03-14T09:05`, the format of datetime-local fields, as UTC; null for anything that is no time. */
export function timeOf(text: string): number | null {
  const ms = Date.parse(/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/.test(text) ? `${text}Z` : text);
  return text === "" || Number.isNaN(ms) ? null : ms;
}
