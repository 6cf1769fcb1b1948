/**
 * DNS questions whose answers say whether they were validated by DNSSEC, which node:dns does not show: the AD bit of
 * a resolver that may be believed (RFC 6840 §5.8, RFC 4035 §4.9.3). Decides whose bit counts; what follows from a
 * secure answer is the caller's. The messages themselves are exchanged in query-exchange.ts.
 */
import { getServers } from "node:dns";
import type { Answer as PacketAnswer, RecordType } from "dns-packet";
import { embeddedIpv4, refusedRange } from "./address-policy.ts";
import { type DnsReply, type DnsServer, exchangeQuery, parseServer } from "./query-exchange.ts";
import type { LookupFailure, MxRecord } from "./resolver.ts";
import { askServers, ServerOrder } from "./server-order.ts";

/** A TLSA record (RFC 6698 §2.1). */
export interface TlsaRecord {
  usage: number;
  selector: number;
  matchingType: number;
  data: Buffer;
}

/**
 * `secure`: a trusted resolver validated everything the answer consists of. `name`: where the CNAMEs led to, lower case
 * without the final dot.
 */
export type SecureAnswer<T> =
  | { type: "found"; records: T[]; name: string; secure: boolean }
  | { type: "nxdomain" | "nodata"; secure: boolean }
  | LookupFailure;

/** Names go in as A-labels. No method rejects. */
export interface SecureResolver {
  /** Whether any answer can ever be secure. */
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
   * Believes the AD bit of every server: the path to it must be as safe as the resolver itself. Otherwise only of one on
   * loopback that is no forwarder.
   */
  trustAd: boolean;
  /** For one question to one server. */
  timeoutMs?: number;
}

const TIMEOUT_MS = 5000;

/**
 * Loopback addresses that belong to forwarders: Docker's resolver hands on the AD bit of a server elsewhere unchecked, and
 * systemd-resolved validates only if it was told to, which does not show here.
 */
const FORWARDERS = ["127.0.0.11", "127.0.0.53", "127.0.0.54"];

/** Questions to a silent server before it is given up: the first and one retry. */
const ROUNDS = 2;
/** For one question, over all servers. */
const LOOK_UP_LIMIT_MS = 30_000;
const CNAME_HOPS_MAX = 8;
const NAME_OCTETS_MAX = 253;
const LABEL_OCTETS_MAX = 63;

/**
 * A SecureResolver. Where some servers are trusted, the others are not asked: else whoever can silence the trusted one
 * could have a signed zone pass for an unsigned one. Throws on a server that is no address.
 */
export function createSecureResolver(options: SecureResolverOptions): SecureResolver {
  const { trustAd, timeoutMs = TIMEOUT_MS } = options;
  const all = (options.servers.length > 0 ? options.servers : getServers()).map(parseServer);
  const trustedOnes = all.filter((server) => trustAd || isValidator(server.address));
  const trusted = trustedOnes.length > 0;
  const order = new ServerOrder(trusted ? trustedOnes : all);

  function asking<T>(type: RecordType, read: (answer: PacketAnswer) => T | null) {
    return async (name: string): Promise<SecureAnswer<T>> => {
      const asked = canonical(name);
      if (!isPossibleName(asked)) return { type: "nxdomain", secure: false };
      const reply = await askInOrder(order, { name: asked, type, timeoutMs });
      return reply.type === "failure" ? reply : followChain(reply, { asked, secure: trusted && reply.authentic, read });
    };
  }

  return {
    trusted,
    mx: asking("MX", (answer) =>
      answer.type === "MX"
        ? { exchange: canonical(answer.data.exchange), preference: answer.data.preference ?? 0 }
        : null,
    ),
    a: asking("A", (answer) => (answer.type === "A" ? answer.data : null)),
    aaaa: asking("AAAA", (answer) => (answer.type === "AAAA" ? answer.data : null)),
    tlsa: asking("TLSA", (answer) => {
      if (answer.type !== "TLSA") return null;
      const { usage, selector, matchingType, certificate } = answer.data;
      return { usage, selector, matchingType, data: certificate };
    }),
  };
}

/** Whether the address alone is reason to believe that it is a validating resolver of this host's own. */
function isValidator(address: string): boolean {
  return refusedRange(address) === "loopback" && !FORWARDERS.includes(embeddedIpv4(address) ?? address);
}

interface SecureQuestion {
  name: string;
  type: RecordType;
  timeoutMs: number;
}

function askInOrder(order: ServerOrder<DnsServer>, asked: SecureQuestion): Promise<DnsReply | LookupFailure> {
  const endsMs = performance.now() + LOOK_UP_LIMIT_MS;
  const ask = (server: DnsServer): Promise<DnsReply | LookupFailure> => {
    const leftMs = Math.max(endsMs - performance.now(), 0);
    return exchangeQuery(server, { ...asked, timeoutMs: Math.min(asked.timeoutMs, leftMs) });
  };
  return askServers<DnsServer, DnsReply>({ order, rounds: ROUNDS, endsMs, ask });
}

interface ChainOptions<T> {
  asked: string;
  secure: boolean;
  read: (answer: PacketAnswer) => T | null;
}

/** The records at the end of the reply's chain of CNAMEs; a recursive resolver has followed it to the end. */
function followChain<T>(reply: DnsReply, { asked, secure, read }: ChainOptions<T>): SecureAnswer<T> {
  let name = asked;
  for (let hops = 0; hops <= CNAME_HOPS_MAX; hops += 1) {
    const here = reply.answers.filter((answer) => canonical(answer.name) === name);
    const records = here.map(read).filter((record) => record !== null);
    if (records.length > 0) return { type: "found", records, name, secure };
    const alias = here.find((answer) => answer.type === "CNAME");
    if (alias?.type !== "CNAME") return { type: reply.exists ? "nodata" : "nxdomain", secure };
    name = canonical(alias.data);
  }
  return { type: "failure", code: "CNAME_LOOP" };
}

/** RFC 1035 §2.3.4: what cannot be put into a question, no server can have. */
function isPossibleName(name: string): boolean {
  const fits = (label: string) => label !== "" && Buffer.byteLength(label) <= LABEL_OCTETS_MAX;
  return Buffer.byteLength(name) <= NAME_OCTETS_MAX && name.split(".").every(fits);
}

function canonical(name: string): string {
  return name.toLowerCase().replace(/\.$/, "");
}
