/**
 * Names and addresses as receivers look them up: whether DNS answers, whether it validates, what the EHLO name and the
 * sending addresses are called.
 */
import { isIPv6 } from "node:net";
import { isSameAddress } from "../dns/ip-address.ts";
import { addressesOf, reverseNameOf } from "../dns/reverse-name.ts";
import { createSecureResolver } from "../dns/secure-query.ts";
import { type Finding, type Patient, type SecureQuestions, unclearWords } from "./finding.ts";

/** For one message to one server: short, for a silent one is asked twice. */
const SECURE_TIMEOUT_MS = 2000;

export function secureQuestions({ dnsServers, dnsTrustAd }: Patient["config"]): SecureQuestions {
  const asked = { servers: dnsServers, timeoutMs: SECURE_TIMEOUT_MS };
  return {
    own: createSecureResolver({ ...asked, trustAd: dnsTrustAd }),
    believing: createSecureResolver({ ...asked, trustAd: true }),
  };
}

export async function examineResolver({ resolver, config }: Patient): Promise<Finding> {
  const check = "resolver";
  const { hostname, probeDomains, dnsServers, sink } = config;
  const answer = await resolver.txt(hostname);
  // One zone in trouble is no dead resolver.
  const others = answer.type === "trouble" ? await Promise.all(probeDomains.map((domain) => resolver.mx(domain))) : [];
  const answers = [answer, ...others].some(({ type }) => type !== "trouble");
  if (answers || answer.type !== "trouble") return { check, state: "ok", detail: "The resolver answers." };
  const servers = dnsServers.length === 0 ? "the system's resolver" : dnsServers.join(", ");
  const seen = `${servers} answered no question, such as one for ${hostname} (${answer.code}).`;
  if (sink !== null) return { check, state: "warning", detail: `${seen} Domains cannot be verified.` };
  const detail = `${seen} No mail can be routed. Run a resolver on this host, or name one in DNS_SERVERS.`;
  return { check, state: "problem", detail };
}

/** Signed since long, and asked for by nobody's mail. */
const SIGNED_DOMAIN = "isc.org";

/** Whether answers are validated, and whether the delivery believes it. */
export async function examineDnssec({ secure }: Patient): Promise<Finding> {
  const check = "dnssec";
  if (secure === null) return { check, state: "unclear", detail: "DNSSEC was not looked at." };
  const { trusted } = secure.own;
  const answer = await (trusted ? secure.own : secure.believing).mx(SIGNED_DOMAIN);
  if (answer.type === "trouble") {
    const detail = `The look-up of ${SIGNED_DOMAIN}, a signed domain, failed (${answer.code}): whether the resolver validates cannot be told.`;
    return { check, state: "unclear", detail };
  }
  if (answer.secure && trusted) return { check, state: "ok", detail: "The resolver validates DNSSEC: DANE is in use." };
  const unused = "so DANE is not used: mail goes to the domains that rely on it without their TLS policy.";
  const detail = answer.secure
    ? `The resolver validates DNSSEC but is not on this host, ${unused} If nobody can tamper with the way to it, set DNS_TRUST_AD=true.`
    : `The resolver does not validate DNSSEC, ${unused} Run a validating one on this host, such as unbound, and name it in DNS_SERVERS.`;
  return { check, state: "warning", detail };
}

export async function examineHostname({ resolver, config, sendingIps }: Patient): Promise<Finding> {
  const check = "hostname";
  const { hostname } = config;
  if (!hostname.includes(".")) {
    const detail = `The EHLO name '${hostname}' is no full domain name. Set MTA_HOSTNAME to one that resolves to this host.`;
    return { check, state: "problem", detail };
  }
  const { addresses, trouble } = await addressesOf(hostname, resolver);
  const points = addresses.some((address) => sendingIps.some((ip) => isSameAddress(ip, address)));
  if (points) return { check, state: "ok", detail: `${hostname} resolves to a sending address.` };
  if (trouble !== null) return { check, state: "unclear", detail: unclearWords(hostname, trouble) };
  const found = addresses.length === 0 ? "nothing" : addresses.join(", ");
  const detail = `${hostname} resolves to ${found}, not to a sending address. Point its A or AAAA record here.`;
  return { check, state: "warning", detail };
}

export async function noSendingIp({ config: { hostname }, resolver }: Patient): Promise<Finding> {
  const { trouble } = await addressesOf(hostname, resolver);
  const why = trouble === null ? "" : `, and the look-up of ${hostname} failed (${trouble})`;
  const detail = `No public address of this host is known${why}. Set SENDING_IPS; without it SPF cannot be verified.`;
  return { check: "sending_ips", state: "problem", detail };
}

/** Forward-confirmed reverse DNS: many receivers refuse mail without it, and the delivery leaves such an IPv6 address out. */
export async function examineReverse(ip: string, { resolver, sendingIps }: Patient): Promise<Finding> {
  const check: Finding["check"] = `reverse_dns ${ip}`;
  const reverse = await reverseNameOf(ip, resolver);
  if (reverse.type === "confirmed") {
    return { check, state: "ok", detail: `${ip} is ${reverse.name}, and ${reverse.name} is ${ip}.` };
  }
  const isLeftOut = isIPv6(ip);
  const consequence = isLeftOut ? " Until then no mail leaves from it: IPv6 is left out." : "";
  if (reverse.type === "trouble") {
    return { check, state: "unclear", detail: unclearWords(reverse.name, reverse.code) + consequence };
  }
  const wanted =
    reverse.type === "unnamed"
      ? `${ip} has no PTR record. Ask its owner, your host, to set one.`
      : `${ip} is called ${reverse.names.join(", ")}, which does not resolve back to ${ip}. Make both agree.`;
  const others = sendingIps.some((other) => !isIPv6(other));
  return { check, state: isLeftOut && others ? "warning" : "problem", detail: wanted + consequence };
}
