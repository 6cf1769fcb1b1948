/**
 * Whether this server can deliver: connects to the preferred mail exchanger of each of PROBE_DOMAINS, reads its greeting, and
 * quits. No message is sent.
 */
import { isIPv6 } from "node:net";
import { type ConnectResult, connectSmtp } from "../delivery/smtp/connect.ts";
import { refusedRange } from "../dns/address-policy.ts";
import type { DoctorInput, Finding } from "./finding.ts";

const TIMEOUTS = { connect: 5000, greeting: 5000 };
const QUIT_LIMIT_MS = 1000;
const GREETING_LENGTH_MAX = 100;

type Family = "IPv4" | "IPv6";

/** The address families that the host sends from; IPv4 when none is known. */
export function outboundFamilies(sendingIps: string[]): Family[] {
  const hasIpv6 = sendingIps.some(isIPv6);
  const hasIpv4 = sendingIps.some((ip) => !isIPv6(ip));
  return [...(hasIpv4 || !hasIpv6 ? (["IPv4"] as const) : []), ...(hasIpv6 ? (["IPv6"] as const) : [])];
}

export const outboundCheckName = (family: Family): Finding["check"] =>
  family === "IPv4" ? "outbound_smtp" : "outbound_smtp IPv6";

export async function checkSink(sink: { host: string; port: number }, { clock }: DoctorInput): Promise<Finding> {
  const check = "outbound_smtp";
  const [host, port] = [sink.host, sink.port];
  const probe = await probeServer({ mx: host, address: host, port }, clock);
  const where = `the sink ${host}:${port}`;
  if (probe.type === "closed") {
    return {
      check,
      state: "problem",
      detail: `All messages are sent to ${where}, which accepts no connection (${probe.error}).`,
    };
  }
  return {
    check,
    state: "warning",
    detail: `All messages are sent to ${where} and none to their recipients. Unset SINK to deliver.`,
  };
}

export async function checkOutbound(family: Family, input: DoctorInput): Promise<Finding> {
  const check = outboundCheckName(family);
  const { config, clock, sendingIps } = input;
  if (config.probeDomains.length === 0) {
    return { check, state: "unclear", detail: "PROBE_DOMAINS names no domain to probe." };
  }
  const hosts = await Promise.all(config.probeDomains.map((domain) => findExchanger(domain, family, input)));
  const targets = hosts.flatMap(({ target }) => target ?? []);
  const allowed = targets.filter(({ address }) => config.smtpAllowPrivate || refusedRange(address) === null);
  if (allowed.length === 0) return { check, state: "unclear", detail: explainNoTarget(hosts, { family, input }) };
  const probes = await Promise.all(allowed.map((target) => probeServer({ ...target, port: config.smtpPort }, clock)));
  const where = allowed.map(({ mx, address }) => `${mx} (${address})`).join(", ");
  // Where IPv4 is available, IPv6 is never the only route.
  const isOnlyWay = family === "IPv4" || outboundFamilies(sendingIps).length === 1;
  return { check, ...judgeProbes(probes, { where, port: config.smtpPort, isOnlyWay }) };
}

interface Target {
  mx: string;
  address: string;
}

interface ExchangerLookup {
  target: Target | null;
  /** The code of a failed lookup. */
  failureCode: string | null;
}

async function findExchanger(domain: string, family: Family, { resolver }: DoctorInput): Promise<ExchangerLookup> {
  const mx = await resolver.mx(domain);
  if (mx.type === "failure") return { target: null, failureCode: mx.code };
  const ranked = mx.type === "found" ? mx.records.toSorted((a, b) => a.preference - b.preference) : [];
  const best = ranked[0]?.exchange;
  if (!best) return { target: null, failureCode: null };
  const answer = await (family === "IPv4" ? resolver.a(best) : resolver.aaaa(best));
  if (answer.type === "failure") return { target: null, failureCode: answer.code };
  const address = answer.type === "found" ? answer.records[0] : undefined;
  return { target: address === undefined ? null : { mx: best, address }, failureCode: null };
}

function explainNoTarget(sought: ExchangerLookup[], { family, input }: { family: Family; input: DoctorInput }): string {
  const codes = [...new Set(sought.flatMap(({ failureCode }) => failureCode ?? []))];
  const names = input.config.probeDomains.join(" or ");
  if (codes.length > 0) return `The lookup of a mail server of ${names} failed (${codes.join(", ")}).`;
  return `The resolver returns no mail server of ${names} with an allowed ${family} address.`;
}

type Probe =
  /** The connection was established; `code` is null without a greeting. */
  { type: "answered"; code: number | null; words: string } | { type: "closed"; error: string };

async function probeServer(
  { mx, address, port }: Target & { port: number },
  clock: DoctorInput["clock"],
): Promise<Probe> {
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

interface ProbedTargets {
  /** The probed hosts, for display. */
  where: string;
  port: number;
  isOnlyWay: boolean;
}

/** The verdict on the probes of one family: one good greeting is enough. */
function judgeProbes(probes: Probe[], { where, port, isOnlyWay }: ProbedTargets): Pick<Finding, "state" | "detail"> {
  const answered = probes.filter((probe) => probe.type === "answered");
  const good = answered.find(({ code }) => code !== null && code < 300);
  if (good !== undefined) return { state: "ok", detail: `Outbound port ${port} is open: “${good.words}”.` };
  const [other] = answered;
  if (other !== undefined) {
    const detail = `Port ${port} of ${where} accepts connections but greets with “${other.words}”. Either the server rejects this server's address, or a middlebox answers instead. Ask your hosting provider whether it redirects port 25.`;
    return { state: "warning", detail };
  }
  const errors = [...new Set(probes.flatMap((probe) => (probe.type === "closed" ? probe.error : [])))].join("; ");
  const what = `Could not connect to port ${port} of ${where} (${errors}).`;
  if (!isOnlyWay)
    return {
      state: "warning",
      detail: `${what} Messages are sent over IPv4 only. Fix the IPv6 route, or remove the IPv6 address from SENDING_IPS.`,
    };
  return {
    state: "problem",
    detail: `${what} No message can be delivered. Many hosting providers block port 25; ask yours to unblock it.`,
  };
}
