/**
 * MX: replies and bounces can reach the domain.
 * Decides by the MX records alone; whether the hosts take mail is not tried.
 */
import { isIP } from "node:net";
import type { MxRecord, Resolver } from "../dns/resolver.ts";
import type { Check, CheckContext, Publisher, Seen } from "./check.ts";
import { shown, troubled } from "./check.ts";
import { mxRecord } from "./records.ts";

/** Hosts whose addresses are asked for; a sentence needs no more. */
const HOSTS_MAX = 10;

export const checkMx: Check = async (domain, { resolver }) => {
  const { name, value: expected } = mxRecord(domain);
  const answer = await resolver.mx(name);
  switch (answer.type) {
    case "trouble":
      return troubled(`the MX records of ${name}`, answer, expected);
    case "nxdomain":
      return failed(`${name} does not exist in the DNS. Register it, or wait until its name servers answer.`, expected);
    case "nodata":
      return failed(
        `${name} has no MX record. An A or AAAA record does not count in its place here: add an MX record, such as ${expected}.`,
        expected,
      );
    case "found":
      return judge(domain, { resolver }, answer.records);
  }
};

async function judge({ name }: Publisher, { resolver }: Pick<CheckContext, "resolver">, records: MxRecord[]) {
  const { value: expected } = mxRecord({ name });
  const found = shown(records.map(({ preference, exchange }) => `${preference} ${exchange || "."}`));
  const exchanges = records.map(({ exchange }) => exchange.replace(/\.$/, "")).filter((exchange) => exchange !== "");
  const addresses = exchanges.filter((exchange) => isIP(exchange) !== 0);
  const hosts = exchanges.filter((exchange) => isIP(exchange) === 0);
  if (exchanges.length === 0) return { ...failed(nullMx(name, expected), expected), found };
  if (hosts.length === 0) return { ...failed(addressMx(name, addresses), expected), found };
  const warnings = [
    ...(addresses.length > 0 ? [`${addressMx(name, addresses)} The other MX records count.`] : []),
    ...((await noneHasAddress(resolver, hosts))
      ? [`But none of these hosts has an address, so no mail arrives: give ${hosts[0]} an A or AAAA record.`]
      : []),
  ];
  const detail = [`Mail for ${name} goes to ${hosts.slice(0, HOSTS_MAX).join(", ")}.`, ...warnings].join(" ");
  return { state: "verified", detail, expected, found } satisfies Seen;
}

function nullMx(name: string, expected: string): string {
  return `${name} has a null MX record (“.”, RFC 7505), which says that it takes no mail: replies and bounces could not reach you. Replace it by an MX that takes your mail, such as ${expected}.`;
}

function addressMx(name: string, addresses: string[]): string {
  return `The MX record of ${name} names the IP address ${addresses[0]}. It must name a host (RFC 5321 §5.1): give that address to a host name and put the name into the MX record.`;
}

function failed(detail: string, expected: string): Seen {
  return { state: "failed", detail, expected, found: [] };
}

/** True only when the DNS denies each host's addresses; trouble proves nothing. */
async function noneHasAddress(resolver: Resolver, hosts: string[]): Promise<boolean> {
  if (hosts.length > HOSTS_MAX) return false;
  const answers = await Promise.all(hosts.flatMap((host) => [resolver.a(host), resolver.aaaa(host)]));
  return answers.every((answer) => answer.type === "nxdomain" || answer.type === "nodata");
}
