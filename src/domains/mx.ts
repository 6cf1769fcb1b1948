/**
 * MX: replies and bounces can reach the domain.
 * Decides by the DNS alone: MX records that name hosts verify, and hosts that mail cannot reach are a warning. Whether the
 * hosts take mail is not tried.
 */
import { isIP } from "node:net";
import type { MxRecord, Resolver } from "../dns/resolver.ts";
import type { Check, CheckContext, Publisher, Seen } from "./check.ts";
import { shown, troubled } from "./check.ts";
import { misplaced } from "./misplaced.ts";
import { type HostFault, hostFault } from "./mx-host.ts";
import { mxRecord } from "./records.ts";

/** Hosts whose addresses are asked for; a sentence needs no more. */
const HOSTS_MAX = 10;

export const checkMx: Check = async (domain, context) => {
  const { name, value: expected } = mxRecord(domain);
  const answer = await context.resolver.mx(name);
  switch (answer.type) {
    case "trouble":
      return troubled(`the MX records of ${name}`, answer, expected);
    case "nxdomain":
      return failed(`${name} does not exist in the DNS. Register it, or wait until its name servers answer.`, expected);
    case "nodata":
      return missing(domain, context.resolver);
    case "found":
      return judge(domain, context, answer.records);
  }
};

async function missing({ name }: Publisher, resolver: Resolver): Promise<Seen> {
  const { value } = mxRecord({ name });
  const isIt = (record: string): boolean => !record.endsWith(" ");
  const elsewhere = await misplaced(resolver, { label: "", domain: name, slips: ["@", "mx"], isIt, type: "MX" });
  if (elsewhere !== null) {
    const { at, sentence, found } = elsewhere;
    const expected = found[0] ?? value;
    return { ...failed(`${name} has no MX record. ${sentence}`, expected), found: shown(found), foundAt: at };
  }
  const fault = `${name} has no MX record. An A or AAAA record does not count in its place here: add an MX record, such as ${value}.`;
  return failed(fault, value);
}

async function judge({ name }: Publisher, context: CheckContext, records: MxRecord[]): Promise<Seen> {
  const { value: example } = mxRecord({ name });
  const found = shown(records.map(textOf));
  const named = records.filter(({ exchange }) => hostOf(exchange) !== "");
  const literal = named.find(({ exchange }) => isIP(hostOf(exchange)) !== 0);
  const hosts = named.filter(({ exchange }) => isIP(hostOf(exchange)) === 0);
  if (named.length === 0) return { ...failed(nullMx(name, example), example), found };
  const [best] = hosts.toSorted((a, b) => a.preference - b.preference);
  if (best === undefined) return { ...failed(addressMx(name, literal), example), found };
  const names = [...new Set(hosts.map(({ exchange }) => hostOf(exchange)))].slice(0, HOSTS_MAX);
  const faults = await Promise.all(names.map((host) => hostFault(host, context)));
  const warnings = [
    ...(literal === undefined ? [] : [`${addressMx(name, literal)} The other MX records count.`]),
    ...faultWarnings(names, faults),
  ];
  const detail = [`Mail for ${name} goes to ${names.join(", ")}.`, ...warnings].join(" ");
  const instead = faults[names.indexOf(hostOf(best.exchange))]?.instead ?? best.exchange;
  return { state: "verified", detail, expected: textOf({ ...best, exchange: instead }), found, warnings };
}

const textOf = ({ preference, exchange }: MxRecord): string => `${preference} ${exchange || "."}`;

const hostOf = (exchange: string): string => exchange.replace(/\.$/, "");

/** One sentence a host; what it means depends on whether another host can be reached. */
function faultWarnings(names: string[], faults: (HostFault | null)[]): string[] {
  const sentences = faults.flatMap((fault) => fault?.sentence ?? []);
  if (sentences.length === 0) return [];
  const unreachable = faults.filter((fault) => fault?.isUnreachable === true).length;
  if (unreachable === 0) return sentences;
  const consequence =
    unreachable < names.length
      ? "The other hosts can be reached, but mail may wait until a sender tries them."
      : "So replies and bounces do not arrive.";
  return [...sentences, consequence];
}

function nullMx(name: string, expected: string): string {
  return `${name} has a null MX record (“.”, RFC 7505), which says by choice that it takes no mail: replies and bounces could not reach you, and many receivers refuse mail from such a domain (RFC 7505 §4.2). Send from another domain, or replace it by an MX that takes your mail, such as ${expected}.`;
}

function addressMx(name: string, record: MxRecord | undefined): string {
  return `The MX record of ${name} names the IP address ${record?.exchange}. It must name a host (RFC 5321 §5.1): give that address to a host name and put the name into the MX record.`;
}

function failed(detail: string, expected: string): Seen {
  return { state: "failed", detail, expected, found: [] };
}
