/**
 * The DNS questions Postrider asks, and their answers as values.
 * A negative answer is data here (NXDOMAIN and NODATA differ for mail); trouble is a value too, so that no caller can
 * mistake it for a negative answer. The node:dns form is in node-resolver.ts; tests ask a zone server through it.
 */

/** NXDOMAIN: no such name. NODATA: the name exists without that type. Both are definite. */
export type Negative = { type: "nxdomain" } | { type: "nodata" };

/** SERVFAIL, REFUSED, a timeout, a malformed answer: nothing is known. `code` is node:dns's error code. */
export type Trouble = { type: "trouble"; code: string };

export type Answer<T> = { type: "found"; records: T[] } | Negative | Trouble;

export interface MxRecord {
  /** Lower case, without the final dot; "" for the null MX (RFC 7505). */
  exchange: string;
  preference: number;
}

/** Names go in as A-labels. CNAMEs are followed, with a bound. No method rejects. */
export interface Resolver {
  mx(name: string): Promise<Answer<MxRecord>>;
  /** Each record's strings already joined. */
  txt(name: string): Promise<Answer<string>>;
  a(name: string): Promise<Answer<string>>;
  aaaa(name: string): Promise<Answer<string>>;
  /** Host names for an address's PTR record. */
  ptr(address: string): Promise<Answer<string>>;
  cname(name: string): Promise<Answer<string>>;
}
