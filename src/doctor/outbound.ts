/**
 * Whether mail gets out of this host: a connection to the best mail exchanger of each of PROBE_DOMAINS, its greeting, and
 * QUIT. No mail is sent.
 */
import { isIPv6 } from "node:net";
import { type ConnectResult, connectSmtp } from "../delivery/smtp/connect.ts";
import { refusedRange } from "../dns/address-policy.ts";
import type { Finding, Patient } from "./finding.ts";

const TIMEOUTS = { connect: 5000, greeting: 5000 };
const QUIT_LIMIT_MS = 1000;
const GREETING_LENGTH_MAX = 100;

type Family = "IPv4" | "IPv6";

/** One finding for each family that the host sends from; IPv4 when none is known. */
export function outboundFamilies(sendingIps: string[]): Family[] {
  const hasIpv6 = sendingIps.some(isIPv6);
  const hasIpv4 = sendingIps.some((ip) => !isIPv6(ip));
  return [...(hasIpv4 || !hasIpv6 ? (["IPv4"] as const) : []), ...(hasIpv6 ? (["IPv6"] as const) : [])];
}

export const outboundCheck = (family: Family): Finding["check"] =>
  family === "IPv4" ? "outbound_smtp" : "outbound_smtp IPv6";

export async function examineSink(sink: { host: string; port: number }, { clock }: Patient): Promise<Finding> {
  const check = "outbound_smtp";
  const [host, port] = [sink.host, sink.port];
  const probe = await greet({ mx: host, address: host, port }, clock);
  const where = `the sink ${host}:${port}`;
  if (probe.type === "closed") {
    return {
      check,
      state: "problem",
      detail: `All mail goes to ${where}, which takes no connection (${probe.error}).`,
    };
  }
  return {
    check,
    state: "warning",
    detail: `All mail goes to ${where}, none to its recipients. Unset SINK to deliver.`,
  };
}

export async function examineOutbound(family: Family, patient: Patient): Promise<Finding> {
  const check = outboundCheck(family);
  const { config, clock, sendingIps } = patient;
  if (config.probeDomains.length === 0) {
    return { check, state: "unclear", detail: "PROBE_DOMAINS names no domain to try." };
  }
  const hosts = await Promise.all(config.probeDomains.map((domain) => exchangerOf(domain, family, patient)));
  const targets = hosts.flatMap(({ target }) => target ?? []);
  const allowed = targets.filter(({ address }) => config.smtpAllowPrivate || refusedRange(address) === null);
  if (allowed.length === 0) return { check, state: "unclear", detail: nothingToTry(hosts, { family, patient }) };
  const probes = await Promise.all(allowed.map((target) => greet({ ...target, port: config.smtpPort }, clock)));
  const where = allowed.map(({ mx, address }) => `${mx} (${address})`).join(", ");
  // With IPv4 at hand, IPv6 is never the only way.
  const isOnlyWay = family === "IPv4" || outboundFamilies(sendingIps).length === 1;
  return { check, ...meaningOf(probes, { where, port: config.smtpPort, isOnlyWay }) };
}

interface Target {
  mx: string;
  address: string;
}

interface Sought {
  target: Target | null;
  /** The code of a look-up that failed. */
  trouble: string | null;
}

async function exchangerOf(domain: string, family: Family, { resolver }: Patient): Promise<Sought> {
  const mx = await resolver.mx(domain);
  if (mx.type === "trouble") return { target: null, trouble: mx.code };
  const ranked = mx.type === "found" ? mx.records.toSorted((a, b) => a.preference - b.preference) : [];
  const best = ranked[0]?.exchange;
  if (!best) return { target: null, trouble: null };
  const answer = await (family === "IPv4" ? resolver.a(best) : resolver.aaaa(best));
  if (answer.type === "trouble") return { target: null, trouble: answer.code };
  const address = answer.type === "found" ? answer.records[0] : undefined;
  return { target: address === undefined ? null : { mx: best, address }, trouble: null };
}

function nothingToTry(sought: Sought[], { family, patient }: { family: Family; patient: Patient }): string {
  const codes = [...new Set(sought.flatMap(({ trouble }) => trouble ?? []))];
  const names = patient.config.probeDomains.join(" or ");
  if (codes.length > 0) return `The look-up of a mail exchanger of ${names} failed (${codes.join(", ")}).`;
  return `${names} have no mail exchanger with ${family} that may be connected to, as this resolver says.`;
}

export type Probe =
  /** The connection came about; `code` is null where no greeting came. */
  { type: "answered"; code: number | null; words: string } | { type: "closed"; error: string };

async function greet({ mx, address, port }: Target & { port: number }, clock: Patient["clock"]): Promise<Probe> {
  const connected: ConnectResult = await connectSmtp({ host: mx, address, port, timeouts: TIMEOUTS, clock });
  if (connected.type === "failed") return { type: "closed", error: connected.error };
  const greeting = await connected.greeting;
  if (greeting.type !== "reply") {
    connected.connection.destroy();
    return { type: "answered", code: null, words: greeting.error };
  }
  await connected.connection.quit(QUIT_LIMIT_MS);
  const { code, message } = greeting.reply;
  return { type: "answered", code, words: `${code} ${message}`.split("\n")[0]?.slice(0, GREETING_LENGTH_MAX) ?? "" };
}

interface Tried {
  /** Who was tried, for people. */
  where: string;
  port: number;
  isOnlyWay: boolean;
}

/** What the probes of one family mean together: one good greeting will do. */
export function meaningOf(probes: Probe[], { where, port, isOnlyWay }: Tried): Pick<Finding, "state" | "detail"> {
  const answered = probes.filter((probe) => probe.type === "answered");
  const good = answered.find(({ code }) => code !== null && code < 300);
  if (good !== undefined) return { state: "ok", detail: `Port ${port} is open outwards: “${good.words}”.` };
  const [other] = answered;
  if (other !== undefined) {
    const detail = `Port ${port} of ${where} can be connected to, but greets with “${other.words}”. Either this host's address is refused there, or something on the way answers in its place: ask your host whether it redirects port 25.`;
    return { state: "warning", detail };
  }
  const errors = [...new Set(probes.flatMap((probe) => (probe.type === "closed" ? probe.error : [])))].join("; ");
  const what = `No connection to port ${port} of ${where} (${errors}).`;
  if (!isOnlyWay)
    return {
      state: "warning",
      detail: `${what} Mail goes over IPv4 only; mend the IPv6 route or leave it out of SENDING_IPS.`,
    };
  return { state: "problem", detail: `${what} No mail gets out. Many hosts block port 25: ask yours to unblock it.` };
}
