/**
 * The request log. Several processes add to it at one time; a row's number is its place in the log. The requests of an account are
 * bounded without counting them at each write: a process deletes those beyond the bound of an account once it has added so many, and
 * reads leave out what is not deleted yet.
 */
import { bind, type Runner } from "../../engine/operations.ts";
import { first, type Session } from "../../engine/session.ts";
import { statement } from "../../engine/statement.ts";
import {
  type FoundRequests,
  REQUESTS_KEPT_MAX,
  REQUESTS_KEPT_MS,
  type RecordedRequest,
  type RequestFilter,
  type RequestLog,
} from "../../port/request-log.ts";
import { type RequestRow, recordedRequest as recordedRequestOf, requestPage } from "../../records/request-page.ts";
import { jsonRows } from "../rows/json-rows.ts";
import { AddedRequests, type RequestKind } from "./added-requests.ts";

/** The most requests that are deleted for their age at once: one second adds fewer (app/send/request-recorder.ts). */
const OLD_DELETED_MAX = 1000;

/** Requests read by one statement. A constant, so that PostgreSQL's plan does not depend on it. */
const READ_AT_ONCE = 200;

const damageable = <Row>(text: string) => statement<Row>(text, { ifDamaged: "the request log" });

const add = damageable(
  `INSERT INTO requests (account_id, failed, id, at_ms, key_id, method, path, status, code, duration_ms, message_id, fault)
     SELECT value ->> 'accountId', CAST(value ->> 'failed' AS boolean), value ->> 'id', CAST(value ->> 'atMs' AS bigint),
            value ->> 'keyId', value ->> 'method', value ->> 'path', CAST(value ->> 'status' AS integer), value ->> 'code',
            CAST(value ->> 'durationMs' AS bigint), value ->> 'messageId', value ->> 'fault'
       FROM json_each($1) ORDER BY CAST(key AS integer)`,
);

// Those that are old, and those of a clock that was far ahead. Nodes of PostgreSQL that delete at the same time skip each other's rows.
const numbersOf = (condition: string, order: string): string =>
  `SELECT number FROM (
     SELECT number FROM requests WHERE ${condition} ORDER BY at_ms ${order} LIMIT ${OLD_DELETED_MAX} FOR UPDATE SKIP LOCKED)`;
const deleteOutside = damageable(
  `DELETE FROM requests WHERE number IN (
    ${numbersOf("at_ms < $1", "ASC")} AS old UNION ALL ${numbersOf("at_ms > $2", "DESC")} AS ahead)`,
);

const COLUMNS = `number, id, at_ms AS "atMs", nullif(account_id, '') AS "accountId", key_id AS "keyId", method, path, status, code,
  duration_ms AS "durationMs", message_id AS "messageId"`;

/**
 * The statements about the successes or the failures of an account. The conditions are not equalities, but as much as that: then only the
 * index of accounts has the order.
 */
const aboutKind = (condition: "failed >= TRUE" | "failed <= FALSE") => {
  const kind = `account_id = $1 AND ${condition}`;
  const order = "ORDER BY account_id DESC, failed DESC, number DESC";
  // PostgreSQL plans a page without a filter apart: it guesses that a filter leaves few requests, and sorts them.
  const page = (filter: string) =>
    damageable<RequestRow>(
      `SELECT ${COLUMNS} FROM requests WHERE ${kind} AND number < $2 ${filter} ${order} LIMIT ${READ_AT_ONCE}`,
    );
  return {
    /** The newest request beyond the bound. */
    findExcess: damageable<{ number: number }>(
      `SELECT number FROM requests WHERE ${kind} ${order} LIMIT 1 OFFSET ${REQUESTS_KEPT_MAX}`,
    ),
    deleteUntil: damageable(`DELETE FROM requests WHERE ${kind} AND number <= $2`),
    findPage: page(""),
    /** Alone with its fault: a page of many faults is large. */
    findOne: damageable<RequestRow & { fault: string | null }>(
      `SELECT ${COLUMNS}, fault FROM requests WHERE ${kind} AND id = $2 ${order} LIMIT 1`,
    ),
    findFiltered: page("AND (CAST($3 AS text) IS NULL OR id = $3) AND (CAST($4 AS text) IS NULL OR key_id = $4)"),
  };
};
const [FAILED, SUCCEEDED] = [aboutKind("failed >= TRUE"), aboutKind("failed <= FALSE")];

/** The owner of requests without a valid key is stored as ''. */
const ownerOf = (accountId: string | null): string => accountId ?? "";

export const requestLogOperations = {
  reads: {},
  writes: { storeRequests },
  reports: { requests, recordedRequest },
};

/** The port of the request log. */
export function requestLogOf(runner: Runner): RequestLog {
  const log = bind(requestLogOperations, runner);
  const added = new AddedRequests();
  return {
    requests: log.requests,
    recordedRequest: log.recordedRequest,
    recordRequests: (recorded, nowMs) => log.storeRequests(recorded, nowMs, added.add(recorded)),
  };
}

/** `full`: the kinds whose requests beyond the bound are deleted. */
async function storeRequests(
  session: Session,
  recorded: readonly RecordedRequest[],
  nowMs: number,
  full: readonly RequestKind[],
): Promise<void> {
  const rows = recorded.map((each) => ({ ...each, accountId: ownerOf(each.accountId), failed: each.status >= 400 }));
  if (rows.length > 0) await session.run(add, [jsonRows(rows)]);
  await session.run(deleteOutside, [nowMs - REQUESTS_KEPT_MS, nowMs + REQUESTS_KEPT_MS]);
  for (const { accountId, failed } of full) {
    const { findExcess, deleteUntil } = failed ? FAILED : SUCCEEDED;
    const excess = await first(session, findExcess, [ownerOf(accountId)]);
    if (excess !== null) await session.run(deleteUntil, [ownerOf(accountId), excess.number]);
  }
}

async function requests(session: Session, filter: RequestFilter): Promise<FoundRequests> {
  const found = await findKind(session, FAILED, filter);
  if (!filter.failedOnly) {
    found.push(...(await findKind(session, SUCCEEDED, filter)));
    found.sort((one, other) => other.number - one.number);
  }
  return requestPage(found, filter.limit);
}

async function recordedRequest(
  session: Session,
  accountId: string | null,
  id: string,
): Promise<RecordedRequest | null> {
  for (const { findOne } of [FAILED, SUCCEEDED]) {
    const row = await first(session, findOne, [ownerOf(accountId), id]);
    if (row !== null) return recordedRequestOf(row);
  }
  return null;
}

/** Returns at least one more than the limit if more follow. */
async function findKind(
  session: Session,
  { findExcess, findPage, findFiltered }: typeof FAILED,
  { accountId, cursor, id, keyId, limit }: RequestFilter,
): Promise<RequestRow[]> {
  const owner = ownerOf(accountId);
  const excess = (await first(session, findExcess, [owner]))?.number ?? 0;
  const found: RequestRow[] = [];
  const isFiltered = id !== undefined || keyId !== undefined;
  let before = cursor ?? Number.MAX_SAFE_INTEGER;
  while (found.length <= limit && before > excess) {
    const { rows } = await (isFiltered
      ? session.run(findFiltered, [owner, before, id ?? null, keyId ?? null])
      : session.run(findPage, [owner, before]));
    found.push(...rows.filter(({ number }) => number > excess));
    before = rows.length < READ_AT_ONCE ? 0 : (rows.at(-1)?.number ?? 0);
  }
  return found;
}
