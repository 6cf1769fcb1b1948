/** What both forms of the spool derive from a search's filter. */
import { momentOfMessageId } from "../../message/ids.ts";
import type { ActedFilter, FoundRecipient, MessageFilter } from "../port/reports.ts";

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
export type RecipientFilter = Pick<MessageFilter, "recipient" | "recipientIs" | "result" | StateName>;

type StateName = "category" | "reason" | "resultSinceMs" | "resultUntilMs";

/** Whether the filter selects the recipient. */
export function isSelected(
  { email, ...state }: Pick<FoundRecipient, "email" | "result" | "category" | "reason" | "updatedAtMs">,
  { recipient = "", recipientIs, result = state.result, ...filter }: RecipientFilter,
): boolean {
  if (result !== state.result || !hasState(state, filter)) return false;
  const address = lowered(email);
  const part = lowered(recipient);
  if (recipientIs !== undefined && address !== lowered(recipientIs)) return false;
  if (part.startsWith("@")) return address.endsWith(part);
  return part.includes("@") ? address.startsWith(part) : address.includes(part);
}

function hasState(
  { category, reason, updatedAtMs }: Pick<FoundRecipient, "category" | "reason" | "updatedAtMs">,
  filter: Pick<MessageFilter, StateName>,
): boolean {
  const { resultSinceMs = Number.NEGATIVE_INFINITY, resultUntilMs = Number.POSITIVE_INFINITY } = filter;
  if (updatedAtMs < resultSinceMs || updatedAtMs >= resultUntilMs) return false;
  return category === (filter.category ?? category) && reason === (filter.reason ?? reason);
}

/** Whether an action's filter selects the recipient. */
export const isActed = (
  recipient: Pick<FoundRecipient, "email" | "result" | "category" | "reason" | "updatedAtMs">,
  filter: ActedFilter,
): boolean =>
  isSelected(recipient, filter) &&
  !(recipient.reason !== null && (filter.exceptReasons ?? []).includes(recipient.reason)) &&
  (filter.unchangedSinceMs === undefined || recipient.updatedAtMs <= filter.unchangedSinceMs);

/** The domain of a stored address, for counts by domain. */
export const shownDomain = (email: string): string => lowered(email.slice(email.lastIndexOf("@") + 1));

/** Lower-cases ASCII letters, as both forms of the spool compare addresses. */
export const lowered = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
