/** The addresses of a host by name. The callers decide which of them may be connected to. */
import { shuffled } from "../lib/shuffle.ts";
import type { DnsAnswer, LookupFailure, Resolver } from "./resolver.ts";

export type HostAddresses =
  | { type: "found"; addresses: string[] }
  /** The name does not exist, or has neither A nor AAAA records. */
  | { type: "none" }
  | LookupFailure;

export interface AddressChoice {
  /** At least 2. */
  max: number;
  /** Uniform in [0, 1): shuffles the addresses of each family before they are counted. Without it, they keep the answer's order. */
  random?: () => number;
}

/**
 * At most `max` addresses, IPv4 first. A failed look-up of one family does not hide the other, and each family gets at
 * least half where it has that many. Never rejects.
 */
export async function lookUpAddresses(
  name: string,
  resolver: Resolver,
  { max, random }: AddressChoice,
): Promise<HostAddresses> {
  const [a, aaaa] = await Promise.all([resolver.a(name), resolver.aaaa(name)]);
  const inOrder = (addresses: string[]) => (random === undefined ? addresses : shuffled(addresses, random));
  const [ipv4, ipv6] = [inOrder(distinct(a)), inOrder(distinct(aaaa))];
  const ipv4Max = max - Math.min(ipv6.length, Math.floor(max / 2));
  const addresses = [...ipv4.slice(0, ipv4Max), ...ipv6].slice(0, max);
  if (addresses.length > 0) return { type: "found", addresses };
  if (a.type === "failure") return a;
  return aaaa.type === "failure" ? aaaa : { type: "none" };
}

function distinct(answer: DnsAnswer<string>): string[] {
  return answer.type === "found" ? [...new Set(answer.records)] : [];
}
