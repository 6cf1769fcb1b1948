/**
 * Discovers the public addresses that messages are sent from: the public addresses of this server, or else those that the
 * EHLO name resolves to. Behind NAT, as in a container, that name is the best evidence available.
 */
import { networkInterfaces } from "node:os";
import { isPublic } from "../dns/address-policy.ts";
import type { Resolver } from "../dns/resolver.ts";

/** IP addresses as text; empty when none is found. Never rejects. */
export async function discoverSendingIps(hostname: string, resolver: Resolver): Promise<string[]> {
  const own = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .map((entry) => entry.address)
    .filter(isPublic);
  if (own.length > 0) return own;
  const answers = await Promise.all([resolver.a(hostname), resolver.aaaa(hostname)]);
  return answers.flatMap((answer) => (answer.type === "found" ? answer.records : [])).filter(isPublic);
}
