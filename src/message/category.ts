/**
 * The categories of obstacles that a recipient can meet. The names are part of the API. classify.ts decides which applies.
 */
export const CATEGORIES = [
  /** No such mailbox or domain, or it takes no mail. */
  "bad_address",
  "mailbox_full",
  /** The mailbox exists and is closed. */
  "mailbox_disabled",
  /** Too many messages or connections in a time. */
  "rate_limited",
  /** The host distrusts our address or the sender's domain: block lists, complaints. */
  "reputation",
  /** SPF, DKIM, DMARC or the reverse name does not hold. */
  "authentication",
  "content",
  /** Another rule of the receiver. */
  "policy",
  "too_large",
  "greylisted",
  /** DNS, connections, TLS, and a host that is out of order. */
  "network",
  "other",
] as const;

export type Category = (typeof CATEGORIES)[number];
