/**
 * Sends a test message from a domain to the email address of the user who asks for it. It is accepted and delivered like any
 * other message; it belongs to no API key.
 */
import { type Clock, rfc3339 } from "../lib/clock.ts";
import { pooledRandomBytes } from "../lib/random.ts";
import { parseMailbox } from "../message/address.ts";
import { draftOf } from "../message/draft.ts";
import { randomToken } from "../message/ids.ts";
import type { Domain } from "../spool/port/domains.ts";
import type { AcceptMessage } from "./accept-message.ts";

/** The key id of messages that were sent from the dashboard. */
export const DASHBOARD_KEY = "dashboard";

export type TestMessageResult = { type: "accepted"; id: string } | { type: "rejected"; detail: string };

export interface TestMessageParts {
  acceptMessage: Pick<AcceptMessage, "accept">;
  clock: Clock;
}

/** `accepted` means on disk. Rejects with SpoolUnavailable. */
export async function sendTestMessage(
  { acceptMessage, clock }: TestMessageParts,
  domain: Domain,
  to: string,
): Promise<TestMessageResult> {
  const recipient = parseMailbox(to);
  const from = parseMailbox(`Postrider <hello@${domain.name}>`);
  if (recipient.type === "invalid") {
    return { type: "rejected", detail: `${to} is not a valid email address: ${recipient.detail}` };
  }
  if (from.type === "invalid") throw new Error(`${domain.name} makes no sender address: ${from.detail}`);
  const receivedAtMs = clock.now();
  const subject = `It works: a message from ${domain.name}`;
  const submission = { from, to: [recipient], subject, ...bodies(domain.name, receivedAtMs) };
  const result = await acceptMessage.accept({
    accountId: domain.accountId,
    keyId: DASHBOARD_KEY,
    draft: draftOf(submission, {
      token: randomToken(18, pooledRandomBytes),
      dateMs: receivedAtMs,
      boundary: pooledRandomBytes(15).toString("hex"),
    }),
    idempotencyKey: null,
    receivedAtMs,
    isRated: false,
  });
  return result.type === "rejected" ? result : { type: "accepted", id: result.id };
}

function bodies(domain: string, nowMs: number): { text: string; html: string } {
  const sentence = `Postrider accepted this message at ${rfc3339(nowMs)} and delivered it for ${domain}.`;
  const advice = "Its header shows the DKIM signature, and how your provider judged SPF, DKIM and DMARC.";
  return {
    text: `${sentence}\n\n${advice}\n`,
    html: `<p>${sentence}</p><p>${advice}</p>`,
  };
}
