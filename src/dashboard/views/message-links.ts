/** Links to the message list with a filter. Test messages are left out, as in the numbers that link there. */
import type { Result } from "../../message/result/outcome.ts";

/** Fields of the search form, by name. */
type Fields = Record<string, string>;

/** The messages that match these fields of the search form. */
export function messagesLink(fields: Fields): string {
  return `/dashboard/messages?${new URLSearchParams({ ...fields, kind: "live" })}`;
}

/** The messages with a recipient that has had this result since a moment. */
export const resultLink = (result: Result, sinceMs: number): string =>
  messagesLink({ result, result_since: fieldTime(sinceMs) });

/** The messages with a recipient that failed since a moment and matches these fields. */
export const failedLink = (sinceMs: number, fields: Fields): string =>
  messagesLink({ result: "failed", ...fields, result_since: fieldTime(sinceMs) });

/** The messages accepted since a moment. */
export const acceptedLink = (sinceMs: number): string => messagesLink({ since: fieldTime(sinceMs) });

/** The value of a datetime-local field, in UTC. */
const fieldTime = (atMs: number): string => new Date(atMs).toISOString().slice(0, 16);
