/**
 * Why a recipient was deferred or failed, as a category. The names are part of the API. classifier.ts decides which applies.
 */
export const CATEGORIES = [
  /** The mailbox or domain does not exist, or accepts no mail. */
  "bad_address",
  "mailbox_full",
  /** The mailbox exists, but is disabled. */
  "mailbox_disabled",
  /** Too many messages or connections in a period. */
  "rate_limited",
  /** The host distrusts this server's IP address or the sender's domain: block lists, complaints. */
  "reputation",
  /** SPF, DKIM, DMARC, the sending domain's MX or address, or this server's reverse or EHLO name failed. */
  "authentication",
  "content",
  /** Another policy of the recipient's server. */
  "policy",
  "too_large",
  "greylisted",
  /** DNS, connections, TLS, or an error of the host itself. */
  "network",
  "other",
] as const;

export type Category = (typeof CATEGORIES)[number];

/**
 * What a refusal concerns, and with it whom it holds for. refusal-scope.ts decides it; delivery/verdict.ts and the load signal of
 * destinations use it.
 */
export type RefusalScope =
  /** One recipient. */
  | "recipient"
  /** One message, what it contains or links to, or the reputation of its domain. */
  | "message"
  /** One connection, which has carried as many messages as it may. */
  | "connection"
  /** The records of a sending domain (SPF, DKIM, DMARC, MX, addresses), or its rate. */
  | "sending_domain"
  /** The address that mail leaves from: its name in DNS, its EHLO name, its reputation, its rate. */
  | "sending_address"
  | "unspecified";
