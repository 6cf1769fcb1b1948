/** Messages for tests of the spool and the code above it. */
import { randomBytes } from "node:crypto";
import { contentOf } from "../../src/message/content.ts";
import type { HostAttempt, Outcome, SmtpReply } from "../../src/message/result/outcome.ts";
import type { NewMessage, Settlement } from "../../src/spool/port/mail.ts";

export const HOUR_MS = 3_600_000;

/** A message with one recipient, due now; any field can be overridden. */
export function newMessage(parts: Partial<NewMessage> = {}): NewMessage {
  return {
    id: `msg_${randomBytes(12).toString("hex")}`,
    accountId: "acc_default",
    keyId: "key_a",
    domainId: "dom_a",
    createdAtMs: 1_000_000,
    expiresAtMs: 1_000_000 + 48 * HOUR_MS,
    from: "news@shop.example",
    subject: "Hello",
    messageId: "<m@shop.example>",
    recipients: [{ email: "ann@customers.example", domain: "customers.example" }],
    idempotency: null,
    quotaDaily: 0,
    suppressAfter: 0,
    ...bytesOf(parts.content ?? Buffer.from("Subject: Hello\r\n\r\nHi\r\n")),
    ...parts,
  };
}

function bytesOf(content: Buffer): Pick<NewMessage, "content" | "bodyHash"> {
  return { content, bodyHash: contentOf(content).bodyHash };
}

/** `count` recipients at one domain. */
export function recipientsAt(domain: string, count: number): NewMessage["recipients"] {
  return Array.from({ length: count }, (_, i) => ({ email: `user${i}@${domain}`, domain }));
}

/** A settlement of one recipient; `nextAttemptAtMs` goes with `pending`. */
export function settlement(
  position: number,
  result: Settlement["result"],
  nextAttemptAtMs: number | null = null,
): Settlement {
  const outcome: Outcome["type"] = result === "pending" ? "deferred" : result;
  const [reason, category] = result === "delivered" ? [null, null] : ["test", "other" as const];
  return { position, result, reason, category, nextAttemptAtMs, smtp: null, outcome, tries: [] };
}

/** The record of a host that did not reply to the final dot. */
export function finalDotAt(mx: string): HostAttempt {
  const error = "the connection was closed";
  return { mx, ip: "192.0.2.1", tls: null, stage: "final_dot", reply: null, error, note: null, policy: null };
}

/** The record of a host's reply to RCPT, over plain text. */
export function rcptReply(reply: SmtpReply): HostAttempt {
  return { mx: "mx", ip: null, tls: null, stage: "rcpt", reply, error: null, note: null, policy: null };
}
