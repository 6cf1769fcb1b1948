/** The addresses of this server, which webhooks are not sent to: its services may trust connections from the host itself. */
import { networkInterfaces } from "node:os";
import type { Clock } from "../lib/clock.ts";
import { ipv6Groups } from "../lib/ip-address.ts";
import { embeddedIpv4 } from "./address-policy.ts";

export interface OwnAddressesParts {
  clock: Clock;
  /** Addresses that are translated to this server's. */
  sendingIps: readonly string[];
  /** The addresses of this server's interfaces. */
  interfaceAddresses?: () => string[];
}

/** Interfaces change seldom, and reading them takes as long as a post. */
const READ_INTERVAL_MS = 5000;

/** Returns a function that tests whether an address, in any notation, is one of this server. */
export function ownAddresses(parts: OwnAddressesParts): (address: string) => boolean {
  const { clock, sendingIps, interfaceAddresses = systemAddresses } = parts;
  let known = new Set<string>();
  let validUntilMs = Number.NEGATIVE_INFINITY;
  return (address) => {
    const nowMs = clock.monotonicMs();
    if (nowMs >= validUntilMs) {
      known = new Set([...sendingIps, ...interfaceAddresses()].map(canonical));
      validUntilMs = nowMs + READ_INTERVAL_MS;
    }
    return known.has(canonical(address));
  };
}

/** One text for all notations of an address, and for an IPv4 address inside IPv6. */
function canonical(address: string): string {
  const [bare = ""] = address.split("%");
  return embeddedIpv4(bare) ?? ipv6Groups(bare)?.join(":") ?? bare;
}

/** The addresses of this server's interfaces. */
export function systemAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((entries) => (entries ?? []).map(({ address }) => address));
}
