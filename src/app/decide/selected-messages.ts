/**
 * Actions on messages that were selected one by one: which recipients each is about, and its execution. It is about the same recipients as
 * the action on a search (bulk-actions.ts), and what has changed since they were shown is not changed.
 */
import { DECIDED_REASONS, HELD } from "../../message/result/reasons.ts";
import type { RecipientReport } from "../../spool/port/results.ts";
import type { Spool } from "../../spool/port/spool.ts";
import {
  ACTED_RESULTS,
  actOn,
  add,
  type BulkAction,
  type BulkDecision,
  type BulkTotals,
  NO_TOTALS,
} from "./bulk-actions.ts";
import { pacedSteps } from "./decide-recipients.ts";

/** Messages of one action. */
export const SELECTED_MAX = 50;

export interface Selection {
  action: BulkAction;
  accountId: string;
  /** At most SELECTED_MAX are read. */
  messageIds: readonly string[];
  /** When they were shown. */
  atMs: number;
}

export interface SelectedMessage {
  messageId: string;
  positions: number[];
  /** The addresses, in the order of the positions. */
  emails: string[];
}

/** The messages of the account that have recipients of the action. */
export async function selectedMessages(
  spool: Pick<Spool, "report">,
  { action, accountId, messageIds, atMs }: Selection,
): Promise<SelectedMessage[]> {
  const selected: SelectedMessage[] = [];
  for (const messageId of new Set(messageIds.slice(0, SELECTED_MAX))) {
    const report = await spool.report(messageId, accountId);
    if (report === null || report.accountId !== accountId) continue;
    const acted = report.recipients.filter((recipient) => isActed(recipient, { action, atMs }));
    if (acted.length === 0) continue;
    selected.push({
      messageId,
      positions: acted.map(({ position }) => position),
      emails: acted.map(({ email }) => email),
    });
  }
  return selected;
}

/** Pending ones may just have had another attempt. */
function isActed(
  { result, reason, updatedAtMs }: RecipientReport,
  { action, atMs }: Pick<Selection, "action" | "atMs">,
) {
  if (result !== ACTED_RESULTS[action]) return false;
  if (result !== "pending" && updatedAtMs > atMs) return false;
  if (action === "send-failed-again")
    return reason !== "suppressed" && !DECIDED_REASONS.some((each) => each === reason);
  return action !== "try-now" || reason !== HELD;
}

/** Each step is durable. */
export async function actOnSelected(
  spool: Pick<Spool, "report" | "resolve" | "cancel" | "retry" | "retryFailed">,
  selection: Selection,
  decision: Pick<BulkDecision, "by" | "nowMs" | "maxAgeMs">,
): Promise<BulkTotals> {
  const totals = { ...NO_TOTALS };
  const { action, accountId } = selection;
  const selected = await selectedMessages(spool, selection);
  for await (const recipients of pacedSteps(selected.map(({ messageId, positions }) => ({ messageId, positions }))))
    add(totals, await actOn(spool, { ...decision, action, accountId }, recipients));
  return totals;
}
