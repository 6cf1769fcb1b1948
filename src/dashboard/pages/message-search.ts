/**
 * Parses the search form's query into a filter for the spool, and encodes it. Times are UTC. Unparsable values are ignored, so a
 * truncated link still shows a list. app/send/message-query.ts decides what the text of the search box means.
 */
import { isSearchPlace, queryOf, type SearchPlace } from "../../app/send/message-query.ts";
import { isMessageId } from "../../message/ids.ts";
import { CATEGORIES, type Category } from "../../message/result/category.ts";
import { RESULTS, type Result } from "../../message/result/outcome.ts";
import type { MessageFilter } from "../../spool/port/reports.ts";

/** Messages on a page of the list. */
export const PAGE_MESSAGES = 50;

const TEXT_LENGTH_MAX = 500;
const KINDS: readonly string[] = ["live", "test"];

/** The fields of a search: what a link to it has, without the place in the list. */
export const SEARCH_FIELDS = [
  "q",
  "in",
  "result",
  "category",
  "kind",
  "from",
  "subject",
  "tag",
  "key",
  "domain",
  "since",
  "until",
  "reason",
  "result_since",
  "result_until",
] as const;

export type SearchField = (typeof SEARCH_FIELDS)[number];

/** What a search selects, without the account. */
type SearchFilter = Omit<MessageFilter, "accountId" | "cursor" | "after" | "limit">;

export interface Search {
  /** The values as typed, for the form and for links; "" for those that are absent or mean nothing. */
  fields: Record<SearchField, string>;
  /** The message id that was searched for; null without one. */
  id: string | null;
  filter: SearchFilter;
  /** Where the list begins; empty for the newest messages. */
  position: Pick<MessageFilter, "cursor" | "after">;
  /** Whether any field restricts the list. */
  narrowed: boolean;
}

type Query = Record<string, string | string[] | undefined>;

/** Parses a query. Never throws. */
export function readSearch(query: Query): Search {
  const typed = Object.fromEntries(SEARCH_FIELDS.map((name) => [name, textOf(query, name)])) as Search["fields"];
  const place = isSearchPlace(typed.in) ? typed.in : null;
  const asked = queryOf(typed.q, place);
  const own = asked.type === "id" ? {} : asked.filter;
  const fields = { ...typed, ...soundFields(typed), ...withoutRepeated(typed, place), in: place ?? "" };
  const [after, before] = [textOf(query, "after"), textOf(query, "before")];
  return {
    fields,
    id: asked.type === "filter" ? null : isMessageId(asked.id) ? asked.id : "msg_",
    filter: { ...filterOf(fields), ...own },
    position: { ...(after === "" ? optional("cursor", before) : { after }) },
    narrowed: SEARCH_FIELDS.some((name) => name !== "in" && fields[name] !== ""),
  };
}

/** Encodes a search as a query string, for links: at a position, or from the newest messages on. */
export function searchQuery({ fields }: Pick<Search, "fields">, position: Search["position"] = {}): URLSearchParams {
  const query = new URLSearchParams();
  for (const name of SEARCH_FIELDS) if (fields[name] !== "") query.set(name, fields[name]);
  if (fields.q === "") query.delete("in");
  if (position.cursor !== undefined) query.set("before", position.cursor);
  if (position.after !== undefined) query.set("after", position.after);
  return query;
}

/** The link to a search. */
export function messagesPath(search: Pick<Search, "fields">, position: Search["position"] = {}): string {
  const query = searchQuery(search, position);
  return `/dashboard/messages${query.size === 0 ? "" : `?${query}`}`;
}

/** Whether the list begins with the newest messages. */
export const isFirst = ({ position }: Pick<Search, "position">): boolean =>
  position.cursor === undefined && position.after === undefined;

function textOf(query: Query, name: string): string {
  const value = query[name];
  return typeof value === "string" ? value.trim().slice(0, TEXT_LENGTH_MAX) : "";
}

/** The fields with a set of values, "" for another one. */
function soundFields({ result, category, kind, ...fields }: Search["fields"]): Partial<Search["fields"]> {
  return {
    result: RESULTS.some((known) => known === result) ? result : "",
    category: isCategory(category) ? category : "",
    kind: KINDS.includes(kind) ? kind : "",
    since: timeFieldOf(fields.since),
    until: timeFieldOf(fields.until),
    result_since: timeFieldOf(fields.result_since),
    result_until: timeFieldOf(fields.result_until),
  };
}

/** The search box takes the place of the field that searches the same. */
function withoutRepeated({ q }: Search["fields"], place: SearchPlace | null): Partial<Search["fields"]> {
  if (q === "") return {};
  if (place === "sender") return { from: "" };
  return place === "subject" || place === "tag" ? { [place]: "" } : {};
}

function filterOf({ result, category, kind, ...fields }: Search["fields"]): SearchFilter {
  const sinceMs = timeOf(fields.since);
  const untilMs = timeOf(fields.until);
  const resultSinceMs = timeOf(fields.result_since);
  const resultUntilMs = timeOf(fields.result_until);
  return {
    ...optional("from", fields.from),
    ...optional("subject", fields.subject),
    ...optional("tag", fields.tag),
    ...optional("keyId", fields.key),
    ...(fields.domain === "" ? {} : { senderDomains: [fields.domain] }),
    ...(result === "" ? {} : { result: result as Result }),
    ...(isCategory(category) ? { category } : {}),
    ...(kind === "" ? {} : { test: kind === "test" }),
    ...optional("reason", fields.reason),
    ...(resultSinceMs === null ? {} : { resultSinceMs }),
    ...(resultUntilMs === null ? {} : { resultUntilMs }),
    ...(sinceMs === null ? {} : { sinceMs }),
    ...(untilMs === null ? {} : { untilMs }),
  };
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

/** Returns a time in the format of datetime-local fields; "" for anything that is no time. */
function timeFieldOf(text: string): string {
  const ms = timeOf(text);
  return ms === null ? "" : new Date(ms).toISOString().slice(0, ms % 60_000 === 0 ? 16 : 19);
}
