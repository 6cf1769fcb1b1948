/**
 * Checks that bounces of the domain reach the service: every MX record of its return path must name this service. Decides by the
 * DNS only; no connection is made to the hosts.
 */
import { isIP } from "node:net";
import type { MxRecord } from "../dns/resolver.ts";
import { bouncesDomain } from "../message/return-path.ts";
import type { CheckContext, CheckResult, PublishingDomain, RecordCheck } from "./check.ts";
import { displayRecords, quote, temporaryFailure } from "./check.ts";
import { findMisplacedRecord } from "./misplaced-record.ts";
import { findHostFault } from "./mx-host.ts";
import { returnPathMxRecord } from "./records.ts";
import { aliasOf, explainAlias } from "./return-path-alias.ts";

/** The number of hosts whose addresses are compared with those of the service. */
const HOSTS_MAX = 10;

export const checkReturnPathMx: RecordCheck = async (domain, context) => {
  const { name, value: expected } = returnPathMxRecord(domain, context);
  const answer = await context.resolver.mx(name);
  switch (answer.type) {
    case "failure":
      return temporaryFailure(`the MX records of ${name}`, answer, expected);
    case "nxdomain":
    case "nodata":
      return missingResult(domain, context);
    case "found":
      return evaluate(domain, context, answer.records);
  }
};

async function missingResult(domain: PublishingDomain, context: CheckContext): Promise<CheckResult> {
  const { name, value: expected } = returnPathMxRecord(domain, context);
  const add = `Add an MX record at ${name} with the value ${expected}.`;
  const alias = await aliasOf(name, context.resolver);
  if (alias !== null) return failed(`${explainAlias(name, alias)} ${alias} has no MX record. ${add}`, expected);
  const elsewhere = await findMisplacedRecord(context.resolver, {
    label: "",
    domain: name,
    mistakenLabels: ["@", "mx"],
    matches: (record) => hostOf(record.split(" ")[1] ?? "") === context.hostname,
    type: "MX",
  });
  if (elsewhere === null) return failed(`${name} has no MX record. ${add}`, expected);
  const { at, sentence, found } = elsewhere;
  return { ...failed(`${name} has no MX record. ${sentence}`, expected), found: displayRecords(found), foundAt: at };
}

async function evaluate(domain: PublishingDomain, context: CheckContext, records: MxRecord[]): Promise<CheckResult> {
  const { name, value: expected } = returnPathMxRecord(domain, context);
  const found = displayRecords(records.map(formatMx));
  const ours = await hostsOfService(records, context);
  const own = records.filter(({ exchange }) => ours.has(hostOf(exchange)));
  const others = records.filter(({ exchange }) => !ours.has(hostOf(exchange)));
  const fault = own.length === 0 ? explainForeign(domain, context, others) : explainPreferred(domain, own, others);
  if (fault !== null) {
    const alias = await aliasOf(name, context.resolver);
    const cause = alias === null ? "" : `${explainAlias(name, alias)} `;
    return { ...failed(`${cause}${fault} Change it to: ${expected}`, expected), found };
  }
  const [best] = own.toSorted((a, b) => a.preference - b.preference);
  const host = best === undefined ? context.hostname : hostOf(best.exchange);
  const unreachable = await explainUnreachable(host, context);
  const right = best === undefined ? expected : formatMx(best);
  if (unreachable !== null) return { ...failed(unreachable, right), found };
  const detail = `Bounces and reports for ${name} are sent to ${host}.`;
  if (others.length === 0) return { state: "verified", detail, expected: right, found };
  const warning = `While ${host} is not reachable, they are sent to ${hostNames(others)}, and are lost unless that host forwards them to ${host}. Remove the other MX records.`;
  return { state: "verified", detail: `${detail} ${warning}`, expected: right, found, warnings: [warning] };
}

/**
 * The hosts of MX records that are this service: its own name, and names whose addresses all belong to it, such as those of other
 * nodes.
 */
async function hostsOfService(records: MxRecord[], context: CheckContext): Promise<Set<string>> {
  const names = [...new Set(records.map(({ exchange }) => hostOf(exchange)))].slice(0, HOSTS_MAX);
  if (names.every((name) => name === context.hostname)) return new Set(names);
  const own = new Set([...context.sendingIps, ...(await addressesOf(context.hostname, context))]);
  const areOurs = await Promise.all(
    names.map(async (name) => {
      if (name === context.hostname) return true;
      if (name === "" || isIP(name) !== 0) return false;
      const addresses = await addressesOf(name, context);
      return addresses.length > 0 && addresses.every((address) => own.has(address));
    }),
  );
  return new Set(names.filter((_, i) => areOurs[i]));
}

async function addressesOf(host: string, { resolver }: CheckContext): Promise<string[]> {
  const answers = await Promise.all([resolver.a(host), resolver.aaaa(host)]);
  return answers.flatMap((answer) => (answer.type === "found" ? answer.records : []));
}

/** No record names the service. */
function explainForeign({ name }: PublishingDomain, { hostname }: CheckContext, others: MxRecord[]): string {
  const at = bouncesDomain(name);
  const [first] = others;
  const host = hostOf(first?.exchange ?? "");
  if (host === "") return `${at} has a null MX record (“.”, RFC 7505), which declares that it accepts no mail.`;
  if (isIP(host) !== 0) {
    return `The MX record of ${at} names the IP address ${host}. It must name a host (RFC 5321 §5.1).`;
  }
  if (host.startsWith(`${hostname}.`)) {
    return `The MX record of ${at} names ${host} instead of ${hostname}: the DNS panel appended a zone automatically. Enter the host name with a final dot.`;
  }
  return `Bounces for ${at} are sent to ${hostNames(others)} instead of ${hostname}.`;
}

/** The fault of records of other hosts that come before those of the service; null if there are none. */
function explainPreferred({ name }: PublishingDomain, own: MxRecord[], others: MxRecord[]): string | null {
  const best = Math.min(...own.map(({ preference }) => preference));
  const before = others.filter(({ preference }) => preference <= best);
  if (before.length === 0) return null;
  const at = bouncesDomain(name);
  return `The MX records of ${at} name ${hostNames(before)} before or beside this service, so bounces are sent there and are lost.`;
}

/** Why other servers cannot send to the host; null if they can, as far as the DNS shows. */
async function explainUnreachable(host: string, context: CheckContext): Promise<string | null> {
  const fault = await findHostFault(host, context);
  if (fault === null || !fault.isUnreachable) return null;
  return `${fault.detail} The operator sets the name of this service by MTA_HOSTNAME.`;
}

const formatMx = ({ preference, exchange }: MxRecord): string => `${preference} ${exchange || "."}`;

const hostOf = (exchange: string): string => exchange.toLowerCase().replace(/\.$/, "");

const hostNames = (records: MxRecord[]): string =>
  [...new Set(records.slice(0, HOSTS_MAX).map(({ exchange }) => quote(exchange || ".")))].join(" and ");

function failed(detail: string, expected: string): CheckResult {
  return { state: "failed", detail, expected, found: [] };
}
