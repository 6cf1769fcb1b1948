/**
 * The DNS as delivery and receivers use it: whether the resolver answers and validates, and whether the EHLO name and the
 * sending addresses resolve to each other.
 */
import { isIPv6 } from "node:net";
import type { Resolver } from "../dns/resolver.ts";
import { lookUpAddresses, lookUpReverseName } from "../dns/reverse-name.ts";
import { createSecureResolver } from "../dns/secure-resolver.ts";
import { createResolver, systemServers } from "../dns/stub-resolver.ts";
import { isSameAddress } from "../lib/ip-address.ts";
import {
  type DnssecResolvers,
  type DoctorInput,
  explainLookupFailure,
  type Finding,
  type SingleServerResolver,
} from "./finding.ts";

/** For one query to one server. Short, because a silent server is queried twice. */
const SECURE_TIMEOUT_MS = 2000;
/** The same. A silent server gets two queries in sequence, and the check has 15 s. */
const SINGLE_TIMEOUT_MS = 2000;

export function dnssecResolvers({ dnsServers, dnsTrustAd }: DoctorInput["config"]): DnssecResolvers {
  const options = { servers: dnsServers, timeoutMs: SECURE_TIMEOUT_MS };
  return {
    configured: createSecureResolver({ ...options, trustAd: dnsTrustAd }),
    trusting: createSecureResolver({ ...options, trustAd: true }),
  };
}

/** One resolver for each configured server; none for a single server, which `DoctorInput.resolver` already queries. */
export function resolversByServer({ dnsServers }: DoctorInput["config"], signal?: AbortSignal): SingleServerResolver[] {
  const servers = dnsServers.length === 0 ? systemServers() : dnsServers;
  if (servers.length < 2) return [];
  const options = { timeoutMs: SINGLE_TIMEOUT_MS, tries: 1, ...(signal === undefined ? {} : { signal }) };
  return servers.map((address) => ({ address, resolver: createResolver({ ...options, servers: [address] }) }));
}

export async function checkResolver(input: DoctorInput): Promise<Finding> {
  const check = "resolver";
  const { resolver, config, servers = [] } = input;
  const { dnsServers, sink } = config;
  const [code, alone] = await Promise.all([
    findFailure(resolver, config),
    Promise.all(servers.map(async ({ address, resolver: one }) => ({ address, code: await findFailure(one, config) }))),
  ]);
  const broken = alone.filter((server) => server.code !== null);
  if (code === null && broken.length > 0) return { check, state: "warning", detail: explainFailingServers(broken) };
  if (code === null) return { check, state: "ok", detail: "The resolver answers queries." };
  const named = dnsServers.length === 0 ? "the system's resolver" : dnsServers.join(", ");
  const problem = `${named} did not answer any query, for example for ${config.hostname} (${code}).`;
  if (sink !== null) return { check, state: "warning", detail: `${problem} Domains cannot be verified.` };
  const detail = `${problem} No message can be routed. Run a resolver on this server, or name one in DNS_SERVERS.`;
  return { check, state: "problem", detail };
}

/** Null where any query is answered: one failing zone does not make the resolver faulty. */
async function findFailure(
  resolver: Resolver,
  { hostname, probeDomains }: DoctorInput["config"],
): Promise<string | null> {
  const answer = await resolver.txt(hostname);
  if (answer.type !== "failure") return null;
  const others = await Promise.all(probeDomains.map((domain) => resolver.mx(domain)));
  return others.some(({ type }) => type !== "failure") ? null : answer.code;
}

function explainFailingServers(broken: { address: string; code: string | null }[]): string {
  const named = broken.map(({ address, code }) => `${address} (${code})`).join(", ");
  return `The resolver answers, but these servers do not: ${named}. Lookups that start with them are slower. Fix or remove them in DNS_SERVERS or /etc/resolv.conf.`;
}

/** A domain that has been signed for years and receives no messages from here. */
const SIGNED_DOMAIN = "isc.org";

/** Whether the resolver validates answers, and whether delivery trusts it. */
export async function checkDnssec({ secure }: DoctorInput): Promise<Finding> {
  const check = "dnssec";
  if (secure === null) return { check, state: "unclear", detail: "DNSSEC was not checked." };
  const { trusted } = secure.configured;
  const answer = await (trusted ? secure.configured : secure.trusting).mx(SIGNED_DOMAIN);
  if (answer.type === "failure") {
    const detail = `The lookup of ${SIGNED_DOMAIN}, a signed domain, failed (${answer.code}), so it is unknown whether the resolver validates.`;
    return { check, state: "unclear", detail };
  }
  if (answer.secure && trusted) return { check, state: "ok", detail: "The resolver validates DNSSEC: DANE is in use." };
  const unused = "so DANE is not used, and messages to domains that rely on it are sent without their TLS policy.";
  const detail = answer.secure
    ? `The resolver reports that it validates DNSSEC, but it is on another host or is a forwarder (127.0.0.11, 127.0.0.53), ${unused} If it validates and the path to it is secure, set DNS_TRUST_AD=true.`
    : `The resolver does not validate DNSSEC, ${unused} Run a validating resolver on this server, such as unbound, and name it in DNS_SERVERS.`;
  return { check, state: "warning", detail };
}

export async function checkHostname({ resolver, config, sendingIps }: DoctorInput): Promise<Finding> {
  const check = "hostname";
  const { hostname } = config;
  if (!hostname.includes(".")) {
    const detail = `The EHLO name '${hostname}' is not a fully qualified domain name. Set MTA_HOSTNAME to one that resolves to this server.`;
    return { check, state: "problem", detail };
  }
  const { addresses, failureCode } = await lookUpAddresses(hostname, resolver);
  const points = addresses.some((address) => sendingIps.some((ip) => isSameAddress(ip, address)));
  if (points) return { check, state: "ok", detail: `${hostname} resolves to a sending address.` };
  if (failureCode !== null) return { check, state: "unclear", detail: explainLookupFailure(hostname, failureCode) };
  const found = addresses.length === 0 ? "nothing" : addresses.join(", ");
  const detail = `${hostname} resolves to ${found}, not to a sending address. Point its A or AAAA record to a sending address.`;
  return { check, state: "warning", detail };
}

export async function explainMissingSendingIps({ config: { hostname }, resolver }: DoctorInput): Promise<Finding> {
  const { failureCode } = await lookUpAddresses(hostname, resolver);
  const why = failureCode === null ? "" : `, and the lookup of ${hostname} failed (${failureCode})`;
  const detail = `No public address of this server is known${why}. Set SENDING_IPS: without it SPF cannot be verified.`;
  return { check: "sending_ips", state: "problem", detail };
}

/** A sending address that an operator has added. */
export async function explainAbsentAddress(ip: string): Promise<Finding> {
  const detail = `No host that runs has ${ip}, so nothing leaves from it. Give it to a host, or remove it: addresses remove ${ip}.`;
  return { check: `sending_ips ${ip}`, state: "warning", detail };
}

/** Forward-confirmed reverse DNS: many receivers reject messages without it, and delivery skips such an IPv6 address. */
export async function checkReverseDns(
  ip: string,
  { resolver, sendingIps, addressNames }: DoctorInput,
): Promise<Finding> {
  const check: Finding["check"] = `reverse_dns ${ip}`;
  const reverse = await lookUpReverseName(ip, resolver);
  if (reverse.type === "confirmed") {
    const ehlo = addressNames?.get(ip) ?? reverse.name;
    if (ehlo !== reverse.name) {
      const detail = `${ip} resolves to ${reverse.name}, but its name for EHLO is ${ehlo}. Set its PTR record to ${ehlo}, or add the address with the name ${reverse.name}.`;
      return { check, state: "warning", detail };
    }
    return { check, state: "ok", detail: `${ip} resolves to ${reverse.name}, and ${reverse.name} to ${ip}.` };
  }
  const isSkipped = isIPv6(ip);
  const consequence = isSkipped ? " Until then no message is sent from it: IPv6 is not used." : "";
  if (reverse.type === "failure") {
    return { check, state: "unclear", detail: explainLookupFailure(reverse.name, reverse.code) + consequence };
  }
  const wanted =
    reverse.type === "unnamed"
      ? `${ip} has no PTR record. Ask your hosting provider, who owns the address, to set one.`
      : `${ip} resolves to ${reverse.names.join(", ")}, which does not resolve back to ${ip}. Correct the PTR record or the address record.`;
  const others = sendingIps.some((other) => !isIPv6(other));
  return { check, state: isSkipped && others ? "warning" : "problem", detail: wanted + consequence };
}
