/**
 * The Resolver on node:dns, and the same in the shape that mailauth asks. Decides where aliases lead and when a look-up
 * has taken long enough; what an answer means for mail is left to the callers, how servers are asked to
 * cares-servers.ts. Never reads the hosts file or a search list.
 */
import type { DNSResolver } from "mailauth";
import { addressOfReverseName, reverseName } from "../lib/ip-address.ts";
import { CaresServers, type Query, type ResolverOptions } from "./cares-servers.ts";
import type { DnsAnswer, NegativeAnswer, Resolver } from "./resolver.ts";

/** For one name with its aliases, over all servers: no query begins after that. */
const LOOK_UP_LIMIT_MS = 30_000;
const CNAME_HOPS_MAX = 8;
const NAME_OCTETS_MAX = 253;
const LABEL_OCTETS_MAX = 63;

/** A Resolver that asks `servers`. Throws on a server that is no address. */
export function createResolver(options: ResolverOptions): Resolver {
  const servers = new CaresServers(options);
  const asking =
    <T>(query: Query<T>) =>
    (name: string, endsMs: number): Promise<DnsAnswer<T>> =>
      isPossibleName(name)
        ? servers.ask((cares) => query(cares, name), endsMs)
        : Promise.resolve<NegativeAnswer>({ type: "nxdomain" });
  const limited =
    <T>(look: (name: string, endsMs: number) => Promise<DnsAnswer<T>>) =>
    (name: string): Promise<DnsAnswer<T>> =>
      look(name, performance.now() + LOOK_UP_LIMIT_MS);

  const cname = asking(async (cares, name) => (await cares.resolveCname(name)).map(hostName));
  const following = <T>(query: Query<T>) =>
    limited((name, endsMs) => followAliases({ name, endsMs, ask: asking(query), cname }));

  const ptrOf = following(async (cares, name) => (await cares.resolvePtr(name)).map(hostName));
  return {
    mx: following(async (cares, name) =>
      (await cares.resolveMx(name)).map(({ exchange, priority }) => ({
        exchange: hostName(exchange),
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
    cname: limited(cname),
  };
}

interface Question<T> {
  name: string;
  endsMs: number;
  ask(name: string, endsMs: number): Promise<DnsAnswer<T>>;
  cname(name: string, endsMs: number): Promise<DnsAnswer<string>>;
}

/**
 * Asks on along CNAMEs that the server answered without following them; c-ares shows such an answer as NODATA.
 * When the CNAME question is in trouble, so is the whole: NODATA would then be a guess.
 */
async function followAliases<T>({ name, endsMs, ask, cname }: Question<T>): Promise<DnsAnswer<T>> {
  const seen = new Set<string>();
  let current = hostName(name);
  while (true) {
    const answer = await ask(current, endsMs);
    if (answer.type !== "nodata") return answer;
    const alias = await cname(current, endsMs);
    if (alias.type === "failure") return alias;
    const target = alias.type === "found" ? alias.records[0] : undefined;
    if (target === undefined) return answer;
    seen.add(current);
    if (seen.has(target) || seen.size > CNAME_HOPS_MAX) return { type: "failure", code: "CNAME_LOOP" };
    current = target;
  }
}

/** RFC 1035 §2.3.4. c-ares would report some impossible names as trouble, and take the empty one for the root. */
function isPossibleName(name: string): boolean {
  const bare = name.replace(/\.$/, "");
  const fits = (label: string) => label !== "" && Buffer.byteLength(label) <= LABEL_OCTETS_MAX;
  return Buffer.byteLength(bare) <= NAME_OCTETS_MAX && bare.split(".").every(fits);
}

function hostName(name: string): string {
  return name.toLowerCase().replace(/\.$/, "");
}

/**
 * The resolver in the shape that mailauth expects for SPF, DKIM and DMARC: records as node:dns gives them, and errors
 * whose `code` is ENOTFOUND, ENODATA or the trouble's.
 */
export function mailauthResolver(resolver: Resolver): DNSResolver {
  return async (name, rrtype) => {
    switch (rrtype.toUpperCase()) {
      case "TXT":
        return unwrap(await resolver.txt(name), (text) => [text]);
      case "MX": {
        const records = unwrap(await resolver.mx(name), (mx) => ({ exchange: mx.exchange, priority: mx.preference }));
        // mailauth's type has no place for the MX objects that it reads.
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

/** mailauth knows c-ares's names only; other sources of trouble may say it in the system's or the protocol's. */
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
