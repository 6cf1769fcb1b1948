/**
 * DNS lookups that report whether DNSSEC validated the answer, which node:dns does not: the AD bit of a trusted resolver
 * (RFC 6840 §5.8, RFC 4035 §4.9.3). Decides whose AD bit is trusted; the caller decides what a secure answer implies.
 * query-exchange.ts exchanges the messages.
 */
import { getServers } from "node:dns";
import type { Answer as PacketAnswer, RecordType } from "dns-packet";
import { embeddedIpv4, refusedRange } from "./address-policy.ts";
import { isQueryableName, normalizeName } from "./name.ts";
import { type DnsQuestion, type DnsReply, type DnsServer, exchangeQuery, parseServer } from "./query-exchange.ts";
import type { LookupFailure, MxRecord } from "./resolver.ts";
import { queryServers, ServerOrder } from "./server-order.ts";

/** A TLSA record (RFC 6698 §2.1). */
export interface TlsaRecord {
  usage: number;
  selector: number;
  matchingType: number;
  data: Buffer;
}

/**
 * `secure`: a trusted resolver validated every part of the answer. `name`: the target of the CNAMEs, in lower case without
 * the final dot.
 */
export type SecureAnswer<T> =
  | { type: "found"; records: T[]; name: string; secure: boolean }
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

const TIMEOUT_MS = 5000;

/**
 * Loopback addresses of forwarders: Docker's resolver forwards the AD bit of a remote server unchecked, and systemd-resolved
 * validates only if it is configured to, which is not visible here.
 */
const FORWARDERS = ["127.0.0.11", "127.0.0.53", "127.0.0.54"];

/** Queries to a silent server: the first and one retry. */
const ROUNDS = 2;
/** For one lookup, over all servers. */
const LOOKUP_LIMIT_MS = 30_000;
const CNAME_HOPS_MAX = 8;

/**
 * A SecureResolver. Where some servers are trusted, the others are not queried: otherwise an attacker who silences the
 * trusted one could present a signed zone as unsigned. Throws on a server that is not an address.
 */
export function createSecureResolver(options: SecureResolverOptions): SecureResolver {
  const { trustAd, timeoutMs = TIMEOUT_MS } = options;
  const all = (options.servers.length > 0 ? options.servers : getServers()).map(parseServer);
  const trustedServers = all.filter((server) => trustAd || isValidator(server.address));
  const trusted = trustedServers.length > 0;
  const order = new ServerOrder(trusted ? trustedServers : all);

  const querying =
    <T>(type: RecordType, read: Reader<T>) =>
    async (name: string): Promise<SecureAnswer<T>> => {
      const queried = normalizeName(name);
      if (!isQueryableName(queried)) return { type: "nxdomain", secure: false };
      const reply = await queryInOrder(order, { name: queried, type, timeoutMs });
      if (reply.type === "failure") return reply;
      return followChain(reply, { queried, secure: trusted && reply.authentic, read });
    };
  return {
    trusted,
    mx: querying("MX", readMx),
    a: querying("A", (answer) => (answer.type === "A" ? answer.data : null)),
    aaaa: querying("AAAA", (answer) => (answer.type === "AAAA" ? answer.data : null)),
    tlsa: querying("TLSA", readTlsa),
  };
}

/** Converts a record of the queried type; null for any other type. */
type Reader<T> = (answer: PacketAnswer) => T | null;

const readMx: Reader<MxRecord> = (answer) =>
  answer.type === "MX"
    ? { exchange: normalizeName(answer.data.exchange), preference: answer.data.preference ?? 0 }
    : null;

const readTlsa: Reader<TlsaRecord> = (answer) => {
  if (answer.type !== "TLSA") return null;
  const { usage, selector, matchingType, certificate } = answer.data;
  return { usage, selector, matchingType, data: certificate };
};

/** Whether the address alone implies a validating resolver on this host. */
function isValidator(address: string): boolean {
  return refusedRange(address) === "loopback" && !FORWARDERS.includes(embeddedIpv4(address) ?? address);
}

function queryInOrder(order: ServerOrder<DnsServer>, question: DnsQuestion): Promise<DnsReply | LookupFailure> {
  const endsMs = performance.now() + LOOKUP_LIMIT_MS;
  const query = (server: DnsServer): Promise<DnsReply | LookupFailure> => {
    const leftMs = Math.max(endsMs - performance.now(), 0);
    return exchangeQuery(server, { ...question, timeoutMs: Math.min(question.timeoutMs, leftMs) });
  };
  return queryServers<DnsServer, DnsReply>({ order, rounds: ROUNDS, endsMs, query });
}

interface ChainOptions<T> {
  queried: string;
  secure: boolean;
  read: Reader<T>;
}

/** The records at the end of the reply's CNAME chain, which a recursive resolver has followed to the end. */
function followChain<T>(reply: DnsReply, { queried, secure, read }: ChainOptions<T>): SecureAnswer<T> {
  let name = queried;
  for (let hops = 0; hops <= CNAME_HOPS_MAX; hops += 1) {
    const here = reply.answers.filter((answer) => normalizeName(answer.name) === name);
    const records = here.map(read).filter((record) => record !== null);
    if (records.length > 0) return { type: "found", records, name, secure };
    const alias = here.find((answer) => answer.type === "CNAME");
    if (alias?.type !== "CNAME") return { type: reply.exists ? "nodata" : "nxdomain", secure };
    name = normalizeName(alias.data);
  }
  return { type: "failure", code: "CNAME_LOOP" };
}
