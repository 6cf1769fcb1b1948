/**
 * Whether mail can reach a host that an MX record names.
 * Decides by its DNS records: trouble proves nothing, and one public address is enough.
 */
import { refusedRange } from "../dns/address-policy.ts";
import type { CheckContext } from "./check.ts";

export interface HostFault {
  /** What is wrong and what to change. */
  sentence: string;
  /** Whether no mail can reach it at all. */
  isUnreachable: boolean;
  /** The host to name instead, where that is known. */
  instead?: string;
}

/** Null for a host that mail can reach, as far as the DNS answers. */
export async function hostFault(
  host: string,
  { resolver, allowPrivate = false }: CheckContext,
): Promise<HostFault | null> {
  if (host === "localhost" || host.endsWith(".localhost")) {
    return unreachable(`The MX host ${host} is every host's own name: put the name of your mail server there.`);
  }
  const [alias, ...answers] = await Promise.all([resolver.cname(host), resolver.a(host), resolver.aaaa(host)]);
  const addresses = answers.flatMap((answer) => (answer.type === "found" ? answer.records : []));
  if (addresses.length === 0) {
    if (answers.some(({ type }) => type === "trouble")) return null;
    if (answers.every(({ type }) => type === "nxdomain")) {
      return unreachable(`The MX host ${host} does not exist in the DNS: add it with an A or AAAA record.`);
    }
    return unreachable(`The MX host ${host} has no address: give it an A or AAAA record.`);
  }
  const ranges = addresses.map(refusedRange);
  if (!allowPrivate && ranges.every((range) => range !== null) && !answers.some(({ type }) => type === "trouble")) {
    return unreachable(
      `The MX host ${host} has the address ${addresses[0]} (${ranges[0]}), which other networks cannot reach: give it a public one.`,
    );
  }
  if (alias.type !== "found") return null;
  return {
    sentence: `The MX host ${host} is an alias (CNAME) of ${alias.records[0]}, which RFC 2181 §10.3 forbids, and some senders refuse it: put ${alias.records[0]} into the MX record.`,
    isUnreachable: false,
    ...(alias.records[0] === undefined ? {} : { instead: alias.records[0] }),
  };
}

const unreachable = (sentence: string): HostFault => ({ sentence, isUnreachable: true });
