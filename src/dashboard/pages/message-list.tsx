/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The list of messages: search, count, table, and the links to newer and older messages. message-search-form.tsx and
 * message-table.tsx draw its parts.
 */
import { createHash } from "node:crypto";
import { COUNT_MAX, type FoundMessages, type MessageCount } from "../../spool/port/reports.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { Timestamp } from "../views/components.tsx";
import { countText, plural } from "../views/labels.ts";
import { signedInPage } from "../views/layout.tsx";
import { BulkActions } from "./bulk-actions.tsx";
import { isFirst, messagesPath, type Search, searchQuery } from "./message-search.ts";
import { FilterChips, SearchForm, type SearchFormProps, searchedText } from "./message-search-form.tsx";
import { MessageTable } from "./message-table.tsx";
import { NothingFound } from "./nothing-found.tsx";

export interface ListState extends SearchFormProps {
  found: FoundMessages;
  /** The ids of messages in quarantine, of any account. */
  quarantined: ReadonlySet<string>;
  count: MessageCount;
  nowMs: number;
}

export function listPage(auth: AuthContext, state: ListState): string {
  const { found, search, count, nowMs } = state;
  const tagLink = (tag: string): string =>
    messagesPath({
      ...search,
      fields: { ...search.fields, tag, ...(search.fields.in === "tag" ? { q: "", in: "" } : {}) },
    });
  return signedInPage(auth, "/messages", {
    title: "Messages",
    children: (
      <>
        <div class="title-row">
          <h1>Messages</h1>
          <a href="/dashboard/suppressed">Suppressed addresses</a>
        </div>
        <SearchForm {...state} />
        <FilterChips {...state} />
        <ListHead state={state} />
        <div
          id="list"
          data-live={`/dashboard/data/messages?${stateQuery(search, count)}`}
          data-version={listVersion(found)}
        >
          {found.messages.length === 0 ? (
            <NothingFound search={search} found={found} />
          ) : (
            <MessageTable messages={found.messages} quarantined={state.quarantined} tagLink={tagLink} nowMs={nowMs} />
          )}
        </div>
        <div id="pager" data-live-part>
          <Pager state={state} />
        </div>
      </>
    ),
  });
}

/** Changes whenever the list does, except for its relative times. */
export function listVersion({ messages }: FoundMessages): string {
  return createHash("sha256").update(JSON.stringify(messages)).digest("base64url");
}

/** The query of the list's state, for live.js: messages newer than the newest one are announced. */
function stateQuery(search: Search, { newest }: MessageCount): URLSearchParams {
  const query = searchQuery(search, search.position);
  if (newest !== null) query.set("newest", newest);
  return query;
}

/** The count, new messages, and the export. live.js fills the region of new messages. */
function ListHead({ state: { search, found, count } }: { state: ListState }) {
  const searched = searchedText(search);
  return (
    <div class="list-head">
      <div id="count" data-live-part>
        {count.messages === 0 && count.isExact ? null : (
          <p>
            <strong>{countOf(count)}</strong> {search.narrowed ? (count.messages === 1 ? "matches" : "match") : ""}
            {isCountedPart(count) ? <span class="quiet"> so far: not all messages have been searched</span> : null}
          </p>
        )}
        {searched === null ? null : <p class="quiet">{searched}</p>}
      </div>
      <div id="news" class="news" role="status" data-news="new message" data-news-link={messagesPath(search)} />
      {found.messages.length === 0 ? null : <BulkActions search={search} />}
      {found.messages.length === 0 ? null : (
        <a class="button small" href={`/dashboard/messages.csv?${searchQuery(search)}`} download>
          Export as CSV
        </a>
      )}
    </div>
  );
}

/** Whether the count ended early. */
const isCountedPart = ({ messages, isExact }: MessageCount): boolean => !isExact && messages < COUNT_MAX;

function countOf(count: MessageCount): string {
  const { messages, isExact } = count;
  if (isExact) return plural(messages, "message");
  if (messages === 0) return "No messages";
  return isCountedPart(count)
    ? `At least ${plural(messages, "message")}`
    : `More than ${countText(COUNT_MAX)} messages`;
}

/** The links to the newest, newer and older messages, and how far the search has come. */
function Pager({ state: { search, found } }: { state: ListState }) {
  const { messages, cursor, searchedBackToMs } = found;
  const isNewer = search.position.after !== undefined;
  const isNewest = isFirst(search);
  const older = isNewer ? messages.at(-1)?.id : (cursor ?? undefined);
  const newer = isNewest ? undefined : isNewer ? (cursor ?? undefined) : messages[0]?.id;
  if (isNewest && older === undefined) return null;
  const endedEarly = searchedBackToMs !== null;
  return (
    <nav class="bar pager" aria-label="Pages">
      {endedEarly ? (
        <span>
          Searched {isNewer ? "up to" : "back to"} <Timestamp atMs={searchedBackToMs} />.
        </span>
      ) : null}
      {isNewest ? null : (
        <a class="button" href={messagesPath(search)}>
          Newest messages
        </a>
      )}
      {newer === undefined ? null : (
        <a class="button" href={messagesPath(search, { after: newer })} rel="prev">
          {endedEarly && isNewer ? "Search newer messages" : "Newer messages"}
        </a>
      )}
      {older === undefined ? null : (
        <a class="button" href={messagesPath(search, { cursor: older })} rel="next">
          {endedEarly && !isNewer ? "Search older messages" : "Older messages"}
        </a>
      )}
    </nav>
  );
}
