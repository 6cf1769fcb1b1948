/** @jsxRuntime automatic @jsxImportSource preact */
/** What the pages of the API reference have in common: the way back to the contents, and the search. */
import type { ComponentChildren } from "preact";

/** Of a search, in characters. */
export const SEARCH_MAX = 100;

interface ApiFrameProps {
  /** The search of the page of contents; undefined on other pages. */
  search?: string;
  children: ComponentChildren;
}

export function ApiFrame({ search, children }: ApiFrameProps) {
  return (
    <div class="api stack">
      <div class="api-head">
        {search === undefined ? (
          <p>
            <a href="/dashboard/api">API reference</a>
          </p>
        ) : (
          <h1>API reference</h1>
        )}
        <search>
          <form method="get" action="/dashboard/api" class="bar">
            <label class="unseen" for="api-search">
              Search the API
            </label>
            <input
              id="api-search"
              type="search"
              name="q"
              value={search ?? ""}
              maxLength={SEARCH_MAX}
              placeholder="Operation, field or error"
            />
            <button type="submit">Search</button>
          </form>
        </search>
      </div>
      {children}
    </div>
  );
}
