/**
 * Where mail for a domain goes (RFC 5321 §5.1, RFC 7505): its mail exchangers in the order to try them. Addresses are
 * looked up host by host, when their turn comes. What a fault here means for a recipient is the verdict's. The service
 * takes no mail by SMTP, so no exchanger is the service itself, whatever its name and address.
 */
import { lookup } from "node:dns/promises";
import { getDomain } from "tldts";
import type { DnsAnswer, MxRecord, Resolver } from "../../dns/resolver.ts";

export interface MailHost {
  name: string;
  port: number;
  /** Named by the operator (SINK), so it may be anywhere, and its name is the system's to resolve. */
  isSink: boolean;
}

export type Route =
  | { type: "hosts"; hosts: MailHost[] }
  /** The domain does not exist, in definite words of DNS. */
  | { type: "no_such_domain" }
  /** The domain says that it takes no mail. */
  | { type: "null_mx" }
  /** It exists with neither MX nor address: perhaps a zone half set up. */
  | { type: "no_mail_host" }
  | { type: "dns_trouble"; code: string };

export interface RoutingPolicy {
  resolver: Resolver;
  smtpPort: number;
  /** Every message goes here instead of to its MX. */
  sink: { host: string; port: number } | null;
  /** Uniform in [0, 1): shuffles equal preferences. */
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
      const ranked = named.map(({ exchange, preference }) => ({ exchange, preference, lot: policy.random() }));
      ranked.sort((a, b) => a.preference - b.preference || a.lot - b.lot);
      const names = [...new Set(ranked.map((record) => record.exchange))];
      return { type: "hosts", hosts: names.map((name) => ({ name, port: policy.smtpPort, isSink: false })) };
    }
  }
}

/** A null MX beside other records means nothing (RFC 7505 §3). */
function namedIn(records: MxRecord[]): MxRecord[] {
  return records.filter(({ exchange }) => exchange !== "");
}

/** Hosts that one attempt looks at, policies and addresses included; those beyond the best are drawn from the others. */
const HOSTS_MAX = 8;
const HOSTS_BEST = 5;

/**
 * The hosts that one attempt looks at, in their order. A domain may name any number of hosts; that an attempt looks at
 * few must not hide one that works behind those that never do, so each of the others has its chance at each attempt.
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

/** Only when MX is NODATA is the domain's own address its mail host. */
async function implicitMx(domain: string, { resolver, smtpPort }: RoutingPolicy): Promise<Route> {
  const [a, aaaa] = await Promise.all([resolver.a(domain), resolver.aaaa(domain)]);
  if (a.type === "found" || aaaa.type === "found") {
    return { type: "hosts", hosts: [{ name: domain, port: smtpPort, isSink: false }] };
  }
  if (a.type === "failure") return { type: "dns_trouble", code: a.code };
  if (aaaa.type === "failure") return { type: "dns_trouble", code: aaaa.code };
  return { type: "no_mail_host" };
}

export type Addresses = { type: "found"; addresses: string[] } | { type: "none"; error: string };

/**
 * A mail host's addresses, at most `most` (from 2), IPv4 first: an IPv6 address without a reverse name is refused by many
 * receivers. One family in trouble does not hide the other, nor takes more than half of the places from it. Never rejects.
 */
export async function addressesOf(host: MailHost, resolver: Resolver, most: number): Promise<Addresses> {
  if (host.isSink) return systemAddressesOf(host.name);
  const [a, aaaa] = await Promise.all([resolver.a(host.name), resolver.aaaa(host.name)]);
  const [ipv4, ipv6] = [distinct(a), distinct(aaaa)];
  const ipv4Max = most - Math.min(ipv6.length, Math.floor(most / 2));
  const addresses = [...ipv4.slice(0, ipv4Max), ...ipv6].slice(0, most);
  if (addresses.length > 0) return { type: "found", addresses };
  const trouble = [a, aaaa].find((answer) => answer.type === "failure");
  if (trouble?.type === "failure")
    return { type: "none", error: `its address could not be looked up (${trouble.code})` };
  return { type: "none", error: "it has no address" };
}

function distinct(answer: DnsAnswer<string>): string[] {
  return answer.type === "found" ? [...new Set(answer.records)] : [];
}

/** The sink's addresses as the system knows them: it may be a name in a hosts file or a container network. */
async function systemAddressesOf(name: string): Promise<Addresses> {
  try {
    const found = await lookup(name, { all: true });
    return { type: "found", addresses: found.map((entry) => entry.address) };
  } catch (error) {
    return { type: "none", error: `the sink's name could not be resolved (${(error as NodeJS.ErrnoException).code})` };
  }
}

/** Mail hosts of more operators than these are one domain's own affair. */
const OPERATORS_MAX = 4;

/**
 * What the recipient domains of one provider have in common: the operators of their mail hosts, all of them, so that no domain
 * can speak for a provider whose name it puts beside its own. Null when mail for the domain goes nowhere at the moment.
 */
export function destinationOf(domain: string, route: Route): string | null {
  if (route.type !== "hosts") return null;
  const { hosts } = route;
  const sink = hosts.find(({ isSink }) => isSink);
  if (sink !== undefined) return `${sink.name}:${sink.port}`;
  return nameOfOperators(
    domain,
    hosts.map(({ name }) => name),
  );
}

function nameOfOperators(domain: string, hosts: string[]): string {
  const operators = [...new Set(hosts.map(operatorOf))].sort();
  return operators.length > OPERATORS_MAX ? operatorOf(domain) : operators.join("+");
}

/**
 * All names under the host's organisational domain, in a form that no recipient domain has. Providers name hosts for each
 * customer (tenant.mail.protection.outlook.com), and they share their limits. Below a private suffix (duckdns.org) names
 * belong to parties that have nothing in common; a host without an organisational domain stands for itself.
 */
function operatorOf(host: string): string {
  // DNS allows a slash in a name, and tldts would read a URL: "google.com/x.evil.example" is a name of evil.example's.
  return `*.${getDomain(host, { allowPrivateDomains: true, extractHostname: false }) ?? host}`;
}
