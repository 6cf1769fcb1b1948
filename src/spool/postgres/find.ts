/**
 * Finds messages, the newest first, one page at a time, backwards and forwards. search.ts decides how an index is searched. Messages are in the order of
 * their numbers, which is that of their acceptance: nodes whose clocks differ accept at the same time by different clocks.
 */
import type { FoundMessages, MessageFilter, NewerFilter, NewerMessages } from "../port/reports.ts";
import { FoundPage, PAGE_BYTES_MAX, type SearchEnd } from "../records/found-page.ts";
import { readFound } from "./found.ts";
import { dayOfNumber, firstNumberAt, numberAfter } from "./message-number.ts";
import type { ReportRead } from "./report-queue.ts";
import { Search, type SearchLimits } from "./search.ts";
import { runSearch, SearchSql } from "./search-sql.ts";
import { type SearchRange, type SearchTime, searchWindows } from "./search-windows.ts";
import { type Session, statement, unprepared } from "./statement.ts";
import { storedText } from "./stored-text.ts";

export interface FindLimits extends SearchLimits {
  /** As PAGE_BYTES_MAX. */
  pageBytesMax: number;
}

export const FIND_LIMITS: FindLimits = { rangeRows: 5000, rowsMax: 50_000, pageBytesMax: PAGE_BYTES_MAX };

const findDays = statement<{ day: number }>("SELECT day FROM partitions WHERE NOT dropped ORDER BY day DESC");
const findPosition = statement<{ seq: number }>("SELECT seq FROM messages WHERE id = $1 AND account_id = $2");

const findEnd = statement<SearchEnd>(`SELECT id, created_at_ms AS "atMs" FROM messages WHERE seq = $1`);

// Not prepared, as the statements of a search. Rows are compared: only the index of keys has the order then.
const findAfter = unprepared<{ seq: number }>(
  `SELECT seq FROM messages
     WHERE (key_id, seq) >= ($1, $2::bigint) AND (key_id, seq) < ($1, $3::bigint) AND seq >= $2 AND seq < $3
       AND account_id = $4 ORDER BY key_id, seq LIMIT $5`,
);

/** As Reports.find. */
export async function findMessages(
  read: ReportRead,
  filter: MessageFilter,
  { nowMs, limits = FIND_LIMITS }: { nowMs: number; limits?: FindLimits },
): Promise<FoundMessages> {
  const time = await read((session) => timeOf(session, filter, nowMs));
  const searched = await new Search(read, filter, limits).run(searchWindows(time));
  return read(async (session) => {
    const { endedEarlyAt } = searched;
    const end = endedEarlyAt === null ? null : await endOf(session, filter, { ...time, beforeSeq: endedEarlyAt + 1 });
    const seqs = end?.isFound ? [...searched.seqs, end.seq] : searched.seqs;
    const page = new FoundPage(limits.pageBytesMax);
    for (const message of await readFound(session, seqs.slice(0, filter.limit))) if (!page.add(message)) break;
    return page.end(seqs.length > filter.limit, end);
  });
}

/** As Reports.findNewer. */
export async function findNewerMessages(
  read: ReportRead,
  { accountId, keyId, after, limit }: NewerFilter,
  { nowMs, limits = FIND_LIMITS }: { nowMs: number; limits?: FindLimits },
): Promise<NewerMessages> {
  const page = new FoundPage(limits.pageBytesMax);
  const time = await read((session) => timeSince(session, { accountId, after }, nowMs));
  if (time === null) return page.endNewer(false);
  const seqs: number[] = [];
  for (const { fromSeq, beforeSeq } of searchWindows(time).reverse()) {
    if (seqs.length > limit) break;
    const values = [storedText(keyId), fromSeq, beforeSeq, accountId, limit + 1 - seqs.length];
    const { rows } = await read((session) => session.run(findAfter, values));
    seqs.push(...rows.map(({ seq }) => seq));
  }
  const found = await read((session) => readFound(session, seqs.slice(0, limit)));
  for (const message of found) if (!page.add(message)) break;
  return page.endNewer(seqs.length > limit);
}

/** A cursor that cannot be read counts as none. */
async function timeOf(session: Session, filter: MessageFilter, nowMs: number): Promise<SearchTime> {
  const { accountId, cursor, sinceMs, untilMs } = filter;
  const position = cursor === undefined ? null : await positionOf(session, cursor, accountId);
  const untilSeq = untilMs === undefined ? Number.MAX_SAFE_INTEGER : numberAfter(untilMs);
  return {
    ...(await daysOf(session, nowMs)),
    fromSeq: sinceMs === undefined ? Number.MIN_SAFE_INTEGER : firstNumberAt(sinceMs),
    beforeSeq: position ?? untilSeq,
  };
}

/** The time after a message; null if the account has no such message. */
async function timeSince(
  session: Session,
  { accountId, after }: Pick<NewerFilter, "accountId" | "after">,
  nowMs: number,
): Promise<SearchTime | null> {
  const position = await positionOf(session, after, accountId);
  if (position === null) return null;
  return { ...(await daysOf(session, nowMs)), fromSeq: position + 1, beforeSeq: Number.MAX_SAFE_INTEGER };
}

async function positionOf(session: Session, id: string, accountId: string): Promise<number | null> {
  const { rows } = await session.run(findPosition, [storedText(id), accountId]);
  return rows[0]?.seq ?? null;
}

async function daysOf(session: Session, nowMs: number): Promise<Pick<SearchTime, "days" | "today">> {
  const days = (await session.run(findDays)).rows.map(({ day }) => day);
  return { days, today: dayOfNumber(firstNumberAt(nowMs)) };
}

/**
 * Returns the last message searched of a search that ended early, which is the next page's cursor; null at the end. It is one of
 * the filter's key, if any, because a client of the API pages with its own key's messages: so the search goes on to the next one.
 */
async function endOf(
  session: Session,
  filter: MessageFilter,
  range: SearchRange,
): Promise<(SearchEnd & { seq: number; isFound: boolean }) | null> {
  const { accountId, keyId } = filter;
  const [index, scope] = keyId === undefined ? (["account", {}] as const) : (["key", { keyId }] as const);
  const newest = new SearchSql({ accountId, ...scope, limit: 1 }, index, range);
  const [next] = await runSearch(session, newest.page(1, 1));
  if (next === undefined) return null;
  const { seq } = next;
  const found = new SearchSql(filter, index, { fromSeq: seq, beforeSeq: seq + 1 });
  const isSearched = seq === range.beforeSeq - 1;
  const isFound = !isSearched && (await runSearch(session, found.page(1, 1))).length > 0;
  const [end] = (await session.run(findEnd, [seq])).rows;
  return end === undefined ? null : { ...end, seq, isFound };
}
