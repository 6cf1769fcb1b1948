/** Sends the sink's bounces by SMTP, each from the null sender in its own session, and reports each in a line. */
import { createTransport } from "nodemailer";
import { SINK_HOST } from "./bounce.ts";
import type { SinkBounce } from "./later-bounces.ts";

export interface SmtpHost {
  host: string;
  port: number;
}

const TIMEOUT_MS = 10_000;

/** Returns a function that sends a bounce to `target`, or nowhere if it is null, and resolves with what became of it. Never rejects. */
export function bounceSender(target: SmtpHost | null): (bounce: SinkBounce) => Promise<string> {
  if (target === null) return async ({ envelopeSender }) => `bounce for <${envelopeSender}> not sent: no host is given`;
  const { host, port } = target;
  const timeouts = { connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS };
  // The host is the tester's own, and its certificate may be self-signed.
  const transport = createTransport({ host, port, name: SINK_HOST, tls: { rejectUnauthorized: false }, ...timeouts });
  return async ({ envelopeSender, content }) => {
    const bounce = `bounce for <${envelopeSender}>`;
    try {
      const { response } = await transport.sendMail({ envelope: { from: "", to: envelopeSender }, raw: content });
      return `${bounce} sent to ${host}:${port}: ${response}`;
    } catch (error) {
      return `${bounce} not sent to ${host}:${port}: ${(error as Error).message}`;
    }
  };
}
