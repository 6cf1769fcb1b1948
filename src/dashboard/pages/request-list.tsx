/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The list of API requests, with its search form.
 */
import type { ApiKey } from "../../spool/port/api-keys.ts";
import { type FoundRequests, REQUESTS_KEPT_MAX } from "../../spool/port/request-log.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { EmptyState, Field, type Option, Select } from "../views/components.tsx";
import { countText } from "../views/labels.ts";
import { signedInPage } from "../views/layout.tsx";
import { RequestTable } from "../views/request-table.tsx";

export interface RequestSearch {
  /** The X-Request-Id; empty for any. */
  id: string;
  /** The key's id; empty for any. */
  key: string;
  /** Rejected requests only. */
  failed: boolean;
  /** Requests without a valid key, for operators. */
  keyless: boolean;
}

export interface RequestListState {
  search: RequestSearch;
  found: FoundRequests;
  /** The keys of the account. */
  keys: ApiKey[];
}

export function requestListPage(auth: AuthContext, state: RequestListState): string {
  const { found, keys } = state;
  const names = new Map(keys.map(({ id, name }) => [id, name]));
  return signedInPage(auth, "/requests", {
    title: "API requests",
    children: (
      <>
        <h1>API requests</h1>
        <p class="lead">
          Each response of the API carries the header field <code>X-Request-Id</code>; the body of a rejected request
          repeats it as <code>request_id</code>. Search for it here to see what was requested, and with which status and
          code it was answered.
        </p>
        <SearchForm operator={auth.user.operator} state={state} />
        {found.requests.length === 0 ? (
          <NothingFound operator={auth.user.operator} search={state.search} />
        ) : (
          <RequestTable requests={found.requests} names={names} />
        )}
        <OlderLink state={state} />
        <p class="quiet">
          At more than 200 requests a second, successful requests are recorded in part; so are rejected ones at more
          than 500 a second. Requests are kept for 7 days, of each account at most the newest{" "}
          {countText(REQUESTS_KEPT_MAX)} successful and {countText(REQUESTS_KEPT_MAX)} rejected ones.
        </p>
      </>
    ),
  });
}

function SearchForm({ operator, state: { search, keys } }: { operator: boolean; state: RequestListState }) {
  return (
    <search>
      <form method="get" action="/dashboard/requests" class="card search">
        <div class="search-first">
          <Field label="X-Request-Id" name="id" value={search.id} placeholder="req_…" />
          <Select label="Result" name="failed" value={search.failed ? "yes" : ""} options={RESULT_OPTIONS} />
          <button type="submit" class="primary">
            Search
          </button>
        </div>
        <div class="search-more">
          <Select label="API key" name="key" value={search.key} options={keyOptions(keys)} />
          {operator ? (
            <Select label="Account" name="keyless" value={search.keyless ? "yes" : ""} options={ACCOUNT_OPTIONS} />
          ) : null}
        </div>
      </form>
    </search>
  );
}

const RESULT_OPTIONS: Option[] = [
  { value: "", text: "Any" },
  { value: "yes", text: "Rejected" },
];

const ACCOUNT_OPTIONS: Option[] = [
  { value: "", text: "Current account" },
  { value: "yes", text: "None: without a valid API key" },
];

function keyOptions(keys: ApiKey[]): Option[] {
  const named = keys.map(({ id, name, lastFour }) => ({ value: id, text: `${name} (…${lastFour})` }));
  return [{ value: "", text: "Any" }, ...named];
}

function NothingFound({ operator, search }: { operator: boolean; search: RequestSearch }) {
  if (search.id === "" && search.key === "" && !search.failed) {
    return (
      <EmptyState title="No requests yet">
        <p>
          Requests to the API appear here about a second after they were answered. The{" "}
          <a href="/dashboard/api">API reference</a> shows how to make one.
        </p>
      </EmptyState>
    );
  }
  if (search.id === "") {
    return (
      <EmptyState title="No requests found">
        <p>
          <a href="/dashboard/requests">Show all requests</a>
        </p>
      </EmptyState>
    );
  }
  return (
    <EmptyState title="No such request">
      <p>The request may be older than 7 days, belong to another account, or be one of those that are not recorded.</p>
      {search.keyless ? null : <KeylessHint operator={operator} id={search.id} />}
    </EmptyState>
  );
}

/** A request without a valid key belongs to no account, so its sender cannot see it. */
function KeylessHint({ operator, id }: { operator: boolean; id: string }) {
  if (!operator) {
    return <p>If its API key was missing or invalid, only the operator of this service can find it.</p>;
  }
  return (
    <p>
      <a href={`/dashboard/requests?${new URLSearchParams({ id, keyless: "yes" })}`}>
        Search requests without a valid API key
      </a>
    </p>
  );
}

function OlderLink({ state: { search, found } }: { state: RequestListState }) {
  if (found.cursor === null) return null;
  const query = new URLSearchParams({ before: String(found.cursor) });
  if (search.id !== "") query.set("id", search.id);
  if (search.key !== "") query.set("key", search.key);
  if (search.failed) query.set("failed", "yes");
  if (search.keyless) query.set("keyless", "yes");
  return (
    <p class="bar">
      <a class="button" href={`/dashboard/requests?${query}`} rel="next">
        Older requests
      </a>
    </p>
  );
}
