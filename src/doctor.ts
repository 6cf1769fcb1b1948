/**
 * What stops or hurts delivery from this host. Each finding says what was seen and what to do; a question that gets no
 * answer in time is a finding, not a hang.
 */
import { statfs } from "node:fs/promises";
import { connect } from "node:net";
import type { Config } from "./config.ts";
import { refusedRange } from "./dns/address-policy.ts";
import type { Resolver } from "./dns/resolver.ts";
import type { Domain } from "./spool/registry.ts";

export interface Finding {
  check: string;
  /** `problem` stops delivery, `warning` hurts it, `unclear` could not be told. */
  state: "ok" | "warning" | "problem" | "unclear";
  detail: string;
}

export interface Patient {
  config: Config;
  resolver: Resolver;
  sendingIps: string[];
  domains: Domain[];
}

const CONNECT_LIMIT_MS = 5000;
const DISK_LOW_BYTES = 1024 ** 3;

/** Where outbound port 25 is tried: large receivers that answer everybody. */
const PROBE_DOMAINS = ["gmail.com", "outlook.com"];

/** Runs every check. Never rejects. */
export async function examine(patient: Patient): Promise<Finding[]> {
  const findings = await Promise.all([
    examineResolver(patient),
    examineHostname(patient),
    ...examineSendingIps(patient),
    examineOutbound(patient),
    examineDisk(patient),
    ...patient.domains.map(examineDomain),
  ]);
  return findings;
}

async function examineResolver({ resolver, config }: Patient): Promise<Finding> {
  const check = "resolver";
  const answer = await resolver.txt(config.hostname);
  if (answer.type !== "trouble") return { check, state: "ok", detail: "The resolver answers." };
  const servers = config.dnsServers.length === 0 ? "the system's resolver" : config.dnsServers.join(", ");
  const detail = `${servers} did not answer a question for ${config.hostname} (${answer.code}). No mail can be routed.`;
  return { check, state: "problem", detail };
}

async function examineHostname({ resolver, config, sendingIps }: Patient): Promise<Finding> {
  const check = "hostname";
  const { hostname } = config;
  if (!hostname.includes(".")) {
    const detail = `The EHLO name '${hostname}' is no full domain name. Set MTA_HOSTNAME to one that resolves to this host.`;
    return { check, state: "problem", detail };
  }
  const addresses = await addressesOf(hostname, resolver);
  const points = addresses.some((address) => sendingIps.includes(address));
  if (points) return { check, state: "ok", detail: `${hostname} resolves to a sending address.` };
  const found = addresses.length === 0 ? "nothing" : addresses.join(", ");
  const detail = `${hostname} resolves to ${found}, not to a sending address. Point its A or AAAA record here.`;
  return { check, state: "warning", detail };
}

async function addressesOf(name: string, resolver: Resolver): Promise<string[]> {
  const answers = await Promise.all([resolver.a(name), resolver.aaaa(name)]);
  return answers.flatMap((answer) => (answer.type === "found" ? answer.records : []));
}

function examineSendingIps({ sendingIps, resolver }: Patient): Promise<Finding>[] {
  if (sendingIps.length > 0) return sendingIps.map((ip) => examineReverse(ip, resolver));
  const detail = "No public address of this host is known. Set SENDING_IPS; without it SPF cannot be verified.";
  return [Promise.resolve({ check: "sending_ips", state: "problem", detail })];
}

/** Forward-confirmed reverse DNS: many receivers refuse mail without it. */
async function examineReverse(ip: string, resolver: Resolver): Promise<Finding> {
  const check = `reverse_dns ${ip}`;
  const ptr = await resolver.ptr(ip);
  if (ptr.type === "trouble") return { check, state: "unclear", detail: `The PTR look-up failed (${ptr.code}).` };
  if (ptr.type !== "found") {
    return { check, state: "problem", detail: `${ip} has no PTR record. Ask its owner, your host, to set one.` };
  }
  for (const name of ptr.records) {
    const addresses = await addressesOf(name, resolver);
    if (addresses.includes(ip)) return { check, state: "ok", detail: `${ip} is ${name}, and ${name} is ${ip}.` };
  }
  const detail = `${ip} is called ${ptr.records.join(", ")}, which does not resolve back to ${ip}. Make both agree.`;
  return { check, state: "problem", detail };
}

async function examineOutbound({ config, resolver }: Patient): Promise<Finding> {
  const check = "outbound_smtp";
  if (config.sink !== null) {
    const reached = await canConnect(config.sink.host, config.sink.port);
    const where = `the sink ${config.sink.host}:${config.sink.port}`;
    if (reached) return { check, state: "warning", detail: `All mail goes to ${where}, none to its recipients.` };
    return { check, state: "problem", detail: `All mail goes to ${where}, which takes no connection.` };
  }
  const addresses = (await Promise.all(PROBE_DOMAINS.map((domain) => probeAddress(domain, resolver)))).flat();
  const allowed = addresses.filter((address) => config.smtpAllowPrivate || refusedRange(address) === null);
  if (allowed.length === 0) {
    return {
      check,
      state: "unclear",
      detail: `No mail exchanger of ${PROBE_DOMAINS.join(" or ")} could be looked up.`,
    };
  }
  const reached = await Promise.all(allowed.map((address) => canConnect(address, config.smtpPort)));
  if (reached.includes(true)) return { check, state: "ok", detail: `Port ${config.smtpPort} is open outwards.` };
  const detail = `No connection to port ${config.smtpPort} of ${allowed.join(", ")}. Ask your host to unblock it.`;
  return { check, state: "problem", detail };
}

async function probeAddress(domain: string, resolver: Resolver): Promise<string[]> {
  const mx = await resolver.mx(domain);
  const first = mx.type === "found" ? mx.records[0]?.exchange : undefined;
  if (!first) return [];
  const a = await resolver.a(first);
  return a.type === "found" ? a.records.slice(0, 1) : [];
}

function canConnect(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const end = (reached: boolean): void => {
      socket.destroy();
      resolve(reached);
    };
    socket.setTimeout(CONNECT_LIMIT_MS, () => end(false));
    socket.once("connect", () => end(true));
    socket.once("error", () => end(false));
  });
}

async function examineDisk({ config }: Patient): Promise<Finding> {
  const check = "disk";
  try {
    const { bavail, bsize } = await statfs(config.dataDir);
    const freeBytes = bavail * bsize;
    const detail = `${Math.floor(freeBytes / 1024 ** 2)} MiB are free where the spool lies (${config.dataDir}).`;
    if (freeBytes >= DISK_LOW_BYTES) return { check, state: "ok", detail };
    return { check, state: "warning", detail: `${detail} When it is full, nothing more is accepted.` };
  } catch (error) {
    return { check, state: "problem", detail: `${config.dataDir} cannot be used: ${(error as Error).message}.` };
  }
}

function examineDomain(domain: Domain): Finding {
  const check = `domain ${domain.name}`;
  const failing = Object.entries(domain.checks).filter(([, { state }]) => state !== "verified");
  const sentences = failing.map(([name, { state, detail }]) => `${name} ${state}: ${detail}`).join(" ");
  if (!domain.verified) return { check, state: "problem", detail: `It may not send. ${sentences}` };
  if (failing.length > 0) return { check, state: "warning", detail: `It may still send. ${sentences}` };
  return { check, state: "ok", detail: "All five checks are verified." };
}
