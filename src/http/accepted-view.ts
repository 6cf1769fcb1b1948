/** The response to a message that was accepted, alone or in a batch. It is the same for a replay. */
import type { StatusLinks } from "../app/status/status-links.ts";
import type { Draft } from "../message/compose/draft.ts";

export interface AcceptedDraft {
  id: string;
  draft: Pick<Draft, "summary">;
}

export type AcceptedLinks = Pick<StatusLinks, "linkFor">;

export function acceptedView({ id, draft }: AcceptedDraft, links: AcceptedLinks) {
  const view = { id, state: "accepted" };
  return draft.summary.statusPage ? { ...view, status_url: links.linkFor({ messageId: id, position: 0 }) } : view;
}
