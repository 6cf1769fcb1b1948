/** What a person's decision makes of a recipient, and the entry that it adds to the recipient's history. */
import type { Category } from "../../message/result/category.ts";
import { categoryOfReason } from "../../message/result/classifier.ts";
import { CANCELLED, DISCARDED, isUnknownReason, RESOLVED } from "../../message/result/reasons.ts";
import type { RecipientsDecision, Resolution } from "../port/operations.ts";
import type { QuarantinedMessage } from "../port/quarantine.ts";
import type { DecisionEvent } from "../port/results.ts";

/** A recipient before the decision. */
export interface DecidedRecipient {
  attempts: number;
  reason: string | null;
  category: Category | null;
}

export interface Decided<Result extends DecisionEvent["result"]> {
  result: Result;
  reason: string | null;
  category: Category | null;
  history: DecisionEvent;
}

/** The new state of an unknown recipient. One that has failed keeps the category of its last obstacle. */
export function resolvedRecipient(
  recipient: DecidedRecipient,
  { as: result, ...decision }: Pick<Resolution, "as" | "by" | "nowMs">,
): Decided<Resolution["as"]> {
  const category = result === "delivered" ? null : recipient.category;
  return decided(recipient, { type: "resolved", result, reason: RESOLVED, category }, decision);
}

/**
 * The new state of a pending recipient. One that may have the message must not fail only because somebody cancelled it: it is unknown
 * as before, and a refusal of a later attempt, which would contradict that, is no evidence any more.
 */
export function cancelledRecipient(
  recipient: DecidedRecipient,
  decision: Pick<RecipientsDecision, "by" | "nowMs">,
): Decided<"failed" | "unknown"> {
  const { reason, category } = recipient;
  return isUnknownReason(reason)
    ? decided(recipient, { type: "cancelled", result: "unknown", reason, category: categoryOfReason(reason) }, decision)
    : decided(recipient, { type: "cancelled", result: "failed", reason: CANCELLED, category }, decision);
}

/** The new state of a pending or unknown recipient of a quarantined message, whose damage stays in the history. */
export function discardedRecipient(
  recipient: DecidedRecipient,
  { foundAtMs, part, error }: Pick<QuarantinedMessage, "foundAtMs" | "part" | "error">,
  decision: Pick<RecipientsDecision, "by" | "nowMs">,
): Decided<"failed"> {
  const { category } = recipient;
  const state = decided(recipient, { type: "discarded", result: "failed", reason: DISCARDED, category }, decision);
  return { ...state, history: { ...state.history, damage: { found_at_ms: foundAtMs, part, error } } };
}

function decided<Result extends DecisionEvent["result"]>(
  { attempts }: DecidedRecipient,
  state: Omit<Decided<Result>, "history"> & Pick<DecisionEvent, "type">,
  { by, nowMs }: Pick<RecipientsDecision, "by" | "nowMs">,
): Decided<Result> {
  const { type, ...now } = state;
  const rest = { attempt: attempts, tries: [] as [], next_attempt_at_ms: null };
  return { ...now, history: { at_ms: nowMs, type, ...now, by, ...rest } };
}
