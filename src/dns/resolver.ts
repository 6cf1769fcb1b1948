/**
 * The DNS lookups of Postrider, with their answers as values. A negative answer is data (NXDOMAIN and NODATA differ for
 * mail), and a failure is a value too, distinct from a negative answer. stub-resolver.ts implements the interface on
 * DNS servers; tests use it with a zone server.
 */

/** What was left out of an answer because it exceeds a limit (answer-limits.ts). */
export interface Omission {
  /** Octets of the longest TXT record that is too long to be read; 0 without one. */
  longestOctets: number;
  /** How many records there are beyond the limit. */
  furtherRecords: number;
}

/**
 * NXDOMAIN: no such name. NODATA: the name exists without that type, or, with `omitted`, without a record that can be read.
 * Both are definite.
 */
type NegativeAnswer = { type: "nxdomain" } | { type: "nodata"; omitted?: Omission };

/** SERVFAIL, REFUSED, a timeout, a malformed answer: the result is unknown. `code` is node:dns's error code. */
export type LookupFailure = { type: "failure"; code: string };

/** `found` has at least one record. */
export type DnsAnswer<T> = { type: "found"; records: T[]; omitted?: Omission } | NegativeAnswer | LookupFailure;

export interface MxRecord {
  /** Lower case, without the final dot; "" for the null MX (RFC 7505). */
  exchange: string;
  preference: number;
}

/** Takes names as A-labels and follows CNAMEs up to a limit. No method rejects. */
export interface Resolver {
  mx(name: string): Promise<DnsAnswer<MxRecord>>;
  /** One string for each record. */
  txt(name: string): Promise<DnsAnswer<string>>;
  a(name: string): Promise<DnsAnswer<string>>;
  aaaa(name: string): Promise<DnsAnswer<string>>;
  /** The host names of an address's PTR records. */
  ptr(address: string): Promise<DnsAnswer<string>>;
  cname(name: string): Promise<DnsAnswer<string>>;
}
