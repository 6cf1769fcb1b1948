/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The list of messages, with its search form.
 */
import { createHash } from "node:crypto";
import { DASHBOARD_KEY } from "../../app/test-message.ts";
import { NOTICE_KEY } from "../../app/webhook-notice.ts";
import { CATEGORIES, type Category } from "../../message/category.ts";
import type { ApiKey } from "../../spool/port/api-keys.ts";
import type { Domain } from "../../spool/port/domains.ts";
import type { FoundMessage, FoundMessages } from "../../spool/port/reports.ts";
import { FEEDBACK } from "../../spool/port/results.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { Badge, EmptyState, Field, type Option, RelativeTime, Select, Table, Timestamp } from "../views/components.tsx";
import { CATEGORY_NAMES, FEEDBACK_LABELS, RESULT_LABELS, TEST_LABEL } from "../views/labels.ts";
import { signedInPage } from "../views/layout.tsx";
import { SEARCH_FIELDS, type Search } from "./message-search.ts";

export interface ListState {
  search: Search;
  found: FoundMessages;
  keys: ApiKey[];
  domains: Domain[];
  nowMs: number;
}

export function listPage(auth: AuthContext, state: ListState): string {
  const { found, search } = state;
  return signedInPage(auth, "/messages", {
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
            <EmptyState title={search.narrowed ? "No messages found" : "No messages yet"}>
              {search.narrowed ? null : (
                <p>
                  Messages appear here as soon as they are accepted.{" "}
                  <a href="/dashboard/start">Send the first message</a>
                </p>
              )}
            </EmptyState>
          ) : (
            <Table label="Messages" class="stacked messages" head={["Accepted", "To", "Subject", "Result"]}>
              {found.messages.map((message) => (
                <Row key={message.id} message={message} nowMs={state.nowMs} />
              ))}
            </Table>
          )}
        </div>
        <OlderLink state={state} />
      </>
    ),
  });
}

/** Changes whenever the list does, except for its relative times. */
export function listVersion({ messages }: FoundMessages): string {
  return createHash("sha256").update(JSON.stringify(messages)).digest("base64url");
}

/** Encodes the search as a query string, for the page that begins at `cursor`. */
function queryOf({ fields, filter }: Search, cursor = filter.cursor): URLSearchParams {
  const query = new URLSearchParams();
  for (const name of SEARCH_FIELDS) if (fields[name] !== "") query.set(name, fields[name]);
  if (cursor !== undefined) query.set("before", cursor);
  return query;
}

function SearchForm({ search: { fields }, keys, domains }: ListState) {
  const { q: _, result: __, ...others } = fields;
  const more = Object.values(others).some((value) => value !== "");
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
          <Select label="Result" name="result" value={fields.result} options={RESULT_OPTIONS} />
          <button type="submit" class="primary">
            Search
          </button>
        </div>
        <details open={more}>
          <summary>More search options</summary>
          <div class="search-more">
            <Select label="Category" name="category" value={fields.category} options={CATEGORY_OPTIONS} />
            <Field label="Reason" name="reason" value={fields.reason} placeholder="recipient_refused" />
            <Select label="Kind" name="kind" value={fields.kind} options={KIND_OPTIONS} />
            <Field label="Subject contains" name="subject" value={fields.subject} />
            <Select label="API key" name="key" value={fields.key} options={keyOptions(keys)} />
            <Select label="Sending domain" name="domain" value={fields.domain} options={domainOptions(domains)} />
            <Field label="Accepted from (UTC)" name="since" type="datetime-local" value={fields.since} />
            <Field label="Accepted before (UTC)" name="until" type="datetime-local" value={fields.until} />
            <Field label="Result since (UTC)" name="result_since" type="datetime-local" value={fields.result_since} />
            <Field label="Result before (UTC)" name="result_until" type="datetime-local" value={fields.result_until} />
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
    text: RESULT_LABELS[value].text,
  })),
];

const CATEGORY_OPTIONS: Option[] = [
  { value: "", text: "Any" },
  ...CATEGORIES.map((value) => ({ value, text: CATEGORY_NAMES[value] })),
];

const KIND_OPTIONS: Option[] = [
  { value: "", text: "Any" },
  { value: "live", text: "Live messages" },
  { value: "test", text: "Test messages (of test keys)" },
];

function keyOptions(keys: ApiKey[]): Option[] {
  const named = keys.map(({ id, name, lastFour, test }) => ({
    value: id,
    text: `${name} (${test ? "test, " : ""}…${lastFour})`,
  }));
  return [
    { value: "", text: "Any" },
    ...named,
    { value: DASHBOARD_KEY, text: "Test messages from the dashboard" },
    { value: NOTICE_KEY, text: "Notices of disabled webhook endpoints" },
  ];
}

function domainOptions(domains: Domain[]): Option[] {
  return [{ value: "", text: "Any" }, ...domains.map(({ name }) => ({ value: name, text: name }))];
}

function Row({ message, nowMs }: { message: FoundMessage; nowMs: number }) {
  const others = message.recipients - 1;
  return (
    <tr>
      <td class="nowrap">
        <RelativeTime atMs={message.createdAtMs} nowMs={nowMs} />
      </td>
      <td class="address">
        {message.to}
        {others > 0 ? <span class="quiet"> and {others} more</span> : null}
      </td>
      <td class="subject">
        <a href={`/dashboard/messages/${message.id}`}>{message.subject || "(no subject)"}</a>{" "}
        {message.test ? <Badge label={TEST_LABEL} /> : null}
      </td>
      <td>
        <Results message={message} />
      </td>
    </tr>
  );
}

const nameOf = (category: Category): string => CATEGORY_NAMES[category];

/** One badge if all recipients have the same result, else one with a count for each result; then what came back. */
function Results({ message: { results, recipients, categories, feedback = [] } }: { message: FoundMessage }) {
  const present = (["unknown", "failed", "pending", "delivered"] as const).filter((result) => results[result] > 0);
  return (
    <span class="badges">
      {present.map((result) => {
        const { text, tone } = RESULT_LABELS[result];
        const counted = recipients === 1 || present.length === 1 ? text : `${results[result]} ${text.toLowerCase()}`;
        return <Badge key={result} label={{ text: counted, tone }} />;
      })}
      {FEEDBACK.filter((each) => feedback.includes(each)).map((each) => (
        <Badge key={each} label={FEEDBACK_LABELS[each]} />
      ))}
      {categories.length === 0 ? null : <span class="quiet">{categories.map(nameOf).join(", ")}</span>}
    </span>
  );
}

function OlderLink({ state: { search, found } }: { state: ListState }) {
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
        Searched back to <Timestamp atMs={found.searchedBackToMs} /> UTC.
      </span>
      <a class="button" href={href} rel="next">
        Search older messages
      </a>
    </p>
  );
}
