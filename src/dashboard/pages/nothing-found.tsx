/** @jsxRuntime automatic @jsxImportSource preact */
/** What the list of messages shows instead of its table: why it is empty, and what to do next. */
import type { FoundMessages } from "../../spool/port/reports.ts";
import { EmptyState } from "../views/components.tsx";
import { ButtonLink, usePermission } from "../views/permissions.tsx";
import { isFirst, messagesPath, SEARCH_FIELDS, type Search } from "./message-search.ts";

export function NothingFound({ search, found }: { search: Search; found: Pick<FoundMessages, "cursor"> }) {
  if (found.cursor !== null) {
    return (
      <EmptyState title="No messages found so far">
        <p>Not all messages have been searched yet. The button below continues the search.</p>
      </EmptyState>
    );
  }
  if (search.id !== null) {
    return (
      <EmptyState title="No message has this id">
        <p>
          Check that the id is complete. The message may belong to another account, or may have been deleted after the
          retention period.
        </p>
        <p>
          <a href="/dashboard/messages">Show all messages</a>
        </p>
      </EmptyState>
    );
  }
  if (search.narrowed) return <NothingMatches search={search} />;
  return isFirst(search) ? <NoMessages /> : <EmptyState title="No further messages" />;
}

function NoMessages() {
  const maySend = usePermission("POST /dashboard/start");
  return (
    <EmptyState title="No messages yet">
      <p>Messages that are sent over the API or SMTP appear here as soon as they are accepted.</p>
      <p class="empty-actions">
        {maySend ? (
          <ButtonLink href="/dashboard/start" class="primary">
            Send the first message
          </ButtonLink>
        ) : null}
        <ButtonLink href="/dashboard/api">API reference</ButtonLink>
      </p>
    </EmptyState>
  );
}

/** Each link leaves out a part of the search. */
function NothingMatches({ search: { fields, filter } }: { search: Search }) {
  const { q, in: place } = fields;
  const others = SEARCH_FIELDS.filter((name) => name !== "q" && name !== "in" && fields[name] !== "");
  const bare = Object.fromEntries(SEARCH_FIELDS.map((name) => [name, ""])) as Search["fields"];
  return (
    <EmptyState title="No messages found">
      {filter.result === "unknown" ? <p>No unknown recipient matches, so nothing here needs your decision.</p> : null}
      <ul class="empty-actions">
        {q === "" || place === "" ? null : (
          <li>
            <a href={messagesPath({ fields: { ...fields, in: "" } })}>Search everywhere for “{q}”</a>
          </li>
        )}
        {q === "" || others.length === 0 ? null : (
          <li>
            <a href={messagesPath({ fields: { ...bare, q, in: place } })}>Search without the other filters</a>
          </li>
        )}
        <li>
          <a href="/dashboard/messages">Show all messages</a>
        </li>
      </ul>
    </EmptyState>
  );
}
