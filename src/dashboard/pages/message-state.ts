/** What the parts of a message's page show, and the links between them. */

import type { ReadableContent } from "../../message/reading/readable-content.ts";
import type { ClosedDestination } from "../../message/result/closed-destination.ts";
import type { ApiKey } from "../../spool/port/api-keys.ts";
import type { MessageReport, RecipientReport } from "../../spool/port/results.ts";
import type { AuthContext } from "../auth/sessions.ts";

/** The parts of the content, one of which is shown. */
export const CONTENT_TABS = ["preview", "text", "source", "attachments"] as const;

export type ContentTab = (typeof CONTENT_TABS)[number];

export interface MessageState {
  report: MessageReport;
  /** Null once the retention period is over. */
  content: ReadableContent | null;
  /** Null for a message of the service itself. */
  key: ApiKey | null;
  /** Recipient domains that an operator has paused. */
  paused: ReadonlySet<string>;
  /** The closed destinations of pending recipients, by recipient domain. */
  closed: ReadonlyMap<string, ClosedDestination>;
  nowMs: number;
  /** The name of the notice about an action; empty without one. */
  done: string;
  /** The position of the recipient whose row is opened by the link; null for none. */
  opened: number | null;
  /** Null for the first that the message has. */
  tab: ContentTab | null;
}

export interface RecipientProps {
  auth: AuthContext;
  recipient: RecipientReport;
  state: MessageState;
}

/** Where a page is: what of the message it shows. */
export interface MessagePlace {
  tab: ContentTab | null;
  /** The position of a recipient whose row is open. */
  opened?: number;
  /** The name of the notice about an action. */
  done?: string;
}

/** Returns the place that a query or a form names. Values that cannot be read are ignored. */
export function readPlace(textOf: (name: string) => unknown): Pick<MessageState, "opened" | "tab"> {
  const [tab, opened] = [textOf("view"), textOf("recipient")];
  return {
    tab: CONTENT_TABS.find((each) => each === tab) ?? null,
    opened: typeof opened === "string" && /^\d{1,6}$/.test(opened) ? Number(opened) : null,
  };
}

/** The link to a message's page at this place. */
export function messagePath(messageId: string, { tab, opened, done }: MessagePlace): string {
  const query = new URLSearchParams({
    ...(tab === null ? {} : { view: tab }),
    ...(opened === undefined ? {} : { recipient: String(opened) }),
    ...(done === undefined ? {} : { done }),
  });
  const anchor = opened === undefined ? "" : `#${recipientAnchor(opened)}`;
  return `/dashboard/messages/${messageId}${query.size === 0 ? "" : `?${query}`}${anchor}`;
}

export const recipientAnchor = (position: number): string => `recipient-${position}`;
