/**
 * The route to a domain (RFC 5321 §5.1, RFC 7505): its mail exchangers in the order of their use. Addresses are looked up
 * host by host, just before they are tried. verdict.ts decides what an error here means for a recipient. Postrider
 * receives no mail, so an MX record that names its own host is not a loop.
 */
import { lookup } from "node:dns/promises";
import { type AddressChoice, lookUpAddresses } from "../../dns/host-addresses.ts";
import type { MxRecord, Resolver } from "../../dns/resolver.ts";
import { shuffled } from "../../lib/shuffle.ts";
import { joinReceivers } from "../../receivers/names.ts";
import { receiverOf } from "../../receivers/receiver.ts";

export interface MailHost {
  name: string;
  port: number;
  /** Named by the operator (SINK), or the sink inside the service: any address is allowed, and the system resolves the name. */
  isSink: boolean;
}

export type Route =
  /** `isDrawn`: some hosts are equally preferred, and their order was drawn for one message. */
  | { type: "hosts"; hosts: MailHost[]; isDrawn?: true }
  /** NXDOMAIN: the domain does not exist. */
  | { type: "no_such_domain" }
  /** The domain publishes that it accepts no mail. */
  | { type: "null_mx" }
  /** The domain exists with neither MX nor address: its zone may be incomplete. */
  | { type: "no_mail_host" }
  | { type: "dns_trouble"; code: string }
  /** Of a test message: the sink inside the service does not run. */
  | { type: "no_test_sink"; error: string };

export interface RoutingPolicy {
  resolver: Resolver;
  smtpPort: number;
  /** Every message goes here instead of to its MX. */
  sink: { host: string; port: number } | null;
  /** Uniform in [0, 1): shuffles equal preferences, and the addresses of a host. */
  random: () => number;
}

/** The hosts for a domain (A-labels), best first. Never rejects. */
export async function routeTo(domain: string, policy: RoutingPolicy): Promise<Route> {
  if (policy.sink !== null) {
    return { type: "hosts", hosts: [{ name: policy.sink.host, port: policy.sink.port, isSink: true }] };
  }
  const mx = await policy.resolver.mx(domain);
  switch (mx.type) {
    case "failure":
      return { type: "dns_trouble", code: mx.code };
    case "nxdomain":
      return { type: "no_such_domain" };
    case "nodata":
      return implicitMx(domain, policy);
    case "found": {
      const named = namedIn(mx.records);
      if (named.length === 0) return { type: "null_mx" };
      const ranked = shuffled(named, policy.random).sort((a, b) => a.preference - b.preference);
      const names = [...new Set(ranked.map((record) => record.exchange))];
      const hosts = names.map((name) => ({ name, port: policy.smtpPort, isSink: false }));
      const isDrawn = new Set(named.map(({ preference }) => preference)).size < named.length;
      return isDrawn ? { type: "hosts", hosts, isDrawn } : { type: "hosts", hosts };
    }
  }
}

/** A null MX beside other records is ignored (RFC 7505 §3). */
function namedIn(records: MxRecord[]): MxRecord[] {
  return records.filter(({ exchange }) => exchange !== "");
}

/** Hosts whose policies and addresses one attempt looks up; those beyond the best are drawn at random from the others. */
const HOSTS_MAX = 8;
const HOSTS_BEST = 5;

/**
 * The hosts that one attempt tries, in their order. A domain may name any number of hosts. So that dead hosts do not hide one that
 * works, each of the hosts beyond the best can be drawn at each attempt.
 */
export function hostsToTry(hosts: MailHost[], random: () => number): MailHost[] {
  if (hosts.length <= HOSTS_MAX) return hosts;
  const drawn = new Set(hosts.slice(0, HOSTS_BEST));
  const others = hosts.slice(HOSTS_BEST);
  while (drawn.size < HOSTS_MAX) {
    for (const host of others.splice(Math.floor(random() * others.length), 1)) drawn.add(host);
  }
  return hosts.filter((host) => drawn.has(host));
}

/** The domain is its own mail host only when MX is NODATA. */
async function implicitMx(domain: string, { resolver, smtpPort }: RoutingPolicy): Promise<Route> {
  const [a, aaaa] = await Promise.all([resolver.a(domain), resolver.aaaa(domain)]);
  if (a.type === "found" || aaaa.type === "found") {
    return { type: "hosts", hosts: [{ name: domain, port: smtpPort, isSink: false }] };
  }
  if (a.type === "failure") return { type: "dns_trouble", code: a.code };
  if (aaaa.type === "failure") return { type: "dns_trouble", code: aaaa.code };
  return { type: "no_mail_host" };
}

export type MailHostAddresses = { type: "found"; addresses: string[] } | { type: "none"; error: string };

/** A mail host's addresses, IPv4 first: many receivers refuse IPv6 addresses without a reverse name. A sink's are in the system's order. */
export async function addressesOf(
  host: MailHost,
  resolver: Resolver,
  choice: AddressChoice,
): Promise<MailHostAddresses> {
  if (host.isSink) return systemAddressesOf(host.name);
  const found = await lookUpAddresses(host.name, resolver, choice);
  switch (found.type) {
    case "found":
      return found;
    case "none":
      return { type: "none", error: "it has no address" };
    case "failure":
      return { type: "none", error: `its address could not be looked up (${found.code})` };
  }
}

/** The sink's addresses by the system's resolver: the name may come from a hosts file or a container network. */
async function systemAddressesOf(name: string): Promise<MailHostAddresses> {
  try {
    const found = await lookup(name, { all: true });
    return { type: "found", addresses: found.map((entry) => entry.address) };
  } catch (error) {
    return { type: "none", error: `the sink's name could not be resolved (${(error as NodeJS.ErrnoException).code})` };
  }
}

/** A domain whose mail hosts have more receivers than this is its own destination. */
const RECEIVERS_MAX = 4;

/**
 * The name of the destination that the domain belongs to: the receivers of its mail hosts, all of them, so that a domain cannot
 * affect a receiver whose hosts it lists beside its own. Null when the route has no hosts.
 */
export function destinationOf(domain: string, route: Route): string | null {
  if (route.type !== "hosts") return null;
  const { hosts } = route;
  const sink = hosts.find(({ isSink }) => isSink);
  if (sink !== undefined) return `${sink.name}:${sink.port}`;
  const receivers = [...new Set(hosts.map(({ name }) => receiverOf(name)))].sort();
  return receivers.length > RECEIVERS_MAX ? receiverOf(domain) : joinReceivers(receivers);
}
