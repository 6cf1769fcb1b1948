/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The search form of the list of messages: the form, what was searched, and the filters that are set, each with a link that removes
 * it.
 */
import type { ComponentChildren } from "preact";
import { NOTICE_KEY } from "../../app/notices/notice-email.ts";
import { COMMAND_LINE_KEY } from "../../app/send/command-line-message.ts";
import { DASHBOARD_KEY } from "../../app/send/test-message.ts";
import { CATEGORIES } from "../../message/result/category.ts";
import { RESULTS } from "../../message/result/outcome.ts";
import type { ApiKey } from "../../spool/port/api-keys.ts";
import type { Domain } from "../../spool/port/domains.ts";
import { Field, type Option, Select, Timestamp } from "../views/components.tsx";
import { CATEGORY_NAMES, RESULT_LABELS } from "../views/labels.ts";
import { messagesPath, SEARCH_FIELDS, type Search, type SearchField, timeOf } from "./message-search.ts";

export interface SearchFormProps {
  search: Search;
  keys: ApiKey[];
  domains: Domain[];
}

export function SearchForm({ search: { fields }, keys, domains }: SearchFormProps) {
  // Links of other pages select live messages, and the row of filters says so.
  const more = MORE.some((name) => fields[name] !== "" && !(name === "kind" && fields.kind === "live"));
  return (
    <search>
      <form method="get" action="/dashboard/messages" class="card search">
        <div class="search-first search-places">
          <Field
            label="Search"
            name="q"
            value={fields.q}
            placeholder="Email address, @domain, subject word, tag, msg_… or <Message-ID>"
          />
          <Select label="Search in" name="in" value={fields.in} options={PLACE_OPTIONS} />
          <Select label="Result" name="result" value={fields.result} options={RESULT_OPTIONS} />
          <button type="submit" class="primary">
            Search
          </button>
        </div>
        <details open={more}>
          <summary>More search options</summary>
          <div class="search-groups">
            <Group name="Message" class="large">
              <Field label="Sender address" name="from" value={fields.from} />
              <Field label="Subject contains" name="subject" value={fields.subject} />
              <Field label="Tag" name="tag" value={fields.tag} />
              <Select label="Kind" name="kind" value={fields.kind} options={KIND_OPTIONS} />
            </Group>
            <Group name="Sent with">
              <Select label="API key" name="key" value={fields.key} options={keyOptions(keys)} />
              <Select label="Sending domain" name="domain" value={fields.domain} options={domainOptions(domains)} />
            </Group>
            <Group name="Why not delivered">
              <Select label="Category" name="category" value={fields.category} options={CATEGORY_OPTIONS} />
              <Field label="Reason" name="reason" value={fields.reason} placeholder="recipient_refused" />
            </Group>
            <Group name="Time" class="large times">
              <Field label="Accepted from (UTC)" name="since" type="datetime-local" value={fields.since} />
              <Field label="Accepted before (UTC)" name="until" type="datetime-local" value={fields.until} />
              <Field label="Result since (UTC)" name="result_since" type="datetime-local" value={fields.result_since} />
              <Field
                label="Result before (UTC)"
                name="result_until"
                type="datetime-local"
                value={fields.result_until}
              />
            </Group>
          </div>
        </details>
      </form>
    </search>
  );
}

function Group({ name, class: kind = "", children }: { name: string; class?: string; children: ComponentChildren }) {
  return (
    <fieldset class={`search-group ${kind}`}>
      <legend>{name}</legend>
      <div>{children}</div>
    </fieldset>
  );
}

const MORE = SEARCH_FIELDS.filter((name) => name !== "q" && name !== "in" && name !== "result");

const PLACE_OPTIONS: Option[] = [
  { value: "", text: "Everywhere" },
  { value: "recipient", text: "Recipients" },
  { value: "sender", text: "Senders" },
  { value: "subject", text: "Subjects" },
  { value: "tag", text: "Tags" },
  { value: "message_id", text: "Message-IDs" },
];

const RESULT_OPTIONS: Option[] = [
  { value: "", text: "Any" },
  ...RESULTS.map((value) => ({ value, text: RESULT_LABELS[value].text })),
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
    { value: COMMAND_LINE_KEY, text: "Messages from the command line" },
    { value: NOTICE_KEY, text: "Notices to users" },
  ];
}

function domainOptions(domains: Domain[]): Option[] {
  return [{ value: "", text: "Any" }, ...domains.map(({ name }) => ({ value: name, text: name }))];
}

/** Says where the text of the search box was looked for; null without one. */
export function searchedText({ fields: { q }, id, filter }: Search): string | null {
  if (q === "") return null;
  if (id !== null) return "Searched message ids.";
  const named = `“${q}”`;
  if (filter.text !== undefined) {
    return `Searched recipients and subjects that contain ${named}, and messages with the tag ${named}.`;
  }
  if (filter.messageId !== undefined) return `Searched for the Message-ID ${filter.messageId}.`;
  if (filter.recipient !== undefined) return recipientText(filter.recipient);
  if (filter.tag !== undefined) return `Searched messages with the tag ${named}.`;
  return filter.subject === undefined
    ? `Searched messages from the sender ${named}.`
    : `Searched subjects that contain ${named}.`;
}

function recipientText(text: string): string {
  if (text.startsWith("@")) return `Searched recipients at the domain “${text.slice(1)}”.`;
  return `Searched recipients that ${text.includes("@") ? "begin with" : "contain"} “${text}”.`;
}

/** A filter that is set, in words. */
export interface SetFilter {
  name: FilterName;
  label: string;
  text: string;
  /** The moment, of a time; else null. */
  atMs: number | null;
}

/** The filters that are set, in the order of the form. */
export const filtersSet = (props: Pick<SearchFormProps, "search" | "keys">): SetFilter[] =>
  FILTERS.filter((name) => props.search.fields[name] !== "").map((name) => ({
    name,
    label: LABELS[name],
    text: valueText(name, props),
    atMs: TIMES.has(name) ? timeOf(props.search.fields[name]) : null,
  }));

/** Each link removes a filter. */
export function FilterChips(props: SearchFormProps) {
  const { fields } = props.search;
  const filters = filtersSet(props);
  if (filters.length === 0) return null;
  return (
    <ul class="chips" aria-label="Filters">
      {filters.map(({ name, label, text, atMs }) => {
        const title = `${label}: ${text}`;
        const rest = messagesPath({ fields: { ...fields, [name]: "" } });
        return (
          <li key={name}>
            <a class="chip" href={rest} title={title} aria-label={`Remove the filter ${title}`}>
              <span class="cut">
                {label}: {atMs === null ? text : <Timestamp atMs={atMs} />}
              </span>
              <span aria-hidden="true">×</span>
            </a>
          </li>
        );
      })}
      {filters.length < 2 ? null : (
        <li>
          <a href="/dashboard/messages">Remove all filters</a>
        </li>
      )}
    </ul>
  );
}

type FilterName = Exclude<SearchField, "in">;

const LABELS: Readonly<Record<FilterName, string>> = {
  q: "Search",
  result: "Result",
  category: "Category",
  kind: "Kind",
  from: "Sender",
  subject: "Subject contains",
  tag: "Tag",
  key: "API key",
  domain: "Sending domain",
  since: "Accepted from",
  until: "Accepted before",
  reason: "Reason",
  result_since: "Result since",
  result_until: "Result before",
};

const TIMES: ReadonlySet<SearchField> = new Set(["since", "until", "result_since", "result_until"]);

const FILTERS = Object.keys(LABELS) as FilterName[];

function valueText(name: FilterName, { search: { fields }, keys }: Pick<SearchFormProps, "search" | "keys">): string {
  const value = fields[name];
  const place = PLACE_OPTIONS.find((option) => option.value === fields.in)?.text.toLowerCase();
  switch (name) {
    case "q":
      return fields.in === "" ? value : `${value} in ${place}`;
    case "result":
      return textOf(RESULT_OPTIONS, value);
    case "category":
      return textOf(CATEGORY_OPTIONS, value);
    case "kind":
      return textOf(KIND_OPTIONS, value);
    case "key":
      return textOf(keyOptions(keys), value);
    default:
      return TIMES.has(name) ? `${value.replace("T", " ")} UTC` : value;
  }
}

const textOf = (options: readonly Option[], value: string): string =>
  options.find((option) => option.value === value)?.text ?? value;
