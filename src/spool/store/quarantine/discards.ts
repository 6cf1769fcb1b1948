/**
 * The end of a quarantined message by an operator: every recipient without a final result fails, as far as it can be read and changed.
 * The message's row in the quarantine stays as the evidence, and keeps the message out of claims and counts.
 */
import type { OperationSet } from "../../engine/operations.ts";
import { first, type NewState, type Session } from "../../engine/session.ts";
import { statement } from "../../engine/statement.ts";
import type { DiscardedMessage, DiscardRequest, QuarantinedMessage } from "../../port/quarantine.ts";
import { discardedRecipient } from "../../records/decision.ts";
import { DISCARD_ROW, IN_QUARANTINE } from "../../records/quarantined.ts";

const find = statement<Pick<QuarantinedMessage, "seq" | "messageId" | "foundAtMs" | "part" | "error">>(
  `SELECT seq, message_id AS "messageId", found_at_ms AS "foundAtMs", part, error FROM quarantined
     WHERE ${IN_QUARANTINE} AND (seq = $1 OR message_id = $2)`,
);

const endQuarantine = statement(`UPDATE quarantined SET ${DISCARD_ROW} WHERE seq = $1 AND ${IN_QUARANTINE}`);

/** Returns null if the message is not in quarantine. */
async function discardQuarantined(
  session: Session,
  { message, ...decision }: DiscardRequest,
): Promise<DiscardedMessage | null> {
  const isId = typeof message === "string";
  const found = await first(session, find, [isId ? null : message, isId ? message : null]);
  if (found === null) return null;
  const { seq, messageId } = found;
  const { recipients, unreadable } = await session.takeQuarantined(seq);
  if ((await session.run(endQuarantine, [seq])).count === 0) return null;
  const states = recipients.map((recipient): NewState => {
    const decided = discardedRecipient(recipient, found, decision);
    return { recipient, ...decided, smtp: recipient.smtp, dueMs: null };
  });
  const [{ accountId } = { accountId: "" }] = recipients;
  await session.setStates(states, { accountId, nowMs: decision.nowMs });
  return { seq, messageId, failed: states.length, isComplete: unreadable === 0 };
}

export const discardOperations = { reads: {}, writes: { discardQuarantined } } as const satisfies OperationSet;
