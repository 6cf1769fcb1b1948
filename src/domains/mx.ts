/**
 * Checks that replies and bounces can reach the domain. Decides only by the DNS: MX records that name hosts are verified,
 * and unreachable hosts are a warning. No connection is made to the hosts.
 */
import { isIP } from "node:net";
import type { MxRecord, Resolver } from "../dns/resolver.ts";
import type { CheckContext, CheckResult, PublishingDomain, RecordCheck } from "./check.ts";
import { displayRecords, temporaryFailure } from "./check.ts";
import { findMisplacedRecord } from "./misplaced-record.ts";
import { findHostFault, type HostFault } from "./mx-host.ts";
import { mxRecord } from "./records.ts";

/** The number of hosts whose addresses are looked up. */
const HOSTS_MAX = 10;

export const checkMx: RecordCheck = async (domain, context) => {
  const { name, value: expected } = mxRecord(domain);
  const answer = await context.resolver.mx(name);
  switch (answer.type) {
    case "failure":
      return temporaryFailure(`the MX records of ${name}`, answer, expected);
    case "nxdomain":
      return failed(
        `${name} does not exist in the DNS. Register it, or wait until its name servers answer for it.`,
        expected,
      );
    case "nodata":
      return missingResult(domain, context.resolver);
    case "found":
      return evaluate(domain, context, answer.records);
  }
};

async function missingResult({ name }: PublishingDomain, resolver: Resolver): Promise<CheckResult> {
  const { value } = mxRecord({ name });
  const isIt = (record: string): boolean => !record.endsWith(" ");
  const elsewhere = await findMisplacedRecord(resolver, {
    label: "",
    domain: name,
    mistakenLabels: ["@", "mx"],
    matches: isIt,
    type: "MX",
  });
  if (elsewhere !== null) {
    const { at, sentence, found } = elsewhere;
    const expected = found[0] ?? value;
    return { ...failed(`${name} has no MX record. ${sentence}`, expected), found: displayRecords(found), foundAt: at };
  }
  const fault = `${name} has no MX record. An A or AAAA record does not replace it here. Add an MX record, such as ${value}.`;
  return failed(fault, value);
}

async function evaluate({ name }: PublishingDomain, context: CheckContext, records: MxRecord[]): Promise<CheckResult> {
  const { value: example } = mxRecord({ name });
  const found = displayRecords(records.map(formatMx));
  const named = records.filter(({ exchange }) => hostOf(exchange) !== "");
  const literal = named.find(({ exchange }) => isIP(hostOf(exchange)) !== 0);
  const hosts = named.filter(({ exchange }) => isIP(hostOf(exchange)) === 0);
  if (named.length === 0) return { ...failed(explainNullMx(name, example), example), found };
  const [best] = hosts.toSorted((a, b) => a.preference - b.preference);
  if (best === undefined) return { ...failed(explainAddressMx(name, literal), example), found };
  const names = [...new Set(hosts.map(({ exchange }) => hostOf(exchange)))].slice(0, HOSTS_MAX);
  const faults = await Promise.all(names.map((host) => findHostFault(host, context)));
  const warnings = [
    ...(literal === undefined ? [] : [`${explainAddressMx(name, literal)} The other MX records are used.`]),
    ...faultWarnings(names, faults),
  ];
  const detail = [`Messages to ${name} are sent to ${names.join(", ")}.`, ...warnings].join(" ");
  const exchange = faults[names.indexOf(hostOf(best.exchange))]?.replacement ?? best.exchange;
  return { state: "verified", detail, expected: formatMx({ ...best, exchange }), found, warnings };
}

const formatMx = ({ preference, exchange }: MxRecord): string => `${preference} ${exchange || "."}`;

const hostOf = (exchange: string): string => exchange.replace(/\.$/, "");

/** One sentence for each faulty host, and the consequence, which depends on whether another host is reachable. */
function faultWarnings(names: string[], faults: (HostFault | null)[]): string[] {
  const sentences = faults.flatMap((fault) => fault?.detail ?? []);
  if (sentences.length === 0) return [];
  const unreachable = faults.filter((fault) => fault?.isUnreachable === true).length;
  if (unreachable === 0) return sentences;
  const consequence =
    unreachable < names.length
      ? "The other hosts are reachable, but messages may be delayed until a sender tries them."
      : "Replies and bounces do not arrive.";
  return [...sentences, consequence];
}

function explainNullMx(name: string, expected: string): string {
  return `${name} has a null MX record (“.”, RFC 7505), which declares that the domain accepts no mail. Replies and bounces cannot reach you, and many receivers reject messages from such a domain (RFC 7505 §4.2). Send from another domain, or replace the record by an MX record for your mail server, such as ${expected}.`;
}

function explainAddressMx(name: string, record: MxRecord | undefined): string {
  return `The MX record of ${name} names the IP address ${record?.exchange}. It must name a host (RFC 5321 §5.1). Create a host name with that address and put the name into the MX record.`;
}

function failed(detail: string, expected: string): CheckResult {
  return { state: "failed", detail, expected, found: [] };
}
