/**
 * Finds messages, one page at a time, towards the older or the newer ones, and counts them. search.ts decides how an index is
 * searched. Messages are in the order of their numbers, which is that of their acceptance: nodes whose clocks differ accept at the
 * same time by different clocks.
 */
import {
  type ActedCount,
  type ActedFilter,
  type ActedMessage,
  type ActedMessages,
  COUNT_MAX,
  type FoundMessages,
  type FoundRecipients,
  type MessageCount,
  type MessageFilter,
} from "../../../port/reports.ts";
import { ACTED_BYTES_MAX, FoundPage, PAGE_BYTES_MAX, type SearchEnd } from "../../../records/found-page.ts";
import { filtersOf } from "../../../records/searched-filter.ts";
import { type Session, statement } from "../connection/statement.ts";
import { storedText } from "../connection/stored-text.ts";
import { dayOfNumber, firstNumberAt, numberAfter } from "../mail/message-number.ts";
import { readActed, readFound, readRecipients } from "./found-messages.ts";
import type { ReportRead } from "./report-queue.ts";
import { directionOf, Search, type SearchLimits } from "./search-page.ts";
import { type ActedCountRow, orderedIndexOf, runSearch, SearchSql } from "./search-sql.ts";
import { type SearchRange, type SearchTime, searchWindows } from "./search-windows.ts";

export interface FindLimits extends SearchLimits {
  /** As PAGE_BYTES_MAX. */
  pageBytesMax: number;
}

export interface FindOptions {
  nowMs: number;
  limits?: FindLimits;
}

export const FIND_LIMITS: FindLimits = { rangeRows: 5000, rowsMax: 50_000, pageBytesMax: PAGE_BYTES_MAX };

/** A list reads a page and counts. */
const COUNT_LIMITS: FindLimits = { ...FIND_LIMITS, rowsMax: 25_000 };

const findDays = statement<{ day: number }>("SELECT day FROM partitions WHERE NOT dropped ORDER BY day DESC");
const findPosition = statement<{ seq: number }>("SELECT seq FROM messages WHERE id = $1 AND account_id = $2");

const findEnd = statement<SearchEnd>(`SELECT id, created_at_ms AS "atMs" FROM messages WHERE seq = $1`);

/** As Reports.find. */
export const findMessages = (read: ReportRead, filter: MessageFilter, options: FindOptions): Promise<FoundMessages> =>
  findPage(read, { filter, readEach: readFound }, options);

/** As Reports.findRecipients. */
export const findRecipients = (
  read: ReportRead,
  filter: MessageFilter,
  options: FindOptions,
): Promise<FoundRecipients> => findPage(read, { filter, readEach: readRecipients }, options);

/** As Reports.findActed. */
export const findActed = (read: ReportRead, filter: ActedFilter, options: FindOptions): Promise<ActedMessages> => {
  const limited = { ...filter, limit: Math.min(filter.limit, COUNT_MAX) };
  const limits = { ...(options.limits ?? FIND_LIMITS), pageBytesMax: ACTED_BYTES_MAX };
  const readEach: Listing<ActedMessage>["readEach"] = (session, seqs) => readActed(session, seqs, filter);
  return findPage(read, { filter: limited, readEach }, { ...options, limits });
};

/** Messages of the index that one statement counts. */
const ACTED_COUNT_MAX = 15_000;

/** As Reports.countActed: one statement returns the counts, and no row for each recipient. */
export const countActed = (
  read: ReportRead,
  filter: Omit<ActedFilter, "cursor" | "after" | "limit">,
  nowMs: number,
): Promise<ActedCount | null> =>
  read(async (session) => {
    if (!SearchSql.countsActed(filter)) return null;
    const search = { ...filter, limit: ACTED_COUNT_MAX };
    const time = await timeOf(session, search, nowMs);
    if (time === null) return null;
    const sql = () => new SearchSql(search, orderedIndexOf(search), time);
    const [extent] = await runSearch(session, sql().extent(ACTED_COUNT_MAX + 1));
    if ((extent?.rows ?? 0) > ACTED_COUNT_MAX) return null;
    return actedCountOf(await runSearch(session, sql().actedCounts(filter, ACTED_COUNT_MAX)));
  });

function actedCountOf(rows: readonly ActedCountRow[]): ActedCount {
  const all = rows.find(({ isTotal }) => isTotal === 1);
  const domains = new Map(rows.filter((row) => row !== all).map(({ domain, recipients }) => [domain, recipients]));
  if (all === undefined || all.recipients === 0) return { recipients: 0, messages: 0, accepted: null, domains };
  const { recipients, messages, oldestMs, newestMs } = all;
  return { recipients, messages, accepted: { oldestMs, newestMs }, domains };
}

/** As Reports.count. */
export async function countMessages(
  read: ReportRead,
  filter: Omit<MessageFilter, "cursor" | "after" | "limit">,
  options: FindOptions,
): Promise<MessageCount> {
  const { seqs, end } = await search(read, { ...filter, limit: COUNT_MAX }, { limits: COUNT_LIMITS, ...options });
  const [first] = seqs;
  const [newest] = first === undefined ? [] : await read(async (session) => (await session.run(findEnd, [first])).rows);
  return {
    messages: Math.min(seqs.length, COUNT_MAX),
    isExact: seqs.length <= COUNT_MAX && end === null,
    newest: newest?.id ?? null,
  };
}

interface Listing<Message> {
  filter: MessageFilter;
  readEach: (session: Session, seqs: readonly number[], filter: MessageFilter) => Promise<Message[]>;
}

async function findPage<Message extends { id: string }>(
  read: ReportRead,
  { filter, readEach }: Listing<Message>,
  options: FindOptions,
): Promise<ReturnType<FoundPage<Message>["end"]>> {
  const { seqs, end } = await search(read, filter, options);
  const bytesMax = (options.limits ?? FIND_LIMITS).pageBytesMax;
  const page = new FoundPage<Message>({ bytesMax, isNewer: directionOf(filter) === "newer" });
  const messages = await read((session) => readEach(session, seqs.slice(0, filter.limit), filter));
  for (const message of messages) if (!page.add(message)) break;
  return page.end(seqs.length > filter.limit, end);
}

interface Searched {
  /** At most one more than the filter's limit. */
  seqs: number[];
  /** Null if the search did not end early. */
  end: SearchEnd | null;
}

async function search(
  read: ReportRead,
  filter: MessageFilter,
  { nowMs, limits = FIND_LIMITS }: FindOptions,
): Promise<Searched> {
  let found: Searched = { seqs: [], end: null };
  for (const each of filtersOf(filter)) {
    const time = await read((session) => timeOf(session, each, nowMs));
    if (time === null) break;
    found = await searchIn(read, each, { time, limits });
    if (found.seqs.length > 0) break;
  }
  return found;
}

async function searchIn(
  read: ReportRead,
  filter: MessageFilter,
  { time, limits }: { time: SearchTime; limits: SearchLimits },
): Promise<Searched> {
  const { seqs, endedEarlyAt } = await new Search(read, filter, limits).run(searchWindows(time));
  if (endedEarlyAt === null) return { seqs, end: null };
  const rest = directionOf(filter) === "older" ? { beforeSeq: endedEarlyAt + 1 } : { fromSeq: endedEarlyAt };
  const end = await read((session) => endOf(session, filter, { range: { ...time, ...rest }, endedEarlyAt }));
  return { seqs: end?.isFound ? [...seqs, end.seq] : seqs, end };
}

/** The time to search: a `cursor` that cannot be read counts as none. Null if the message of `after` is not the account's. */
async function timeOf(session: Session, filter: MessageFilter, nowMs: number): Promise<SearchTime | null> {
  const { accountId, cursor, after, sinceMs, untilMs } = filter;
  const id = after ?? cursor;
  const position = id === undefined ? null : await positionOf(session, id, accountId);
  if (position === null && after !== undefined) return null;
  const fromSeq = sinceMs === undefined ? Number.MIN_SAFE_INTEGER : firstNumberAt(sinceMs);
  const untilSeq = untilMs === undefined ? Number.MAX_SAFE_INTEGER : numberAfter(untilMs);
  const isNewer = after !== undefined && position !== null;
  return {
    ...(await daysOf(session, nowMs)),
    fromSeq: isNewer ? Math.max(fromSeq, position + 1) : fromSeq,
    beforeSeq: isNewer ? untilSeq : Math.min(untilSeq, position ?? untilSeq),
  };
}

async function positionOf(session: Session, id: string, accountId: string): Promise<number | null> {
  const { rows } = await session.run(findPosition, [storedText(id), accountId]);
  return rows[0]?.seq ?? null;
}

/** The days with partitions, for the windows of a search. */
export async function daysOf(session: Session, nowMs: number): Promise<Pick<SearchTime, "days" | "today">> {
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
  { range, endedEarlyAt }: { range: SearchRange; endedEarlyAt: number },
): Promise<(SearchEnd & { seq: number; isFound: boolean }) | null> {
  const { accountId, keyId, after } = filter;
  const [index, scope] = keyId === undefined ? (["account", {}] as const) : (["key", { keyId }] as const);
  const way = after === undefined ? {} : { after };
  const nearest = new SearchSql({ accountId, ...scope, ...way, limit: 1 }, index, range);
  const [next] = await runSearch(session, nearest.page(1, 1));
  if (next === undefined) return null;
  const { seq } = next;
  const found = new SearchSql(filter, index, { fromSeq: seq, beforeSeq: seq + 1 });
  const isFound = seq !== endedEarlyAt && (await runSearch(session, found.page(1, 1))).length > 0;
  const [end] = (await session.run(findEnd, [seq])).rows;
  return end === undefined ? null : { ...end, seq, isFound };
}
