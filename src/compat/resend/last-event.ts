/** What Resend calls the status of an email, for the results of a message's recipients. docs/MIGRATING.md has the table. */
import { CANCELLED, SCHEDULED } from "../../message/result/reasons.ts";
import type { RecipientReport } from "../../spool/port/results.ts";

/** Those of Resend's `last_event` that occur here: the one that needs most attention comes first. */
export const LAST_EVENTS = [
  "bounced",
  "complained",
  "failed",
  "canceled",
  "suppressed",
  "delivery_delayed",
  "queued",
  "scheduled",
  "sent",
  "delivered",
] as const;

export type LastEvent = (typeof LAST_EVENTS)[number];

/** Reasons by which the recipient's server, or its DNS, rejects permanently. The others are this side's, or time that is over. */
const BOUNCES: ReadonlySet<string> = new Set([
  "recipient_refused",
  "sender_refused",
  "message_refused",
  "message_too_large",
  "domain_not_found",
  "null_mx",
  "mail_loop",
]);

type RecipientState = Pick<RecipientReport, "result" | "reason" | "attempts" | "bounce" | "complaint">;

/** Returns the status of a message: that of the recipient which needs most attention. */
export function lastEventOf(recipients: readonly RecipientState[]): LastEvent {
  const events = new Set(recipients.map(eventOf));
  return LAST_EVENTS.find((event) => events.has(event)) ?? "queued";
}

function eventOf({ result, reason, attempts, bounce, complaint }: RecipientState): LastEvent {
  if (bounce !== undefined) return "bounced";
  if (complaint !== undefined) return "complained";
  switch (result) {
    case "delivered":
      return "delivered";
    // The whole message was sent, and may have arrived. It is not sent again automatically.
    case "unknown":
      return "sent";
    case "pending":
      if (attempts > 0) return "delivery_delayed";
      return reason === SCHEDULED ? "scheduled" : "queued";
    case "failed":
      return failureOf(reason ?? "");
  }
}

function failureOf(reason: string): LastEvent {
  if (reason === "suppressed") return "suppressed";
  if (reason === CANCELLED) return "canceled";
  return BOUNCES.has(reason) ? "bounced" : "failed";
}
