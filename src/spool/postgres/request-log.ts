/**
 * The request log. Several nodes add to it at one time; a row's number is its place in the log. The requests of an account are
 * bounded without counting them at each write: a node deletes those beyond the bound of an account once it has added so many, and
 * reads leave out what is not deleted yet.
 */
import {
  type ApiRequest,
  type FoundRequests,
  REQUESTS_KEPT_MAX,
  REQUESTS_KEPT_MS,
  type RequestFilter,
  type RequestLog,
} from "../port/request-log.ts";
import { type RequestRow, requestPage } from "../records/request-page.ts";
import type { Database } from "./database.ts";
import type { ReportQueue } from "./report-queue.ts";
import { type Session, statement, unprepared } from "./statement.ts";
import { storedText } from "./stored-text.ts";

/** The most requests that are deleted for their age at once: one second adds fewer (app/request-recorder.ts). */
const OLD_DELETED_MAX = 1000;

/** Successes, or failures, of an account that a node adds before it deletes those beyond the bound. */
const ADDED_MAX = REQUESTS_KEPT_MAX / 10;

/** The successes or the failures of an account, or of requests without a valid key. */
interface Kind {
  accountId: string | null;
  failed: boolean;
}

const add = statement(
  `INSERT INTO requests (account_id, failed, id, at_ms, key_id, method, path, status, code, duration_ms, message_id)
     SELECT account_id, failed, id, at_ms, key_id, method, path, status, code, duration_ms, message_id
       FROM unnest($1::text[], $2::boolean[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::int[],
                   $9::text[], $10::bigint[], $11::text[]) WITH ORDINALITY
         AS r (account_id, failed, id, at_ms, key_id, method, path, status, code, duration_ms, message_id, place)
       ORDER BY place`,
);

const outside = (condition: string, order: string): string =>
  `ARRAY (SELECT number FROM requests WHERE ${condition} ORDER BY at_ms ${order} LIMIT ${OLD_DELETED_MAX} FOR UPDATE SKIP LOCKED)`;

/** Requests that are old, and those of a clock that was far ahead. Nodes that delete at the same time skip each other's rows. */
const deleteOld = statement(
  `DELETE FROM requests WHERE number = ANY (${outside("at_ms < $1", "ASC")} || ${outside("at_ms > $2", "DESC")})`,
);

/** An account's id is a parameter, or absent: `IS NOT DISTINCT FROM` does not use an index. */
type Owner = "account_id = $1" | "account_id IS NULL AND $1::text IS NULL";
const byOwner = <T>(make: (owner: Owner) => T): ((accountId: string | null) => T) => {
  const [own, keyless] = [make("account_id = $1"), make("account_id IS NULL AND $1::text IS NULL")];
  return (accountId) => (accountId === null ? keyless : own);
};

// Not equal, but as much as that: then only the index of accounts has the order.
const FAILED = "failed >= true";
const SUCCEEDED = "failed <= false";

/** Selects the numbers of a kind, the newest first. */
const numbersOf = (kind: string): string =>
  `SELECT number FROM requests WHERE ${kind} ORDER BY account_id DESC, failed DESC, number DESC`;

const deletingExcess = (condition: string) =>
  byOwner((owner) => {
    const numbers = `${numbersOf(`${owner} AND ${condition}`)} LIMIT ${REQUESTS_KEPT_MAX} OFFSET ${REQUESTS_KEPT_MAX}`;
    return statement(`DELETE FROM requests WHERE number = ANY (ARRAY (${numbers}))`);
  });
const deleteFailed = deletingExcess(FAILED);
const deleteSucceeded = deletingExcess(SUCCEEDED);

/** The newest numbers beyond the bound; 0 within it. */
const findExcess = byOwner((owner) => {
  const excess = (condition: string): string =>
    `coalesce((${numbersOf(`${owner} AND ${condition}`)} LIMIT 1 OFFSET ${REQUESTS_KEPT_MAX}), 0)`;
  return statement<Excess>(`SELECT ${excess(FAILED)} AS failed, ${excess(SUCCEEDED)} AS succeeded`);
});

const COLUMNS = `number, id, at_ms AS "atMs", account_id AS "accountId", key_id AS "keyId", method, path, status, code,
  duration_ms AS "durationMs", message_id AS "messageId"`;

/** Selects a page of a kind. Its parameters: the account, the cursor, the id, the key, and the most rows. */
const pageOf = (kind: string, excess: string): string =>
  `(SELECT ${COLUMNS} FROM requests
      WHERE ${kind} AND number < $2 AND number > ${excess} AND ($3::text IS NULL OR id = $3) AND ($4::text IS NULL OR key_id = $4)
      ORDER BY account_id DESC, failed DESC, number DESC LIMIT $5)`;

// Not prepared: a plan for any limit might sort all requests of the account.
const findFailed = byOwner((owner) => unprepared<RequestRow>(pageOf(`${owner} AND ${FAILED}`, "$6")));
const findAll = byOwner((owner) => {
  const kinds = [pageOf(`${owner} AND ${FAILED}`, "$6"), pageOf(`${owner} AND ${SUCCEEDED}`, "$7")];
  return unprepared<RequestRow>(`${kinds.join(" UNION ALL ")} ORDER BY number DESC LIMIT $5`);
});

interface Excess {
  failed: number;
  succeeded: number;
}

export function requestOperations(database: Database, reports: ReportQueue): RequestLog {
  const writer = new RequestWriter(database);
  return {
    recordRequests: (requests, nowMs) => writer.write(requests, nowMs),
    requests: (filter) => reports.runStep(filter.accountId, (session) => readRequests(session, filter)),
  };
}

class RequestWriter {
  readonly #database: Database;
  /** How many of each kind were added since those beyond the bound were deleted. */
  readonly #added = new Map<string, Kind & { count: number }>();

  constructor(database: Database) {
    this.#database = database;
  }

  async write(requests: readonly ApiRequest[], nowMs: number): Promise<void> {
    if (requests.length > 0) await this.#database.run(add, columnsOf(requests));
    const kinds = new Set(requests.map((request) => this.#count(request)));
    await this.#database.run(deleteOld, [nowMs - REQUESTS_KEPT_MS, nowMs + REQUESTS_KEPT_MS]);
    for (const kind of kinds) {
      if (kind.count < ADDED_MAX) continue;
      kind.count = 0;
      const deleteExcess = kind.failed ? deleteFailed : deleteSucceeded;
      await this.#database.run(deleteExcess(kind.accountId), [kind.accountId]);
    }
  }

  /** The first request of a kind counts as many: what earlier processes have left is deleted. */
  #count({ accountId, status }: ApiRequest): Kind & { count: number } {
    const failed = isFailed(status);
    const name = `${failed} ${accountId ?? ""}`;
    const kind = this.#added.get(name) ?? { accountId, failed, count: ADDED_MAX };
    kind.count += 1;
    this.#added.set(name, kind);
    return kind;
  }
}

const isFailed = (status: number): boolean => status >= 400;

function columnsOf(requests: readonly ApiRequest[]): unknown[] {
  const column = <T>(of: (request: ApiRequest) => T): T[] => requests.map(of);
  return [
    column(({ accountId }) => accountId),
    column(({ status }) => isFailed(status)),
    column(({ id }) => storedText(id)),
    column(({ atMs }) => atMs),
    column(({ keyId }) => keyId),
    column(({ method }) => storedText(method)),
    column(({ path }) => storedText(path)),
    column(({ status }) => status),
    column(({ code }) => code),
    column(({ durationMs }) => durationMs),
    column(({ messageId }) => messageId),
  ];
}

async function readRequests(session: Session, filter: RequestFilter): Promise<FoundRequests> {
  const { accountId, cursor = Number.MAX_SAFE_INTEGER, id, keyId, failedOnly = false, limit } = filter;
  const [excess] = (await session.run(findExcess(accountId), [accountId])).rows;
  const { failed = 0, succeeded = 0 } = excess ?? {};
  const texts = [id, keyId].map((text) => (text === undefined ? null : storedText(text)));
  const values = [accountId, cursor, ...texts, limit + 1, failed, ...(failedOnly ? [] : [succeeded])];
  const { rows } = await session.run((failedOnly ? findFailed : findAll)(accountId), values);
  return requestPage(rows, limit);
}
