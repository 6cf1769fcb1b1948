/**
 * The Resolver on node:dns, and an adapter for mailauth. Decides how far aliases are followed and how long a lookup may take;
 * the callers interpret the answers, and cares-servers.ts queries the servers. Never reads the hosts file or a search list.
 */
import type { DNSResolver } from "mailauth";
import { addressOfReverseName, reverseName } from "../lib/ip-address.ts";
import { CaresServers, type Query, type ResolverOptions } from "./cares-servers.ts";
import { isQueryableName, normalizeName } from "./name.ts";
import type { DnsAnswer, NegativeAnswer, Resolver } from "./resolver.ts";

/** For one name with its aliases, over all servers: no query starts after that. */
const LOOKUP_LIMIT_MS = 30_000;
const CNAME_HOPS_MAX = 8;

type TimedLookup<T> = (name: string, endsMs: number) => Promise<DnsAnswer<T>>;

/** A Resolver that queries `servers`. Throws on a server that is not an address. */
export function createResolver(options: ResolverOptions): Resolver {
  const servers = new CaresServers(options);
  const querying =
    <T>(query: Query<T>): TimedLookup<T> =>
    (name, endsMs) =>
      // c-ares would report some impossible names as failures, and treat the empty one as the root.
      isQueryableName(name)
        ? servers.lookUp((cares) => query(cares, name), endsMs)
        : Promise.resolve<NegativeAnswer>({ type: "nxdomain" });
  const cname = querying(async (cares, name) => (await cares.resolveCname(name)).map(normalizeName));
  const following = <T>(query: Query<T>) =>
    withTimeLimit((name, endsMs) => followAliases({ name, endsMs, lookUp: querying(query), cname }));

  const ptrOf = following(async (cares, name) => (await cares.resolvePtr(name)).map(normalizeName));
  return {
    mx: following(async (cares, name) =>
      (await cares.resolveMx(name)).map(({ exchange, priority }) => ({
        exchange: normalizeName(exchange),
        preference: priority,
      })),
    ),
    txt: following(async (cares, name) => (await cares.resolveTxt(name)).map((strings) => strings.join(""))),
    a: following((cares, name) => cares.resolve4(name)),
    aaaa: following((cares, name) => cares.resolve6(name)),
    async ptr(address) {
      const name = reverseName(address);
      return name === null ? { type: "nxdomain" } : ptrOf(name);
    },
    cname: withTimeLimit(cname),
  };
}

const withTimeLimit =
  <T>(lookUp: TimedLookup<T>) =>
  (name: string): Promise<DnsAnswer<T>> =>
    lookUp(name, performance.now() + LOOKUP_LIMIT_MS);

interface AliasLookup<T> {
  name: string;
  endsMs: number;
  lookUp: TimedLookup<T>;
  cname: TimedLookup<string>;
}

/**
 * Follows CNAMEs that the server returned without resolving them; c-ares reports such an answer as NODATA. A failed CNAME
 * query fails the whole lookup: NODATA would be a guess.
 */
async function followAliases<T>({ name, endsMs, lookUp, cname }: AliasLookup<T>): Promise<DnsAnswer<T>> {
  const visited = new Set<string>();
  let current = normalizeName(name);
  while (true) {
    const answer = await lookUp(current, endsMs);
    if (answer.type !== "nodata") return answer;
    const alias = await cname(current, endsMs);
    if (alias.type === "failure") return alias;
    const target = alias.type === "found" ? alias.records[0] : undefined;
    if (target === undefined) return answer;
    visited.add(current);
    if (visited.has(target) || visited.size > CNAME_HOPS_MAX) return { type: "failure", code: "CNAME_LOOP" };
    current = target;
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

/** mailauth recognizes c-ares's codes only; other resolvers may use the system's or the protocol's. */
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
