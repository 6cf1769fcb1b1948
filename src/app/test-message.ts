/** Sends a test message from a domain to the email address of the user who asks for it. */
import { rfc3339 } from "../lib/clock.ts";
import type { Domain } from "../spool/port/domains.ts";
import { type ServiceMessageParts, sendServiceMessage } from "./service-message.ts";

/** The key id of messages that were sent from the dashboard. */
export const DASHBOARD_KEY = "dashboard";

export type TestMessageResult = { type: "accepted"; id: string } | { type: "rejected"; detail: string };

/** `accepted` means on disk. Rejects with SpoolUnavailable. */
export async function sendTestMessage(
  parts: ServiceMessageParts,
  domain: Domain,
  { to, requestId }: { to: string; requestId: string },
): Promise<TestMessageResult> {
  const result = await sendServiceMessage(parts, {
    ...{ keyId: DASHBOARD_KEY, domain, local: "hello", to, requestId, idempotencyKey: null },
    subject: `It works: a message from ${domain.name}`,
    ...bodies(domain.name, parts.clock.now()),
  });
  return "id" in result ? { type: "accepted", id: result.id } : { type: "rejected", detail: result.detail };
}

function bodies(domain: string, nowMs: number): { text: string; html: string } {
  const sentence = `Postrider accepted this message at ${rfc3339(nowMs)} and delivered it for ${domain}.`;
  const advice = "Its header shows the DKIM signature, and how your provider judged SPF, DKIM and DMARC.";
  return {
    text: `${sentence}\n\n${advice}\n`,
    html: `<p>${sentence}</p><p>${advice}</p>`,
  };
}
