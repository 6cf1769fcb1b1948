/**
 * A mail to whoever asks for it, accepted and delivered as any other. It belongs to no API key: its results are looked
 * up here.
 */
import { randomBytes } from "node:crypto";
import type { DashboardParts } from "../dashboard/web/parts.ts";
import { rfc3339 } from "../lib/clock.ts";
import { parseMailbox } from "../message/address.ts";
import { compose } from "../message/compose.ts";
import { messageId as newMessageId, randomToken } from "../message/ids.ts";
import type { Domain } from "../spool/port/domains.ts";

/** What stands for the key in messages that were sent from here. */
export const DASHBOARD_KEY = "dashboard";

export type TestMail = { type: "accepted"; id: string } | { type: "refused"; detail: string };

/** Sends from a verified domain; `accepted` means on disk. */
export async function sendTestMail(
  { spool, clock, sending }: DashboardParts,
  domain: Domain,
  to: string,
): Promise<TestMail> {
  const refusal = sending.refusal();
  if (refusal !== null) return { type: "refused", detail: refusal };
  const recipient = parseMailbox(to);
  const from = parseMailbox(`Postrider <hello@${domain.name}>`);
  if (recipient.type === "invalid") return { type: "refused", detail: `${to} is no address: ${recipient.detail}` };
  if (from.type === "invalid") throw new Error(`${domain.name} makes no sender address: ${from.detail}`);
  const nowMs = clock.now();
  const subject = `It works: mail from ${domain.name}`;
  const messageId = `<${randomToken(18, randomBytes)}@${domain.name}>`;
  const stamp = { messageId, date: new Date(nowMs), boundary: randomBytes(15).toString("hex") };
  const content = await compose({ from, to: [recipient], subject, ...bodies(domain.name, nowMs) }, stamp);
  const acceptance = await spool.accept({
    id: newMessageId(nowMs, randomBytes),
    accountId: domain.accountId,
    keyId: DASHBOARD_KEY,
    domainId: domain.id,
    createdAtMs: nowMs,
    expiresAtMs: nowMs + sending.maxAgeMs,
    from: from.address,
    subject,
    messageId,
    recipients: [{ email: recipient.address, domain: recipient.domain }],
    content,
    idempotency: null,
    quotaDaily: sending.quotaDaily,
    suppressAfter: sending.suppressAfter,
  });
  if (acceptance.type === "accepted") return acceptance;
  return { type: "refused", detail: "The account's daily quota of recipients is used up." };
}

function bodies(domain: string, nowMs: number): { text: string; html: string } {
  const sentence = `Postrider accepted this mail at ${rfc3339(nowMs)} and delivered it for ${domain}.`;
  const advice = "Look at its header for the DKIM signature, and at how your provider judged SPF, DKIM and DMARC.";
  return {
    text: `${sentence}\n\n${advice}\n`,
    html: `<p>${sentence}</p><p>${advice}</p>`,
  };
}
