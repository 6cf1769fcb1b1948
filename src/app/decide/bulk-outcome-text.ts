/**
 * What has become of the recipients of an action on all recipients of a search that it has not done, in words. The dashboard and the
 * command line each format the numbers.
 */
import type { BulkTotals } from "./bulk-actions.ts";

export interface BulkRest {
  /** At least 1. */
  count: number;
  /** A verb phrase, in the number of `count`. */
  text: string;
}

/** How many of the recipients that were counted have changed before the action came to them. */
export function changedSince(counted: number, totals: BulkTotals): number {
  const { done, unknown, atDot, contentDeleted, pastDeadline, unreadable } = totals;
  return counted - (done + unknown + atDot + contentDeleted + pastDeadline + unreadable);
}

/** One entry for each outcome that a recipient has. */
export function restOf(counted: number, totals: BulkTotals): BulkRest[] {
  const outcomes: [count: number, one: string, many: string][] = [
    [
      totals.unknown,
      "is unknown again: an earlier attempt may have delivered the message",
      "are unknown again: an earlier attempt may have delivered the message",
    ],
    [
      totals.atDot,
      "stays pending: its whole message was already sent",
      "stay pending: their whole message was already sent",
    ],
    [totals.contentDeleted, "was left out: the content was deleted", "were left out: the content was deleted"],
    [totals.pastDeadline, "was left out: its expires_in is over", "were left out: their expires_in is over"],
    [totals.unreadable, "was left out: the stored message is damaged", "were left out: the stored message is damaged"],
    [
      changedSince(counted, totals),
      "was not changed: its result has changed in the meantime",
      "were not changed: their result has changed in the meantime",
    ],
  ];
  return outcomes
    .filter(([count]) => count > 0)
    .map(([count, one, many]) => ({ count, text: count === 1 ? one : many }));
}
