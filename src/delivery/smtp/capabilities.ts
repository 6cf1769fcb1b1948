/**
 * The capabilities that a server offers in its reply to EHLO (RFC 5321 §4.1.1.1), as far as this client uses them. CHUNKING and
 * all others are ignored.
 */
import type { SmtpReply } from "../../message/result/outcome.ts";

export interface Capabilities {
  pipelining: boolean;
  /** The largest message in bytes (RFC 1870); 0 when SIZE is offered without a limit, null when it is not offered. */
  size: number | null;
  eightBitMime: boolean;
  smtpUtf8: boolean;
  enhancedStatusCodes: boolean;
  startTls: boolean;
  /** Delivery status notifications (RFC 3461). */
  dsn: boolean;
  /** Most recipients in a transaction (RFC 9422); null without a limit. */
  rcptMax: number | null;
  /** Most transactions in a session (RFC 9422); null without a limit. */
  mailMax: number | null;
}

/** The capabilities of a server that only supports HELO. */
export const NO_CAPABILITIES: Readonly<Capabilities> = {
  pipelining: false,
  size: null,
  eightBitMime: false,
  smtpUtf8: false,
  enhancedStatusCodes: false,
  startTls: false,
  dsn: false,
  rcptMax: null,
  mailMax: null,
};

/** Reads a 2xx reply to EHLO; its first line is the server's name. */
export function capabilitiesOf(reply: SmtpReply): Capabilities {
  const offered = new Map<string, string[]>();
  for (const line of reply.message.split("\n").slice(1)) {
    const [keyword, ...parameters] = line.trim().toUpperCase().split(/\s+/u);
    if (keyword !== undefined && keyword !== "") offered.set(keyword, parameters);
  }
  const limits = offered.get("LIMITS") ?? [];
  return {
    pipelining: offered.has("PIPELINING"),
    size: offered.has("SIZE") ? sizeOf(offered.get("SIZE")?.[0]) : null,
    eightBitMime: offered.has("8BITMIME"),
    smtpUtf8: offered.has("SMTPUTF8"),
    enhancedStatusCodes: offered.has("ENHANCEDSTATUSCODES"),
    startTls: offered.has("STARTTLS"),
    dsn: offered.has("DSN"),
    rcptMax: limitOf(limits, "RCPTMAX"),
    mailMax: limitOf(limits, "MAILMAX"),
  };
}

function sizeOf(parameter: string | undefined): number {
  return parameter !== undefined && /^\d{1,20}$/u.test(parameter) ? Number(parameter) : 0;
}

function limitOf(limits: string[], name: string): number | null {
  const value = limits.find((limit) => limit.startsWith(`${name}=`))?.slice(name.length + 1);
  return value !== undefined && /^[1-9]\d{0,5}$/u.test(value) ? Number(value) : null;
}
