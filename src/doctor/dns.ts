/**
 * Names and addresses as receivers look them up: whether DNS answers, whether it validates, what the EHLO name and the
 * sending addresses are called.
 */
import { isIPv6 } from "node:net";
import { systemServers } from "../dns/cares-servers.ts";
import { createResolver } from "../dns/node-resolver.ts";
import type { Resolver } from "../dns/resolver.ts";
import { lookUpAddresses, lookUpReverseName } from "../dns/reverse-name.ts";
import { createSecureResolver } from "../dns/secure-resolver.ts";
import { isSameAddress } from "../lib/ip-address.ts";
import {
  type DnssecResolvers,
  type DoctorInput,
  explainLookupFailure,
  type Finding,
  type SingleServerResolver,
} from "./finding.ts";

/** For one question to one server: short, for a silent one is asked twice. */
const SECURE_TIMEOUT_MS = 2000;
/** The same; a silent one gets two questions in turn, and the check has 15 s. */
const ALONE_TIMEOUT_MS = 2000;

export function dnssecResolvers({ dnsServers, dnsTrustAd }: DoctorInput["config"]): DnssecResolvers {
  const asked = { servers: dnsServers, timeoutMs: SECURE_TIMEOUT_MS };
  return {
    configured: createSecureResolver({ ...asked, trustAd: dnsTrustAd }),
    trusting: createSecureResolver({ ...asked, trustAd: true }),
  };
}

/** Each configured server by itself; none where there is only one, which `Patient.resolver` asks already. */
export function resolversByServer({ dnsServers }: DoctorInput["config"], signal?: AbortSignal): SingleServerResolver[] {
  const servers = dnsServers.length === 0 ? systemServers() : dnsServers;
  if (servers.length < 2) return [];
  const asked = { timeoutMs: ALONE_TIMEOUT_MS, tries: 1, ...(signal === undefined ? {} : { signal }) };
  return servers.map((address) => ({ address, resolver: createResolver({ ...asked, servers: [address] }) }));
}

export async function checkResolver(patient: DoctorInput): Promise<Finding> {
  const check = "resolver";
  const { resolver, config, servers = [] } = patient;
  const { dnsServers, sink } = config;
  const [code, alone] = await Promise.all([
    findFailure(resolver, config),
    Promise.all(servers.map(async ({ address, resolver: one }) => ({ address, code: await findFailure(one, config) }))),
  ]);
  const broken = alone.filter((server) => server.code !== null);
  if (code === null && broken.length > 0) return { check, state: "warning", detail: explainFailingServers(broken) };
  if (code === null) return { check, state: "ok", detail: "The resolver answers." };
  const named = dnsServers.length === 0 ? "the system's resolver" : dnsServers.join(", ");
  const seen = `${named} answered no question, such as one for ${config.hostname} (${code}).`;
  if (sink !== null) return { check, state: "warning", detail: `${seen} Domains cannot be verified.` };
  const detail = `${seen} No mail can be routed. Run a resolver on this host, or name one in DNS_SERVERS.`;
  return { check, state: "problem", detail };
}

/** Null where any question is answered: one zone in trouble is no dead resolver. */
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
  return `The resolver answers, but not by ${named}. Look-ups that begin there are slower. Mend or remove it: DNS_SERVERS, or /etc/resolv.conf.`;
}

/** Signed since long, and asked for by nobody's mail. */
const SIGNED_DOMAIN = "isc.org";

/** Whether answers are validated, and whether the delivery believes it. */
export async function checkDnssec({ secure }: DoctorInput): Promise<Finding> {
  const check = "dnssec";
  if (secure === null) return { check, state: "unclear", detail: "DNSSEC was not looked at." };
  const { trusted } = secure.configured;
  const answer = await (trusted ? secure.configured : secure.trusting).mx(SIGNED_DOMAIN);
  if (answer.type === "failure") {
    const detail = `The look-up of ${SIGNED_DOMAIN}, a signed domain, failed (${answer.code}): whether the resolver validates cannot be told.`;
    return { check, state: "unclear", detail };
  }
  if (answer.secure && trusted) return { check, state: "ok", detail: "The resolver validates DNSSEC: DANE is in use." };
  const unused = "so DANE is not used: mail goes to the domains that rely on it without their TLS policy.";
  const detail = answer.secure
    ? `The resolver says that it validates DNSSEC, but is on another host or a forwarder (127.0.0.11, 127.0.0.53), ${unused} If it validates itself and nobody can tamper with the way to it, set DNS_TRUST_AD=true.`
    : `The resolver does not validate DNSSEC, ${unused} Run a validating one on this host, such as unbound, and name it in DNS_SERVERS.`;
  return { check, state: "warning", detail };
}

export async function checkHostname({ resolver, config, sendingIps }: DoctorInput): Promise<Finding> {
  const check = "hostname";
  const { hostname } = config;
  if (!hostname.includes(".")) {
    const detail = `The EHLO name '${hostname}' is not a fully qualified domain name. Set MTA_HOSTNAME to one that resolves to this host.`;
    return { check, state: "problem", detail };
  }
  const { addresses, failureCode: trouble } = await lookUpAddresses(hostname, resolver);
  const points = addresses.some((address) => sendingIps.some((ip) => isSameAddress(ip, address)));
  if (points) return { check, state: "ok", detail: `${hostname} resolves to a sending address.` };
  if (trouble !== null) return { check, state: "unclear", detail: explainLookupFailure(hostname, trouble) };
  const found = addresses.length === 0 ? "nothing" : addresses.join(", ");
  const detail = `${hostname} resolves to ${found}, not to a sending address. Point its A or AAAA record here.`;
  return { check, state: "warning", detail };
}

export async function explainMissingSendingIps({ config: { hostname }, resolver }: DoctorInput): Promise<Finding> {
  const { failureCode: trouble } = await lookUpAddresses(hostname, resolver);
  const why = trouble === null ? "" : `, and the look-up of ${hostname} failed (${trouble})`;
  const detail = `No public address of this host is known${why}. Set SENDING_IPS; without it SPF cannot be verified.`;
  return { check: "sending_ips", state: "problem", detail };
}

/** Forward-confirmed reverse DNS: many receivers refuse mail without it, and the delivery leaves such an IPv6 address out. */
export async function checkReverseDns(ip: string, { resolver, sendingIps }: DoctorInput): Promise<Finding> {
  const check: Finding["check"] = `reverse_dns ${ip}`;
  const reverse = await lookUpReverseName(ip, resolver);
  if (reverse.type === "confirmed") {
    return { check, state: "ok", detail: `${ip} is ${reverse.name}, and ${reverse.name} is ${ip}.` };
  }
  const isLeftOut = isIPv6(ip);
  const consequence = isLeftOut ? " Until then no mail leaves from it: IPv6 is left out." : "";
  if (reverse.type === "failure") {
    return { check, state: "unclear", detail: explainLookupFailure(reverse.name, reverse.code) + consequence };
  }
  const wanted =
    reverse.type === "unnamed"
      ? `${ip} has no PTR record. Ask its owner, your host, to set one.`
      : `${ip} is called ${reverse.names.join(", ")}, which does not resolve back to ${ip}. Make both agree.`;
  const others = sendingIps.some((other) => !isIPv6(other));
  return { check, state: isLeftOut && others ? "warning" : "problem", detail: wanted + consequence };
}
