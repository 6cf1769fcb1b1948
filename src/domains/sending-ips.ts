/**
 * Which public addresses mail leaves from, when nobody said so: this host's own public ones, else what the EHLO name
 * resolves to (behind NAT, as in a container, that name is the best witness there is).
 */
import { networkInterfaces } from "node:os";
import { isPublic } from "../dns/address-policy.ts";
import type { Resolver } from "../dns/resolver.ts";

/** IP addresses as text; empty when none can be found. Never rejects. */
export async function discoverSendingIps(hostname: string, resolver: Resolver): Promise<string[]> {
  const own = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .map((entry) => entry.address)
    .filter(isPublic);
  if (own.length > 0) return own;
  const answers = await Promise.all([resolver.a(hostname), resolver.aaaa(hostname)]);
  return answers.flatMap((answer) => (answer.type === "found" ? answer.records : [])).filter(isPublic);
}
