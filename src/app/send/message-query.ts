/**
 * What one search box means: decides by the form of a text where it is looked for, so that every way in searches alike. A place can
 * be named instead.
 */
import { momentOfMessageId } from "../../message/ids.ts";
import type { MessageFilter } from "../../spool/port/reports.ts";

/** Where a text can be looked for. */
const SEARCH_PLACES = ["recipient", "sender", "subject", "tag", "message_id"] as const;

export type SearchPlace = (typeof SEARCH_PLACES)[number];

export const isSearchPlace = (text: string): text is SearchPlace => (SEARCH_PLACES as readonly string[]).includes(text);

/** The parts of a filter that a query sets. */
export type QueryFilter = Pick<MessageFilter, "recipient" | "from" | "subject" | "tag" | "messageId" | "text">;

export type MessageQuery =
  /** The id of a message, which may not exist. */
  { type: "id"; id: string } | { type: "filter"; filter: QueryFilter };

/** Returns what a text means, alone or in one place. `text` has no white space around it; an empty one selects all messages. */
export function queryOf(text: string, place: SearchPlace | null): MessageQuery {
  if (text === "") return { type: "filter", filter: {} };
  if (place === null && text.startsWith("msg_")) return { type: "id", id: text };
  return { type: "filter", filter: filterOf(text, place ?? placeOf(text)) };
}

function filterOf(text: string, place: SearchPlace | null): QueryFilter {
  switch (place) {
    case null:
      return { text };
    case "recipient":
      return { recipient: text };
    case "sender":
      return { from: text };
    case "subject":
      return { subject: text };
    case "tag":
      return { tag: text };
    case "message_id":
      return { messageId: inBrackets(text) };
  }
}

/** Null for a text that may be a word of a subject, a part of an address or a tag. */
function placeOf(text: string): SearchPlace | null {
  if (MESSAGE_ID.test(text) || isMadeByPostrider(text)) return "message_id";
  return /^\S*@\S*$/.test(text) ? "recipient" : null;
}

/** A Message-ID as a header field has it, with or without the field's name. */
const MESSAGE_ID = /^(message-id:\s*)?<[^<>]*>$/i;

const inBrackets = (text: string): string => {
  const bare = text.replace(/^message-id:\s*/i, "");
  return bare.startsWith("<") ? bare : `<${bare}>`;
};

/** Copied without the angle brackets, a Message-ID looks like an address. */
const YEAR_2020_MS = Date.UTC(2020);
const YEAR_2100_MS = Date.UTC(2100);

function isMadeByPostrider(text: string): boolean {
  const atMs = momentOfMessageId(`<${text}>`);
  return atMs !== null && atMs >= YEAR_2020_MS && atMs < YEAR_2100_MS;
}
