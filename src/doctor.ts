/**
 * What stops or hurts delivery from this host. Each finding says what was seen and what to do; a question that gets no
 * answer in time is a finding, not a hang.
 */
import { statfs } from "node:fs/promises";
import { connect } from "node:net";
import { dirname, resolve } from "node:path";
import { graceSentences } from "./cli/grace.ts";
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
  /** Those to report on; null where there is no spool yet. */
  domains: Domain[] | null;
  /** The present unless given. */
  nowMs?: number;
}

const CONNECT_LIMIT_MS = 5000;
const DISK_LOW_BYTES = 1024 ** 3;
/** The spool's log and a few messages would fill it. */
const DISK_FULL_BYTES = 128 * 1024 ** 2;

/** An address may have any number of names. */
const PTR_NAMES_MAX = 10;

/** Where outbound port 25 is tried: large receivers that answer everybody. */
const PROBE_DOMAINS = ["gmail.com", "outlook.com"];

/** Runs every check. Never rejects. */
export async function examine(patient: Patient): Promise<Finding[]> {
  const { config, domains, nowMs = Date.now() } = patient;
  return Promise.all([
    examineResolver(patient),
    examineHostname(patient),
    ...examineSendingIps(patient),
    examineOutbound(patient),
    examineDisk(config.dataDir),
    ...(domains === null ? [noSpool(config.dataDir)] : domains.map((domain) => examineDomain(domain, nowMs))),
  ]);
}

async function examineResolver({ resolver, config }: Patient): Promise<Finding> {
  const check = "resolver";
  const answer = await resolver.txt(config.hostname);
  // One zone in trouble is no dead resolver.
  const others = answer.type === "trouble" ? await Promise.all(PROBE_DOMAINS.map((domain) => resolver.mx(domain))) : [];
  const answers = [answer, ...others].some(({ type }) => type !== "trouble");
  if (answers || answer.type !== "trouble") return { check, state: "ok", detail: "The resolver answers." };
  const servers = config.dnsServers.length === 0 ? "the system's resolver" : config.dnsServers.join(", ");
  const detail = `${servers} answered no question, such as one for ${config.hostname} (${answer.code}). No mail can be routed.`;
  return { check, state: "problem", detail };
}

async function examineHostname({ resolver, config, sendingIps }: Patient): Promise<Finding> {
  const check = "hostname";
  const { hostname } = config;
  if (!hostname.includes(".")) {
    const detail = `The EHLO name '${hostname}' is no full domain name. Set MTA_HOSTNAME to one that resolves to this host.`;
    return { check, state: "problem", detail };
  }
  const { addresses, trouble } = await addressesOf(hostname, resolver);
  const points = addresses.some((address) => sendingIps.includes(address));
  if (points) return { check, state: "ok", detail: `${hostname} resolves to a sending address.` };
  if (trouble !== null) return { check, state: "unclear", detail: unclearWords(hostname, trouble) };
  const found = addresses.length === 0 ? "nothing" : addresses.join(", ");
  const detail = `${hostname} resolves to ${found}, not to a sending address. Point its A or AAAA record here.`;
  return { check, state: "warning", detail };
}

interface Addresses {
  addresses: string[];
  /** The code of a question that got no answer: there may be more addresses than these. */
  trouble: string | null;
}

async function addressesOf(name: string, resolver: Resolver): Promise<Addresses> {
  const answers = await Promise.all([resolver.a(name), resolver.aaaa(name)]);
  const addresses = answers.flatMap((answer) => (answer.type === "found" ? answer.records : []));
  return { addresses, trouble: answers.find((answer) => answer.type === "trouble")?.code ?? null };
}

function unclearWords(name: string, code: string): string {
  return `The look-up of ${name} failed (${code}), so nothing is known of it. Ask again later, or look at its DNS servers.`;
}

function examineSendingIps({ sendingIps, resolver, config }: Patient): Promise<Finding>[] {
  if (sendingIps.length > 0) return sendingIps.map((ip) => examineReverse(ip, resolver));
  return [noSendingIp(config.hostname, resolver)];
}

async function noSendingIp(hostname: string, resolver: Resolver): Promise<Finding> {
  const check = "sending_ips";
  const { trouble } = await addressesOf(hostname, resolver);
  const why = trouble === null ? "" : `, and the look-up of ${hostname} failed (${trouble})`;
  const detail = `No public address of this host is known${why}. Set SENDING_IPS; without it SPF cannot be verified.`;
  return { check, state: "problem", detail };
}

/** Forward-confirmed reverse DNS: many receivers refuse mail without it. */
async function examineReverse(ip: string, resolver: Resolver): Promise<Finding> {
  const check = `reverse_dns ${ip}`;
  const ptr = await resolver.ptr(ip);
  if (ptr.type === "trouble") return { check, state: "unclear", detail: `The PTR look-up failed (${ptr.code}).` };
  if (ptr.type !== "found") {
    return { check, state: "problem", detail: `${ip} has no PTR record. Ask its owner, your host, to set one.` };
  }
  const seen = await Promise.all(ptr.records.slice(0, PTR_NAMES_MAX).map((name) => addressesOf(name, resolver)));
  const confirmed = ptr.records[seen.findIndex(({ addresses }) => addresses.includes(ip))];
  if (confirmed !== undefined)
    return { check, state: "ok", detail: `${ip} is ${confirmed}, and ${confirmed} is ${ip}.` };
  const codes = seen.flatMap(({ trouble }) => trouble ?? []);
  if (codes[0] !== undefined) {
    return { check, state: "unclear", detail: unclearWords(ptr.records.join(", "), codes[0]) };
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
  const probes = await Promise.all(PROBE_DOMAINS.map((domain) => probeAddresses(domain, resolver)));
  const addresses = probes.flatMap((probe) => probe.addresses);
  const allowed = addresses.filter((address) => config.smtpAllowPrivate || refusedRange(address) === null);
  if (allowed.length === 0) return { check, state: "unclear", detail: noProbeWords(probes) };
  const reached = await Promise.all(allowed.map((address) => canConnect(address, config.smtpPort)));
  if (reached.includes(true)) return { check, state: "ok", detail: `Port ${config.smtpPort} is open outwards.` };
  const detail = `No connection to port ${config.smtpPort} of ${allowed.join(", ")}. Ask your host to unblock it.`;
  return { check, state: "problem", detail };
}

async function probeAddresses(domain: string, resolver: Resolver): Promise<Addresses> {
  const mx = await resolver.mx(domain);
  if (mx.type === "trouble") return { addresses: [], trouble: mx.code };
  const first = mx.type === "found" ? mx.records[0]?.exchange : undefined;
  if (!first) return { addresses: [], trouble: null };
  const a = await resolver.a(first);
  if (a.type === "trouble") return { addresses: [], trouble: a.code };
  return { addresses: a.type === "found" ? a.records.slice(0, 1) : [], trouble: null };
}

function noProbeWords(probes: Addresses[]): string {
  const codes = [...new Set(probes.flatMap(({ trouble }) => trouble ?? []))];
  const names = PROBE_DOMAINS.join(" or ");
  if (codes.length > 0) return `The look-up of a mail exchanger of ${names} failed (${codes.join(", ")}).`;
  return `${names} have no mail exchanger that may be connected to, as this resolver says.`;
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

async function examineDisk(dataDir: string): Promise<Finding> {
  try {
    const { bavail, bsize } = await statfs(await existing(resolve(dataDir)));
    return diskFinding(dataDir, bavail * bsize);
  } catch (error) {
    return { check: "disk", state: "problem", detail: `${dataDir} cannot be used: ${(error as Error).message}.` };
  }
}

/** The nearest directory above that is there: the spool may not be made yet. */
async function existing(dir: string): Promise<string> {
  const { code } = await statfs(dir).then(
    () => ({ code: null }),
    (error: NodeJS.ErrnoException) => ({ code: error.code }),
  );
  return code === "ENOENT" && dir !== dirname(dir) ? existing(dirname(dir)) : dir;
}

/** What so much free space means for the spool. */
export function diskFinding(dataDir: string, freeBytes: number): Finding {
  const check = "disk";
  const detail = `${Math.floor(freeBytes / 1024 ** 2)} MiB are free where the spool lies (${dataDir}).`;
  if (freeBytes >= DISK_LOW_BYTES) return { check, state: "ok", detail };
  if (freeBytes >= DISK_FULL_BYTES) {
    return { check, state: "warning", detail: `${detail} When it is full, nothing more is accepted.` };
  }
  return { check, state: "problem", detail: `${detail} Make room: when it is full, nothing is accepted or settled.` };
}

function noSpool(dataDir: string): Finding {
  const detail = `There is no spool in ${resolve(dataDir)}. The service makes it at its first start; if it runs, its DATA_DIR is another.`;
  return { check: "spool", state: "warning", detail };
}

function examineDomain(domain: Domain, nowMs: number): Finding {
  const check = `domain ${domain.name}`;
  const failing = Object.entries(domain.checks).filter(([, { state }]) => state !== "verified");
  const sentences = failing.map(([name, { state, detail }]) => `${name} ${state}: ${detail}`);
  if (!domain.verified) return { check, state: "problem", detail: `It may not send. ${sentences.join(" ")}` };
  if (failing.length === 0) return { check, state: "ok", detail: "All five checks are verified." };
  const detail = ["It may still send.", ...graceSentences(domain, nowMs), ...sentences].join(" ");
  return { check, state: "warning", detail };
}
