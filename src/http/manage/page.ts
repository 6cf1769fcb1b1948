/** Pages of lists that are read as a whole, because an account or the installation has a limited number of entries. */
import type { QuerySchema } from "../request/query.ts";
import { invalidQuery, LIMIT_DEFAULT, LIMIT_PARAMETER } from "../request/query.ts";
import type { ManageRequest, Page } from "./operation.ts";

const CURSOR_LENGTH_MAX = 1000;

export const PAGE_QUERY = {
  limit: LIMIT_PARAMETER,
  after: {
    type: "string",
    minLength: 1,
    maxLength: CURSOR_LENGTH_MAX,
    description: "next of the page before",
  },
} as const satisfies QuerySchema;

export const limitOf = ({ query }: Pick<ManageRequest, "query">): number => Number(query.limit ?? LIMIT_DEFAULT);

/**
 * The page of the items behind the cursor, in the order of their keys. A key names its item permanently, so removing an item moves no
 * other item to another page.
 */
export function pageOf<T>(
  { query }: Pick<ManageRequest, "query">,
  items: readonly T[],
  keyOf: (item: T) => string,
): Page<T> {
  const limit = limitOf({ query });
  const after = query.after === undefined ? null : readCursor(String(query.after));
  const sorted = items.map((item) => ({ item, key: keyOf(item) })).toSorted(byKey);
  const rest = after === null ? sorted : sorted.filter(({ key }) => key > after);
  const page = rest.slice(0, limit);
  const last = page.at(-1);
  const next = last === undefined || rest.length <= limit ? null : Buffer.from(last.key).toString("base64url");
  return { data: page.map(({ item }) => item), next };
}

const byKey = (a: { key: string }, b: { key: string }): number => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0);

/** Throws the 400 problem for a text that no page has returned. */
function readCursor(text: string): string {
  const key = Buffer.from(text, "base64url").toString("utf8");
  if (key !== "" && Buffer.from(key).toString("base64url") === text) return key;
  throw invalidQuery([{ field: "after", detail: `Must be ${PAGE_QUERY.after.description}.` }]);
}

/** A sortable key of a time and an id, the earliest first. */
export const timeKey = (atMs: number, id: string): string => `${String(atMs).padStart(15, "0")} ${id}`;

/** The number that a cursor of a list of numbered entries is; null without one. Throws the 400 problem. */
export function readNumberCursor(after: string | number | undefined): number | null {
  if (after === undefined) return null;
  if (/^\d{1,15}$/.test(String(after))) return Number(after);
  throw invalidQuery([{ field: "after", detail: `Must be ${PAGE_QUERY.after.description}.` }]);
}
