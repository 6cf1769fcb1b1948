/** What both forms of the spool derive from a search's filter. */
import { momentOfMessageId } from "../../message/ids.ts";
import type { FoundRecipient, MessageFilter } from "../port/reports.ts";

/**
 * Returns the filters to search with, one after the other until a message is found. The Message-ID of a message that Postrider has
 * built begins with its time: that moment is searched first.
 */
export function filtersOf(filter: MessageFilter): MessageFilter[] {
  const { messageId, sinceMs = 0, untilMs = Number.POSITIVE_INFINITY } = filter;
  const atMs = messageId === undefined ? null : momentOfMessageId(messageId);
  if (atMs === null || atMs < sinceMs || atMs >= untilMs) return [filter];
  return [{ ...filter, sinceMs: atMs, untilMs: atMs + 1 }, filter];
}

/** The parts of a filter that select recipients. */
export type RecipientFilter = Pick<MessageFilter, "recipient" | "recipientIs" | "result" | "category">;

/** Whether the filter selects the recipient. */
export function isSelected(
  { email, ...state }: Pick<FoundRecipient, "email" | "result" | "category">,
  { recipient = "", recipientIs, result = state.result, category }: RecipientFilter,
): boolean {
  if (result !== state.result || (category !== undefined && category !== state.category)) return false;
  const address = lowered(email);
  const part = lowered(recipient);
  if (recipientIs !== undefined && address !== lowered(recipientIs)) return false;
  if (part.startsWith("@")) return address.endsWith(part);
  return part.includes("@") ? address.startsWith(part) : address.includes(part);
}

/** Lower-cases ASCII letters, as both forms of the spool compare addresses. */
export const lowered = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
