/** Pages of lists that are read as a whole: the newest first, by `limit` and a cursor, which is the id of an item. */
import type { Context } from "koa";
import { invalidQuery, type QuerySchema, queryReader } from "../../http/request/query.ts";

const LIMIT_DEFAULT = 20;
const LIMIT_MAX = 100;
const CURSOR_TEXT = "the id of an item of this list";
const CURSOR = { type: "string", minLength: 1, maxLength: 100, description: CURSOR_TEXT } as const;

/** The parameters of such a list. */
export const PAGE_QUERY = {
  limit: {
    type: "integer",
    minimum: 1,
    maximum: LIMIT_MAX,
    default: LIMIT_DEFAULT,
    description: `a whole number from 1 to ${LIMIT_MAX}`,
  },
  after: CURSOR,
  before: CURSOR,
} as const satisfies QuerySchema;

const readQuery = queryReader(PAGE_QUERY);

/** Returns the page that a request asks for. Throws a Problem. */
export function pageOf<T extends { id: string; createdAtMs: number }>(ctx: Context, items: readonly T[]) {
  const { limit = LIMIT_DEFAULT, after, before } = readQuery(ctx);
  if (after !== undefined && before !== undefined) {
    throw invalidQuery([{ field: "before", detail: "Must not be given together with after." }]);
  }
  const sorted = items.toSorted((a, b) => b.createdAtMs - a.createdAtMs || (a.id < b.id ? -1 : 1));
  const placeOf = (field: string, id: string): number => {
    const place = sorted.findIndex((item) => item.id === id);
    if (place === -1) throw invalidQuery([{ field, detail: `Must be ${CURSOR_TEXT}.` }]);
    return place;
  };
  if (before !== undefined) {
    const newer = sorted.slice(0, placeOf("before", before));
    return { data: newer.slice(-limit), hasMore: newer.length > limit };
  }
  const older = after === undefined ? sorted : sorted.slice(placeOf("after", after) + 1);
  return { data: older.slice(0, limit), hasMore: older.length > limit };
}
