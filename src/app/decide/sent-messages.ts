/**
 * What a client does to a message that it has sent, by its API key: cancels its pending recipients, or sends it at another time as long
 * as its time has not come.
 */
import type { ApiKey } from "../../spool/port/api-keys.ts";
import { MessageDamaged } from "../../spool/port/errors.ts";
import type { MessageReport } from "../../spool/port/results.ts";
import type { Spool } from "../../spool/port/spool.ts";
import { cancelRecipients, keyText, recipientsWith } from "./decide-recipients.ts";

interface Decision {
  key: ApiKey;
  nowMs: number;
}

/** Cancels the pending recipients of a message. `at_final_dot`: each of them may be delivered already. */
export async function cancelMessage(
  spool: Pick<Spool, "cancel">,
  report: Pick<MessageReport, "id" | "recipients">,
  { key, nowMs }: Decision,
): Promise<"cancelled" | "nothing_pending" | "at_final_dot"> {
  const recipients = recipientsWith(report, "pending");
  if (recipients.length === 0) return "nothing_pending";
  const decision = { accountId: key.accountId, recipients, by: keyText(key), nowMs };
  const { cancelled, unknown, atDot, unreadable } = await cancelRecipients(spool, decision);
  if (cancelled + unknown > 0) return "cancelled";
  if (unreadable > 0) throw new MessageDamaged("its recipients cannot be changed");
  return atDot > 0 ? "at_final_dot" : "nothing_pending";
}

/** Returns false if the message is not scheduled, or not any more. */
export const sendMessageAt = (
  spool: Pick<Spool, "reschedule">,
  { id: messageId }: Pick<MessageReport, "id">,
  { key, nowMs, sendAtMs }: Decision & { sendAtMs: number },
): Promise<boolean> => spool.reschedule({ accountId: key.accountId, messageId, sendAtMs, by: keyText(key), nowMs });
