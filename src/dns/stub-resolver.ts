/**
 * The Resolver on DNS servers, and an adapter for mailauth. Decides which servers are queried; dns-client.ts queries them, and
 * the callers interpret the answers. Never reads the hosts file or a search list.
 */
import { Resolver as SystemResolver } from "node:dns";
import type { DNSResolver } from "mailauth";
import { addressOfReverseName, reverseName } from "../lib/ip-address.ts";
import { DnsClient, type LookupAnswer } from "./dns-client.ts";
import { A, AAAA, CNAME, MX, PTR, type RecordKind, TXT } from "./record-data.ts";
import type { DnsAnswer, Resolver } from "./resolver.ts";

export interface ResolverOptions {
  /** "ip", "ip:port" or "[v6]:port"; empty for the system's. */
  servers: string[];
  /** For one query to one server; the first round waits less, later ones longer. */
  timeoutMs?: number;
  /** Queries to a silent server after the first, short one. */
  tries?: number;
  /** Fails pending and future queries when aborted, so that shutdown does not wait for a silent server. */
  signal?: AbortSignal;
  /** Returns the system's current servers; used where `servers` is empty. */
  readSystem?: () => string[];
}

/** A Resolver that queries `servers`. Throws on a server that is not an address. */
export function createResolver({ servers, readSystem = systemServers, ...options }: ResolverOptions): Resolver {
  const client = new DnsClient(
    servers.length > 0 ? { ...options, servers } : { ...options, servers: readSystem(), readServers: readSystem },
  );
  const lookUp = async <T>(kind: RecordKind<T>, name: string): Promise<DnsAnswer<T>> =>
    toAnswer(await client.lookUp(kind, name));
  return {
    mx: (name) => lookUp(MX, name),
    txt: (name) => lookUp(TXT, name),
    a: (name) => lookUp(A, name),
    aaaa: (name) => lookUp(AAAA, name),
    async ptr(address) {
      const name = reverseName(address);
      return name === null ? { type: "nxdomain" } : lookUp(PTR, name);
    },
    cname: (name) => lookUp(CNAME, name),
  };
}

/** The servers of the current resolv.conf. */
export function systemServers(): string[] {
  return new SystemResolver().getServers();
}

function toAnswer<T>(answer: LookupAnswer<T>): DnsAnswer<T> {
  const omitted = "omitted" in answer && answer.omitted !== undefined ? { omitted: answer.omitted } : {};
  switch (answer.type) {
    case "found":
      return { type: "found", records: answer.records, ...omitted };
    case "nodata":
      return { type: "nodata", ...omitted };
    case "nxdomain":
      return { type: "nxdomain" };
    case "failure":
      return answer;
  }
}

/**
 * Adapts a resolver for mailauth's SPF, DKIM and DMARC: returns records as node:dns does, and throws errors whose `code` is
 * ENOTFOUND, ENODATA or the failure's.
 */
export function mailauthResolver(resolver: Resolver): DNSResolver {
  return async (name, rrtype) => {
    switch (rrtype.toUpperCase()) {
      case "TXT":
        return unwrap(await resolver.txt(name), (text) => [text]);
      case "MX": {
        const records = unwrap(await resolver.mx(name), (mx) => ({ exchange: mx.exchange, priority: mx.preference }));
        // mailauth's type does not include the MX objects that it expects.
        return records as unknown as string[];
      }
      case "A":
        return unwrap(await resolver.a(name), (address) => address);
      case "AAAA":
        return unwrap(await resolver.aaaa(name), (address) => address);
      case "PTR":
        return unwrap(await resolver.ptr(addressOfReverseName(name) ?? name), (host) => host);
      case "CNAME":
        return unwrap(await resolver.cname(name), (host) => host);
      default:
        throw dnsError("ENOTIMP");
    }
  };
}

/** mailauth recognizes the codes of node:dns only; a Resolver may use the system's. */
const MAILAUTH_CODES: Record<string, string> = {
  ETIMEDOUT: "ETIMEOUT",
  TIMEOUT: "ETIMEOUT",
  SERVFAIL: "ESERVFAIL",
  REFUSED: "EREFUSED",
};

function unwrap<T, R>(answer: DnsAnswer<T>, shape: (record: T) => R): R[] {
  switch (answer.type) {
    case "found":
      return answer.records.map(shape);
    case "nxdomain":
      throw dnsError("ENOTFOUND");
    case "nodata":
      throw dnsError("ENODATA");
    case "failure":
      throw dnsError(MAILAUTH_CODES[answer.code] ?? answer.code);
  }
}

function dnsError(code: string): Error {
  return Object.assign(new Error(`DNS: ${code}`), { code });
}
