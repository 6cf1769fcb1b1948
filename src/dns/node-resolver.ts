/**
 * The Resolver on node:dns (c-ares), and the same in the shape that mailauth asks.
 * Decides which of c-ares's errors are definite answers and which are trouble; what they mean for mail is left to the
 * callers. Never reads the hosts file or a search list.
 */
import { promises as dns } from "node:dns";
import type { DNSResolver } from "mailauth";
import { addressOfReverseName, reverseName } from "./ip-address.ts";
import type { Answer, Negative, Resolver, Trouble } from "./resolver.ts";

export interface ResolverOptions {
  /** "ip", "ip:port" or "[v6]:port"; empty for the system's. */
  servers: string[];
  /** For one query to one server; c-ares waits longer from try to try. */
  timeoutMs?: number;
  /** Queries to each server before it is given up. */
  tries?: number;
  /** Ends every question, those to come too, as trouble: what still waits for a silent server holds up nobody. */
  signal?: AbortSignal;
}

type Cares = InstanceType<typeof dns.Resolver>;

const TIMEOUT_MS = 5000;
const TRIES = 2;
const CNAME_HOPS_MAX = 8;
const NAME_OCTETS_MAX = 253;
const LABEL_OCTETS_MAX = 63;

/** A Resolver that asks `servers`. Throws on a server that is no address. */
export function createResolver({ servers, timeoutMs = TIMEOUT_MS, tries = TRIES, signal }: ResolverOptions): Resolver {
  const fresh = (): Cares => {
    const cares = new dns.Resolver({ timeout: timeoutMs, tries });
    if (servers.length > 0) cares.setServers(servers);
    return cares;
  };
  const kept = fresh();
  const run = signal === undefined ? direct : until(signal);

  /**
   * c-ares waits only some times as long as a server took so far. One that answered everything from its cache and must
   * now ask far away would seem dead to it, so the last word has a resolver that has learnt nothing yet.
   */
  async function patiently<T>(query: (cares: Cares) => Promise<T[]>): Promise<T[]> {
    try {
      return await run(kept, query);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ETIMEOUT") throw error;
      return run(fresh(), query);
    }
  }

  type Query<T> = (cares: Cares, name: string) => Promise<T[]>;
  const asking =
    <T>(query: Query<T>) =>
    (name: string): Promise<Answer<T>> =>
      ask(name, (asked) => patiently((cares) => query(cares, asked)));

  const cname = asking(async (cares, name) => (await cares.resolveCname(name)).map(hostName));
  const following =
    <T>(query: Query<T>) =>
    (name: string): Promise<Answer<T>> =>
      follow({ name, ask: asking(query), cname });

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
    cname,
  };
}

type Asking = <T>(cares: Cares, query: (cares: Cares) => Promise<T[]>) => Promise<T[]>;

const direct: Asking = (cares, query) => query(cares);

function until(signal: AbortSignal): Asking {
  const waiting = new Set<Cares>();
  signal.addEventListener("abort", () => {
    for (const cares of waiting) cares.cancel();
  });
  return async (cares, query) => {
    if (signal.aborted) throw Object.assign(new Error("no longer asked"), { code: "ECANCELLED" });
    waiting.add(cares);
    return query(cares);
  };
}

interface Question<T> {
  name: string;
  ask(name: string): Promise<Answer<T>>;
  cname(name: string): Promise<Answer<string>>;
}

/**
 * Asks on along CNAMEs that the server answered without following them; c-ares shows such an answer as NODATA.
 * When the CNAME question is in trouble, so is the whole: NODATA would then be a guess.
 */
async function follow<T>({ name, ask, cname }: Question<T>): Promise<Answer<T>> {
  const seen = new Set<string>();
  let current = hostName(name);
  while (true) {
    const answer = await ask(current);
    if (answer.type !== "nodata") return answer;
    const alias = await cname(current);
    if (alias.type === "trouble") return alias;
    const target = alias.type === "found" ? alias.records[0] : undefined;
    if (target === undefined) return answer;
    seen.add(current);
    if (seen.has(target) || seen.size > CNAME_HOPS_MAX) return { type: "trouble", code: "CNAME_LOOP" };
    current = target;
  }
}

async function ask<T>(name: string, query: (name: string) => Promise<T[]>): Promise<Answer<T>> {
  if (!isPossibleName(name)) return { type: "nxdomain" };
  try {
    const records = await query(name);
    return records.length === 0 ? { type: "nodata" } : { type: "found", records };
  } catch (error) {
    return refusal((error as NodeJS.ErrnoException).code ?? "EUNKNOWN");
  }
}

/** EBADNAME: c-ares cannot put the name into a question, so no server can have it. That is as definite as NXDOMAIN. */
function refusal(code: string): Negative | Trouble {
  if (code === "ENOTFOUND" || code === "EBADNAME") return { type: "nxdomain" };
  return code === "ENODATA" ? { type: "nodata" } : { type: "trouble", code };
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

function unwrap<T, R>(answer: Answer<T>, shape: (record: T) => R): R[] {
  switch (answer.type) {
    case "found":
      return answer.records.map(shape);
    case "nxdomain":
      throw dnsError("ENOTFOUND");
    case "nodata":
      throw dnsError("ENODATA");
    case "trouble":
      throw dnsError(MAILAUTH_CODES[answer.code] ?? answer.code);
  }
}

function dnsError(code: string): Error {
  return Object.assign(new Error(`DNS: ${code}`), { code });
}
