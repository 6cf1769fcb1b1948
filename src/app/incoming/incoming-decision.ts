/** What an incoming mail changes, and what became of it. */
import type { ReturnPath } from "../../message/return-path.ts";
import type { IncomingEffect } from "../../spool/port/incoming.ts";

/**
 * What became of a mail. `unverified`: a complaint that nothing proves; `unknown`: neither a bounce, nor a complaint, nor a report;
 * `automatic`: a reply of a program; `dropped`: over the limit of a day or an hour; `set_aside`: reading it took
 * too long, or ended the process.
 */
export const INCOMING_OUTCOMES = [
  ...(["bounced", "complained", "unverified", "confirmed", "report", "forwarded"] as const),
  ...(["automatic", "unknown", "unmatched", "unreadable", "dropped", "set_aside"] as const),
] as const;

export type IncomingOutcome = (typeof INCOMING_OUTCOMES)[number];

export interface Decision {
  effect: IncomingEffect;
  outcome: IncomingOutcome;
}

export const NOTHING = { type: "none" } as const;
export const ignored = (outcome: IncomingOutcome): Decision => ({ effect: NOTHING, outcome });

export type RecipientName = Pick<ReturnPath, "messageId" | "position">;

export const nameOf = ({ messageId, position }: RecipientName): RecipientName => ({ messageId, position });
