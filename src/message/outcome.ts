/**
 * What one attempt means for one recipient, as a value.
 * Only delivery/verdict.ts makes these; the spool stores them; reports show them.
 */
import type { Category } from "./category.ts";

/** The result that the outside sees for a recipient. `pending` also covers a recipient that is in an attempt. */
export type Result = "delivered" | "failed" | "pending" | "unknown";

/** How far an SMTP conversation had come when something was said or went wrong. */
export type Stage =
  | "dns"
  | "connect"
  | "greeting"
  | "ehlo"
  | "starttls"
  | "mail"
  | "rcpt"
  | "data"
  | "content"
  | "final_dot";

/**
 * TLS as it was on a connection. `verified` tells whether the certificate is the host's, by the trust anchors or by DANE;
 * opportunistic TLS does not ask for it.
 */
export interface TlsRecord {
  protocol: string;
  cipher: string;
  verified: boolean;
}

/** A peer's reply (RFC 5321 §4.2), with the enhanced code of RFC 3463 when its class agrees. `message` is bounded UTF-8, lines joined by "\n". */
export interface SmtpReply {
  code: number;
  enhanced_code: string | null;
  message: string;
}

/** One host and address that was tried in an attempt, and how it ended for the recipient. */
export interface Try {
  mx: string;
  ip: string | null;
  tls: TlsRecord | null;
  stage: Stage;
  reply: SmtpReply | null;
  /** What went wrong where there was no reply, in words; null when the reply says it. */
  error: string | null;
  /** Something a reader should know besides, such as "starttls failed, continued in plain text". */
  note: string | null;
  /** Which policy ruled on TLS with the host: "none", "mta-sts enforce", "mta-sts testing" or "dane"; null before one is known. */
  policy: string | null;
}

/** The decisive reply with where it came from, as the lookup shows it. `tls` is the protocol's name or null. */
export interface SmtpRecord extends SmtpReply {
  mx: string;
  ip: string | null;
  tls: string | null;
}

export type Outcome =
  | { type: "delivered"; smtp: SmtpRecord; tries: Try[] }
  | { type: "failed"; reason: string; category: Category; smtp: SmtpRecord | null; tries: Try[] }
  /** `atOnce`: a stop of the service broke the attempt off, so the next one waits for no gap. */
  | { type: "deferred"; reason: string; category: Category; smtp: SmtpRecord | null; tries: Try[]; atOnce?: true }
  | { type: "unknown"; reason: string; category: Category; smtp: SmtpRecord | null; tries: Try[] };
