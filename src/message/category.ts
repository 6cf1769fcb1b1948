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
  /** SPF, DKIM, DMARC or reverse DNS failed. */
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
