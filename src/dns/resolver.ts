/**
 * The DNS questions Postrider asks, and their answers as values.
 * A negative answer is data here (NXDOMAIN and NODATA differ for mail); trouble is a value too, so that no caller can
 * mistake it for a negative answer. The node:dns form is in node-resolver.ts; tests ask a zone server through it.
 */

/** NXDOMAIN: no such name. NODATA: the name exists without that type. Both are definite. */
export type NegativeAnswer = { type: "nxdomain" } | { type: "nodata" };

/** SERVFAIL, REFUSED, a timeout, a malformed answer: nothing is known. `code` is node:dns's error code. */
export type LookupFailure = { type: "failure"; code: string };

export type DnsAnswer<T> = { type: "found"; records: T[] } | NegativeAnswer | LookupFailure;

export interface MxRecord {
  /** Lower case, without the final dot; "" for the null MX (RFC 7505). */
  exchange: string;
  preference: number;
}

/** Names go in as A-labels. CNAMEs are followed, with a bound. No method rejects. */
export interface Resolver {
  mx(name: string): Promise<DnsAnswer<MxRecord>>;
  /** Each record's strings already joined. */
  txt(name: string): Promise<DnsAnswer<string>>;
  a(name: string): Promise<DnsAnswer<string>>;
  aaaa(name: string): Promise<DnsAnswer<string>>;
  /** Host names for an address's PTR record. */
  ptr(address: string): Promise<DnsAnswer<string>>;
  cname(name: string): Promise<DnsAnswer<string>>;
}
