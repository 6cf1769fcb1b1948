/**
 * The outcome of one delivery attempt for one recipient, as a value. Only delivery/verdict.ts decides outcomes; the spool stores
 * them and reports show them.
 */
import type { Category } from "./category.ts";

/** The results of a recipient as the API shows them. A recipient in an attempt is `pending` too. */
export const RESULTS = ["delivered", "failed", "pending", "unknown"] as const;
export type Result = (typeof RESULTS)[number];

/** The stage of an SMTP session at which a reply or an error occurred. */
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
 * TLS on a connection. `verified`: the certificate matches the host by trust anchors or DANE. Opportunistic TLS does not
 * require it.
 */
export interface TlsRecord {
  protocol: string;
  cipher: string;
  verified: boolean;
}

/**
 * A reply (RFC 5321 §4.2). `enhanced_code` (RFC 3463) is null if its class contradicts the code. `message` is UTF-8 of bounded
 * length, its lines joined by "\n".
 */
export interface SmtpReply {
  code: number;
  enhanced_code: string | null;
  message: string;
}

/** One host and address that an attempt used, and its result for the recipient. The JSON field `tries` lists them. */
export interface HostAttempt {
  mx: string;
  ip: string | null;
  /** The sending address that it left from; absent where the system chose. */
  source?: string;
  tls: TlsRecord | null;
  stage: Stage;
  reply: SmtpReply | null;
  /** The error where there is no reply, as text; null if there is one. */
  error: string | null;
  /** Further information, such as "starttls failed, continued in plain text". */
  note: string | null;
  /**
   * The TLS policy for the host: by the domain "none", "mta-sts enforce", "mta-sts testing" or "dane", by the
   * operator "operator encrypt" or "operator require"; null before it is known.
   */
  policy: string | null;
}

/** The decisive reply and its source, as the lookup shows them. `tls` is the protocol's name or null. */
export interface SmtpRecord extends SmtpReply {
  mx: string;
  ip: string | null;
  /** The sending address; absent where the system chose it. */
  source?: string;
  tls: string | null;
}

export type Outcome =
  | { type: "delivered"; smtp: SmtpRecord; tries: HostAttempt[] }
  | { type: "failed"; reason: string; category: Category; smtp: SmtpRecord | null; tries: HostAttempt[] }
  /** `atOnce`: the service stopped during the attempt; the next attempt is due immediately. */
  | {
      type: "deferred";
      reason: string;
      category: Category;
      smtp: SmtpRecord | null;
      tries: HostAttempt[];
      atOnce?: true;
    }
  | { type: "unknown"; reason: string; category: Category; smtp: SmtpRecord | null; tries: HostAttempt[] };
