/**
 * DNS lookups that report whether DNSSEC validated the answer: the AD bit of a trusted resolver
 * (RFC 6840 §5.8, RFC 4035 §4.9.3). Decides whose AD bit is trusted; the caller decides what a secure answer implies.
 * dns-client.ts queries the servers.
 */
import { getServers } from "node:dns";
import { embeddedIpv4, refusedRange } from "./address-policy.ts";
import { DnsClient } from "./dns-client.ts";
import { parseServer } from "./query-exchange.ts";
import { A, AAAA, MX, type RecordKind, TLSA, type TlsaRecord } from "./record-data.ts";
import type { LookupFailure, MxRecord, Omission } from "./resolver.ts";

/**
 * `secure`: a trusted resolver validated every part of the answer. `name`: the target of the CNAMEs, in lower case without
 * the final dot.
 */
type SecureAnswer<T> =
  | { type: "found"; records: T[]; omitted?: Omission; name: string; secure: boolean }
  | { type: "nxdomain" | "nodata"; secure: boolean }
  | LookupFailure;

/** Takes names as A-labels. No method rejects. */
export interface SecureResolver {
  /** Whether an answer can be secure at all. */
  readonly trusted: boolean;
  mx(name: string): Promise<SecureAnswer<MxRecord>>;
  a(name: string): Promise<SecureAnswer<string>>;
  aaaa(name: string): Promise<SecureAnswer<string>>;
  tlsa(name: string): Promise<SecureAnswer<TlsaRecord>>;
}

export interface SecureResolverOptions {
  /** "ip", "ip:port" or "[v6]:port"; empty for the system's. */
  servers: string[];
  /**
   * Trusts the AD bit of every server: the path to each must be as secure as the resolver itself. Otherwise only that of a
   * loopback server that is not a forwarder.
   */
  trustAd: boolean;
  /** For one query to one server. */
  timeoutMs?: number;
}

/**
 * Loopback addresses of forwarders: Docker's resolver forwards the AD bit of a remote server unchecked, and systemd-resolved
 * validates only if it is configured to, which is not visible here.
 */
const FORWARDERS = ["127.0.0.11", "127.0.0.53", "127.0.0.54"];

/** Queries to a silent server after the first: DANE delays a message no longer. */
const TRIES = 1;

/**
 * A SecureResolver. Where some servers are trusted, the others are not queried: otherwise an attacker who silences the
 * trusted one could present a signed zone as unsigned. Throws on a server that is not an address.
 */
export function createSecureResolver({ servers, trustAd, timeoutMs }: SecureResolverOptions): SecureResolver {
  const all = servers.length > 0 ? servers : getServers();
  const trustedServers = all.filter((server) => trustAd || isValidator(parseServer(server).address));
  const trusted = trustedServers.length > 0;
  const client = new DnsClient({ servers: trusted ? trustedServers : all, timeoutMs, tries: TRIES });
  const lookUp = async <T>(kind: RecordKind<T>, name: string): Promise<SecureAnswer<T>> => {
    const answer = await client.lookUp(kind, name);
    if (answer.type === "failure") return answer;
    const { authentic, ...rest } = answer;
    return { ...rest, secure: trusted && authentic };
  };
  return {
    trusted,
    mx: (name) => lookUp(MX, name),
    a: (name) => lookUp(A, name),
    aaaa: (name) => lookUp(AAAA, name),
    tlsa: (name) => lookUp(TLSA, name),
  };
}

/** Whether the address implies a validating resolver on this server. */
function isValidator(address: string): boolean {
  return refusedRange(address) === "loopback" && !FORWARDERS.includes(embeddedIpv4(address) ?? address);
}
