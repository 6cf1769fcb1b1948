/**
 * What was asked in the search form, as a filter for the spool. Times are of UTC. What cannot be read is left out: a
 * link that somebody has cut still shows something.
 */

import { CATEGORIES, type Category } from "../../message/category.ts";
import { isMessageId } from "../../message/ids.ts";
import type { Result } from "../../message/outcome.ts";
import type { MessageFilter } from "../../spool/port/reports.ts";

const PAGE_MESSAGES = 50;
const TEXT_LENGTH_MAX = 500;
const RESULTS: readonly string[] = ["delivered", "failed", "pending", "unknown"] satisfies Result[];

export interface Search {
  /** As typed, to be shown again and to be part of links. */
  fields: Record<SearchField, string>;
  /** A message's id was asked for. */
  id: string | null;
  filter: Omit<MessageFilter, "accountId">;
  /** Whether anything narrows the list. */
  narrowed: boolean;
}

export const SEARCH_FIELDS = ["q", "subject", "result", "category", "key", "domain", "since", "until"] as const;
export type SearchField = (typeof SEARCH_FIELDS)[number];

export function readSearch(query: Record<string, string | string[] | undefined>): Search {
  const textOf = (name: string): string => {
    const value = query[name];
    return typeof value === "string" ? value.trim().slice(0, TEXT_LENGTH_MAX) : "";
  };
  const fields = Object.fromEntries(SEARCH_FIELDS.map((name) => [name, textOf(name)])) as Record<SearchField, string>;
  const sinceMs = timeOf(fields.since);
  const untilMs = timeOf(fields.until);
  const asksForId = fields.q.startsWith("msg_");
  const filter = {
    limit: PAGE_MESSAGES,
    ...given("recipient", asksForId ? "" : fields.q),
    ...given("subject", fields.subject),
    ...given("keyId", fields.key),
    ...given("senderDomain", fields.domain),
    ...(RESULTS.includes(fields.result) ? { result: fields.result as Result } : {}),
    ...(isCategory(fields.category) ? { category: fields.category } : {}),
    ...(sinceMs === null ? {} : { sinceMs }),
    ...(untilMs === null ? {} : { untilMs }),
    ...given("cursor", textOf("before")),
  };
  const narrowed = SEARCH_FIELDS.some((name) => fields[name] !== "");
  return { fields, id: asksForId ? (isMessageId(fields.q) ? fields.q : "msg_") : null, filter, narrowed };
}

const isCategory = (text: string): text is Category => (CATEGORIES as readonly string[]).includes(text);

function given<Name extends string>(name: Name, text: string): Partial<Record<Name, string>> {
  return text === "" ? {} : ({ [name]: text } as Partial<Record<Name, string>>);
}

/** `2026-03-14T09:05` as browsers send it. */
function timeOf(text: string): number | null {
  const ms = Date.parse(/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/.test(text) ? `${text}Z` : text);
  return text === "" || Number.isNaN(ms) ? null : ms;
}
