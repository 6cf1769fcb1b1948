/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The list of messages with its search form.
 */
import { createHash } from "node:crypto";
import { DASHBOARD_KEY } from "../../app/test-message.ts";
import { CATEGORIES, type Category } from "../../message/category.ts";
import type { ApiKey } from "../../spool/port/accounts.ts";
import type { Domain } from "../../spool/port/domains.ts";
import type { FoundMessage, FoundMessages } from "../../spool/port/reports.ts";
import type { Visit } from "../auth/sessions.ts";
import { Ago, Badge, Choice, Empty, Field, Moment, type Option, Table } from "../views/components.tsx";
import { CATEGORY_NAMES, RESULT_WORDS } from "../views/labels.ts";
import { signedInPage } from "../views/layout.tsx";
import { SEARCH_FIELDS, type Search } from "./message-search.ts";

export interface ListState {
  search: Search;
  found: FoundMessages;
  keys: ApiKey[];
  domains: Domain[];
  nowMs: number;
}

export function listPage(visit: Visit, state: ListState): string {
  const { found, search } = state;
  return signedInPage(visit, "/messages", {
    title: "Messages",
    children: (
      <>
        <div class="title-row">
          <h1>Messages</h1>
          <a href="/dashboard/suppressed">Suppressed addresses</a>
        </div>
        <SearchForm {...state} />
        <div id="list" data-live={`/dashboard/data/messages?${queryOf(search)}`} data-version={listVersion(found)}>
          {found.messages.length === 0 ? (
            <Empty title={search.narrowed ? "Nothing found" : "No message yet"}>
              {search.narrowed ? null : (
                <p>
                  What you send shows here at once. <a href="/dashboard/start">Send the first mail</a>
                </p>
              )}
            </Empty>
          ) : (
            <Table label="Messages" class="stacked messages" head={["Accepted", "To", "Subject", "Result"]}>
              {found.messages.map((message) => (
                <Row key={message.id} message={message} nowMs={state.nowMs} />
              ))}
            </Table>
          )}
        </div>
        <Further state={state} />
      </>
    ),
  });
}

/** Changes with everything that the list shows, the times apart. */
export function listVersion({ messages }: FoundMessages): string {
  return createHash("sha256").update(JSON.stringify(messages)).digest("base64url");
}

/** The search as part of a link, for the page that begins at `cursor`. */
function queryOf({ fields, filter }: Search, cursor = filter.cursor): URLSearchParams {
  const query = new URLSearchParams();
  for (const name of SEARCH_FIELDS) if (fields[name] !== "") query.set(name, fields[name]);
  if (cursor !== undefined) query.set("before", cursor);
  return query;
}

function SearchForm({ search: { fields }, keys, domains }: ListState) {
  const more = fields.category || fields.subject || fields.key || fields.domain || fields.since || fields.until;
  return (
    <search>
      <form method="get" action="/dashboard/messages" class="card search">
        <div class="search-first">
          <Field
            label="Recipient or message id"
            name="q"
            value={fields.q}
            placeholder="ann@example.org, @example.org or msg_…"
          />
          <Choice label="Result" name="result" value={fields.result} options={RESULT_OPTIONS} />
          <button type="submit" class="primary">
            Search
          </button>
        </div>
        <details open={Boolean(more)}>
          <summary>More to search by</summary>
          <div class="search-more">
            <Choice label="Obstacle" name="category" value={fields.category} options={CATEGORY_OPTIONS} />
            <Field label="Subject contains" name="subject" value={fields.subject} />
            <Choice label="API key" name="key" value={fields.key} options={keyOptions(keys)} />
            <Choice label="Sending domain" name="domain" value={fields.domain} options={domainOptions(domains)} />
            <Field label="Accepted from (UTC)" name="since" type="datetime-local" value={fields.since} />
            <Field label="Accepted before (UTC)" name="until" type="datetime-local" value={fields.until} />
          </div>
        </details>
      </form>
    </search>
  );
}

const RESULT_OPTIONS: Option[] = [
  { value: "", text: "Any" },
  ...(["delivered", "failed", "pending", "unknown"] as const).map((value) => ({
    value,
    text: RESULT_WORDS[value].text,
  })),
];

const CATEGORY_OPTIONS: Option[] = [
  { value: "", text: "Any" },
  ...CATEGORIES.map((value) => ({ value, text: CATEGORY_NAMES[value] })),
];

function keyOptions(keys: ApiKey[]): Option[] {
  const named = keys.map(({ id, name, lastFour }) => ({ value: id, text: `${name} (…${lastFour})` }));
  return [{ value: "", text: "Any" }, ...named, { value: DASHBOARD_KEY, text: "Test mails from here" }];
}

function domainOptions(domains: Domain[]): Option[] {
  return [{ value: "", text: "Any" }, ...domains.map(({ name }) => ({ value: name, text: name }))];
}

function Row({ message, nowMs }: { message: FoundMessage; nowMs: number }) {
  const others = message.recipients - 1;
  return (
    <tr>
      <td class="nowrap">
        <Ago atMs={message.createdAtMs} nowMs={nowMs} />
      </td>
      <td class="address">
        {message.to}
        {others > 0 ? <span class="quiet"> and {others} more</span> : null}
      </td>
      <td class="subject">
        <a href={`/dashboard/messages/${message.id}`}>{message.subject || "(no subject)"}</a>
      </td>
      <td>
        <Results message={message} />
      </td>
    </tr>
  );
}

const nameOf = (category: Category): string => CATEGORY_NAMES[category];

/** One badge where all recipients agree, else one for each result with its count. */
function Results({ message: { results, recipients, categories } }: { message: FoundMessage }) {
  const present = (["unknown", "failed", "pending", "delivered"] as const).filter((result) => results[result] > 0);
  return (
    <span class="badges">
      {present.map((result) => {
        const { text, tone } = RESULT_WORDS[result];
        const counted = recipients === 1 || present.length === 1 ? text : `${results[result]} ${text.toLowerCase()}`;
        return <Badge key={result} word={{ text: counted, tone }} />;
      })}
      {categories.length === 0 ? null : <span class="quiet">{categories.map(nameOf).join(", ")}</span>}
    </span>
  );
}

function Further({ state: { search, found } }: { state: ListState }) {
  if (found.cursor === null) return null;
  const query = queryOf(search, found.cursor);
  const href = `/dashboard/messages?${query}`;
  if (found.searchedBackToMs === null) {
    return (
      <p class="bar">
        <a class="button" href={href} rel="next">
          Older messages
        </a>
      </p>
    );
  }
  return (
    <p class="bar">
      <span>
        Searched back to <Moment atMs={found.searchedBackToMs} /> UTC.
      </span>
      <a class="button" href={href} rel="next">
        Search older messages
      </a>
    </p>
  );
}
