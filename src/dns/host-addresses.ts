/** The addresses of a host by name. The callers decide which of them may be connected to. */
import type { DnsAnswer, LookupFailure, Resolver } from "./resolver.ts";

export type HostAddresses =
  | { type: "found"; addresses: string[] }
  /** The name does not exist, or has neither A nor AAAA records. */
  | { type: "none" }
  | LookupFailure;

/**
 * At most `max` addresses (at least 2), IPv4 first. A failed look-up of one family does not hide the other, and each family gets at
 * least half where it has that many. Never rejects.
 */
export async function lookUpAddresses(name: string, resolver: Resolver, max: number): Promise<HostAddresses> {
  const [a, aaaa] = await Promise.all([resolver.a(name), resolver.aaaa(name)]);
  const [ipv4, ipv6] = [distinct(a), distinct(aaaa)];
  const ipv4Max = max - Math.min(ipv6.length, Math.floor(max / 2));
  const addresses = [...ipv4.slice(0, ipv4Max), ...ipv6].slice(0, max);
  if (addresses.length > 0) return { type: "found", addresses };
  if (a.type === "failure") return a;
  return aaaa.type === "failure" ? aaaa : { type: "none" };
}

function distinct(answer: DnsAnswer<string>): string[] {
  return answer.type === "found" ? [...new Set(answer.records)] : [];
}
