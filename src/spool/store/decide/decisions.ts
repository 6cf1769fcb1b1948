/**
 * A person's decisions about recipients: the result of unknown ones, and the end of pending ones. records/decision.ts decides what they
 * become. Recipients whose state has changed are left out.
 */
import { bind, type OperationSet, type Runner } from "../../engine/operations.ts";
import type { NewState, Session, TakenRecipient } from "../../engine/session.ts";
import type {
  CancelledRecipients,
  Operations,
  RecipientsDecision,
  Resolution,
  ResolvedRecipients,
} from "../../port/operations.ts";
import { cancelledRecipient, type Decided, resolvedRecipient } from "../../records/decision.ts";

/** Transactions of one cancellation. Each lock that it meets is held for milliseconds. */
const CANCEL_ROUNDS_MAX = 5;

/** `locked`: how many were not cancelled yet. */
type CancelledNow = CancelledRecipients & { locked: number };

async function resolveRecipients(session: Session, resolution: Resolution): Promise<ResolvedRecipients> {
  const { recipients, unreadable } = await session.takeRecipients(resolution, "unknown");
  const states = recipients.map((each) => decidedState(each, resolvedRecipient(each, resolution)));
  await session.setStates(states, resolution);
  return { resolved: states.length, unreadable };
}

async function cancelRecipients(session: Session, decision: RecipientsDecision): Promise<CancelledNow> {
  const { recipients, ...left } = await session.takeRecipients(decision, "pending");
  const states = recipients.map((each) => decidedState(each, cancelledRecipient(each, decision)));
  await session.setStates(states, decision);
  const cancelled = states.filter(({ result }) => result === "failed").length;
  return { cancelled, unknown: states.length - cancelled, ...left };
}

/** What contradicts an unknown result is no evidence any more. */
function decidedState(recipient: TakenRecipient, decided: Decided<"delivered" | "failed" | "unknown">): NewState {
  const smtp = decided.result === "unknown" ? null : recipient.smtp;
  return { recipient, ...decided, smtp, dueMs: null };
}

export const decisionOperations = {
  reads: {},
  writes: { resolveRecipients, cancelRecipients },
} as const satisfies OperationSet;

/** `changed` is called with each message whose results may have changed. */
export function decisionsOf(
  runner: Runner,
  changed: (messageId: string) => void,
): Pick<Operations, "resolve" | "cancel"> {
  const operations = bind(decisionOperations, runner);
  const decided = ({ recipients }: RecipientsDecision): void => {
    for (const { messageId } of recipients) changed(messageId);
  };
  return {
    async resolve(resolution) {
      const resolved = await operations.resolveRecipients(resolution);
      decided(resolution);
      return resolved;
    },
    async cancel(decision) {
      const total: CancelledRecipients = { cancelled: 0, unknown: 0, atDot: 0, unreadable: 0 };
      for (let rounds = 1; ; rounds += 1) {
        const { cancelled, unknown, atDot, locked, unreadable } = await operations.cancelRecipients(decision);
        decided(decision);
        total.cancelled += cancelled;
        total.unknown += unknown;
        // A locked recipient is about to begin an attempt, or to reach its final dot.
        if (locked === 0 || rounds === CANCEL_ROUNDS_MAX) return { ...total, atDot: atDot + locked, unreadable };
      }
    },
  };
}
