/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The menu of actions on all recipients of a search, for the list of messages. It is open for unknown recipients, who wait for a decision.
 */
import { ACTED_RESULTS, type BulkAction } from "../../app/decide/bulk-actions.ts";
import { ButtonLink, usePermission } from "../views/permissions.tsx";
import { BULK_TEXTS } from "./bulk-texts.ts";
import { type Search, searchQuery } from "./message-search.ts";

export function BulkActions({ search }: { search: Search }) {
  const { result } = search.filter;
  const actions = (Object.keys(ACTED_RESULTS) as BulkAction[]).filter(
    (action) => result === undefined || ACTED_RESULTS[action] === result,
  );
  const isAllowed = usePermission("POST /dashboard/bulk/cancel");
  if (search.id !== null || actions.length === 0 || !isAllowed) return null;
  return (
    <details class="menu" open={result === "unknown"}>
      <summary>Act on all recipients</summary>
      <div class="bar">
        {actions.map((action) => (
          <ButtonLink key={action} href={`/dashboard/bulk/${action}?${searchQuery(search)}`} class="small">
            {BULK_TEXTS[action].title} …
          </ButtonLink>
        ))}
      </div>
    </details>
  );
}
