/**
 * Whether other mail servers can reach a host that an MX record names. Decides by its DNS records: a failed lookup proves
 * nothing, and one public address is enough.
 */
import { refusedRange } from "../dns/address-policy.ts";
import type { CheckContext } from "./check.ts";

export interface HostFault {
  /** What is wrong and how to fix it. */
  detail: string;
  /** Whether no server can connect to the host. */
  isUnreachable: boolean;
  /** The host to name instead, where it is known. */
  replacement?: string;
}

/** The fault of an MX host; null for a reachable one, and where lookups fail. */
export async function findHostFault(
  host: string,
  { resolver, allowPrivate = false }: CheckContext,
): Promise<HostFault | null> {
  if (host === "localhost" || host.endsWith(".localhost")) {
    return unreachable(`The MX host ${host} names every host itself. Replace it by the name of your mail server.`);
  }
  const [alias, ...answers] = await Promise.all([resolver.cname(host), resolver.a(host), resolver.aaaa(host)]);
  const addresses = answers.flatMap((answer) => (answer.type === "found" ? answer.records : []));
  if (addresses.length === 0) {
    if (answers.some(({ type }) => type === "failure")) return null;
    if (answers.every(({ type }) => type === "nxdomain")) {
      return unreachable(`The MX host ${host} does not exist in the DNS. Add it with an A or AAAA record.`);
    }
    return unreachable(`The MX host ${host} has no address. Add an A or AAAA record.`);
  }
  const ranges = addresses.map(refusedRange);
  if (!allowPrivate && ranges.every((range) => range !== null) && !answers.some(({ type }) => type === "failure")) {
    return unreachable(
      `The MX host ${host} has the address ${addresses[0]} (${ranges[0]}), which other networks cannot reach. Give it a public address.`,
    );
  }
  if (alias.type !== "found") return null;
  const [target] = alias.records;
  return {
    detail: `The MX host ${host} is an alias (CNAME) of ${target}. RFC 2181 §10.3 forbids this, and some senders reject it. Put ${target} into the MX record.`,
    isUnreachable: false,
    ...(target === undefined ? {} : { replacement: target }),
  };
}

const unreachable = (detail: string): HostFault => ({ detail, isUnreachable: true });
