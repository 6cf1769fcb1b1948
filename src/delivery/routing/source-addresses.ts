/**
 * Which of this host's addresses mail leaves from, where that must be chosen: over IPv6 only from a sending address with a
 * confirmed reverse name, for many receivers refuse all others, and not at all where there is none. Over IPv4, and to
 * peers that are not on the public network, the system chooses. Findings for people are the doctor's.
 */
import { isIPv6 } from "node:net";
import { networkInterfaces } from "node:os";
import { embeddedIpv4, isPublic } from "../../dns/address-policy.ts";
import type { Resolver } from "../../dns/resolver.ts";
import { lookUpReverseName } from "../../dns/reverse-name.ts";
import type { Clock } from "../../lib/clock.ts";
import { isSameAddress } from "../../lib/ip-address.ts";
import type { Logger } from "../../lib/log.ts";
import { TtlCache } from "../../lib/ttl-cache.ts";

/** Where to connect to, and from where; without `localAddress` the system chooses. */
export interface Way {
  address: string;
  localAddress?: string;
}

export interface SourceAddresses {
  /** The ways to those of `addresses` that may be connected to. Never rejects. */
  waysTo(addresses: string[]): Promise<Way[]>;
}

export interface SourceParts {
  sendingIps: string[];
  resolver: Resolver;
  clock: Clock;
  log: Logger;
  /** The addresses of this host's interfaces. */
  ownAddresses?: () => string[];
}

/** Reverse names seldom change; the doctor asks anew each time. */
const KEPT_MS = 10 * 60_000;

/** Why an address that `waysTo` left out was not tried. */
export const NO_IPV6_SOURCE =
  "it has only IPv6 addresses, and no IPv6 sending address of this host has a confirmed reverse name";

interface Ipv6Sources {
  named: string[];
  /** Whether a look-up failed: others may have names too. */
  hasTrouble: boolean;
}

/** Looks up the reverse names at once, so that the log tells from the start what is left out. */
export function createSourceAddresses(parts: SourceParts): SourceAddresses {
  const { resolver, clock, log, ownAddresses = interfaceAddresses } = parts;
  const candidates = parts.sendingIps.filter((ip) => isIPv6(ip));
  let told = "";

  async function look(): Promise<Ipv6Sources> {
    const reverses = await Promise.all(candidates.map((ip) => lookUpReverseName(ip, resolver)));
    const leftOut = candidates.filter((_, index) => reverses[index]?.type !== "confirmed");
    if (leftOut.join() !== told) {
      told = leftOut.join();
      if (leftOut.length > 0)
        log.warn({ ips: leftOut }, "no mail leaves from these: they have no confirmed reverse name");
      else log.info({ ips: candidates }, "all IPv6 sending addresses have a confirmed reverse name");
    }
    const named = candidates.filter((ip) => !leftOut.includes(ip));
    return { named, hasTrouble: reverses.some(({ type }) => type === "failure") };
  }

  const kept = new TtlCache<Ipv6Sources>({
    clock,
    keptMs: KEPT_MS,
    max: 1,
    worthKeeping: ({ hasTrouble }) => !hasTrouble,
  });
  const sources = (): Promise<Ipv6Sources> =>
    candidates.length === 0 ? Promise.resolve({ named: [], hasTrouble: false }) : kept.get("ipv6", look);
  void sources();

  return {
    async waysTo(addresses) {
      const isFree = (address: string) => !isIPv6(address) || !isPublic(address) || embeddedIpv4(address) !== null;
      if (addresses.every(isFree)) return addresses.map((address) => ({ address }));
      const { named } = await sources();
      if (named.length === 0) return addresses.filter(isFree).map((address) => ({ address }));
      // Behind a translation none of them is an interface's: then the system's choice becomes one on the way.
      const own = ownAddresses();
      const localAddress = named.find((ip) => own.some((address) => isSameAddress(address, ip)));
      const from = localAddress === undefined ? {} : { localAddress };
      return addresses.map((address) => (isFree(address) ? { address } : { address, ...from }));
    },
  };
}

function interfaceAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((entries) => (entries ?? []).map(({ address }) => address));
}
