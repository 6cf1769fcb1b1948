/** Addresses that are suppressed by a set cause, without refusals, as they are stored. */
import { parseMailbox } from "../../message/address.ts";
import {
  combinedSuppression,
  isEnded,
  refusalKey,
  type SetSuppression,
  type Suppression,
} from "../../message/result/suppression.ts";
import type { NewSuppression } from "../port/suppressions.ts";

/** A row to write. */
export interface SuppressionRow extends NewSuppression {
  /** The message that the feedback is about; absent for a suppression that was added. */
  messageId?: string;
}

/** Returns the key of an email address; null if it is none. */
export function addressOf(email: string): string | null {
  const mailbox = parseMailbox(email);
  return mailbox.type === "invalid" ? null : refusalKey(mailbox.address, mailbox.domain);
}

/** Returns the suppression of an address; null if it has ended. */
export const suppressionBy = (stored: SetSuppression, nowMs: number): Suppression | null =>
  isEnded(stored, nowMs) ? null : { cause: stored.cause, sinceMs: stored.atMs, untilMs: stored.untilMs, refusals: [] };

/** Returns rows with one row for each address, in the order of the addresses. */
export function mergedRows(rows: readonly SuppressionRow[], nowMs: number): SuppressionRow[] {
  const merged = new Map<string, SuppressionRow>();
  for (const row of rows) {
    const known = merged.get(row.address);
    merged.set(row.address, known === undefined ? row : { ...row, ...combinedSuppression(known, row, nowMs) });
  }
  return [...merged.values()].toSorted((a, b) => (a.address < b.address ? -1 : 1));
}

/** What a write does to the rows of its addresses. */
export interface SuppressionChanges {
  added: SuppressionRow[];
  changed: SuppressionRow[];
  /** How many stay as they are. */
  already: number;
  /** How many of `changed` replace a suppression that has ended. */
  renewed: number;
}

/** Decides the changes; `stored` has the rows of some of the addresses, and `rows` one for each address. */
export function suppressionChanges(
  rows: readonly SuppressionRow[],
  stored: readonly NewSuppression[],
  nowMs: number,
): SuppressionChanges {
  const known = new Map(stored.map((row) => [row.address, row]));
  const changes: SuppressionChanges = { added: [], changed: [], already: 0, renewed: 0 };
  for (const row of rows) {
    const before = known.get(row.address);
    if (before === undefined) {
      changes.added.push(row);
      continue;
    }
    const { cause, atMs, untilMs } = combinedSuppression(before, row, nowMs);
    if (cause === before.cause && atMs === before.atMs && untilMs === before.untilMs) {
      changes.already += 1;
      continue;
    }
    changes.changed.push({ ...row, cause, atMs, untilMs });
    if (isEnded(before, nowMs)) changes.renewed += 1;
  }
  return changes;
}
