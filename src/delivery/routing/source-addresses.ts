/**
 * The local address that connections use. Over IPv6 it is a sending address with a confirmed reverse name, because many receivers
 * refuse all others; without one, IPv6 is not used. Over IPv4, and to peers outside the public network, the system chooses.
 * Reporting to the operator is the doctor's.
 */

import { isIPv6 } from "node:net";
import { embeddedIpv4, isPublic } from "../../dns/address-policy.ts";
import { systemAddresses } from "../../dns/own-addresses.ts";
import type { Resolver } from "../../dns/resolver.ts";
import { lookUpReverseName } from "../../dns/reverse-name.ts";
import type { Clock } from "../../lib/clock.ts";
import { isSameAddress } from "../../lib/ip-address.ts";
import type { Logger } from "../../lib/log.ts";
import { TtlCache } from "../../lib/ttl-cache.ts";
import { MINUTE_MS } from "../../lib/units.ts";
import type { SendingAddress } from "../../spool/port/sending-addresses.ts";

/** The remote address of a connection, and the local one; without `localAddress` the system chooses it. */
export interface Endpoint {
  address: string;
  localAddress?: string;
  /** The sending address that `localAddress` is of; absent where there is no record of one. */
  source?: Pick<SendingAddress, "ip" | "name">;
}

export interface SourceAddresses {
  /** Endpoints for those of `addresses` that may be used, from a sending address if one is given. Never rejects. */
  endpointsFor(addresses: string[], from?: SendingAddress | null): Promise<Endpoint[]>;
}

export interface SourceParts {
  sendingIps: string[];
  resolver: Resolver;
  clock: Clock;
  log: Logger;
  /** The addresses of this server's interfaces. */
  ownAddresses?: () => string[];
}

/** Reverse names seldom change; the doctor looks them up each time. */
const KEPT_MS = 10 * MINUTE_MS;

/** Why `endpointsFor` left out an address. */
export const NO_IPV6_SOURCE =
  "it has only IPv6 addresses, and no IPv6 sending address of this server has a confirmed reverse name";

interface Ipv6Sources {
  named: string[];
  /** Whether a look-up failed: others may have names too. */
  hasFailure: boolean;
}

/** Looks up the reverse names at once, so the log shows from the start which addresses are not used. */
export class ReverseNamedSources implements SourceAddresses {
  readonly #parts: SourceParts;
  readonly #candidates: string[];
  readonly #cache: TtlCache<Ipv6Sources>;
  /** The addresses without a name that were logged last. */
  #logged = "";

  constructor(parts: SourceParts) {
    this.#parts = parts;
    this.#candidates = parts.sendingIps.filter((ip) => isIPv6(ip));
    this.#cache = new TtlCache({
      clock: parts.clock,
      keptMs: KEPT_MS,
      max: 1,
      worthKeeping: ({ hasFailure }) => !hasFailure,
    });
    void this.#sources();
  }

  async endpointsFor(addresses: string[], from: SendingAddress | null = null): Promise<Endpoint[]> {
    return from === null ? this.#systemEndpoints(addresses) : endpointsFrom(from, addresses);
  }

  async #systemEndpoints(addresses: string[]): Promise<Endpoint[]> {
    if (addresses.every(isUnrestricted)) return addresses.map((address) => ({ address }));
    const { named } = await this.#sources();
    if (named.length === 0) return addresses.filter(isUnrestricted).map((address) => ({ address }));
    // Behind address translation none of them is an interface's: then the system's choice is translated to one of them.
    const own = (this.#parts.ownAddresses ?? systemAddresses)();
    const localAddress = named.find((ip) => own.some((address) => isSameAddress(address, ip)));
    const from = localAddress === undefined ? {} : { localAddress };
    return addresses.map((address) => (isUnrestricted(address) ? { address } : { address, ...from }));
  }

  #sources(): Promise<Ipv6Sources> {
    if (this.#candidates.length === 0) return Promise.resolve({ named: [], hasFailure: false });
    return this.#cache.get("ipv6", () => this.#lookUp());
  }

  async #lookUp(): Promise<Ipv6Sources> {
    const { resolver } = this.#parts;
    const candidates = this.#candidates;
    const reverses = await Promise.all(candidates.map((ip) => lookUpReverseName(ip, resolver)));
    const unnamed = candidates.filter((_, index) => reverses[index]?.type !== "confirmed");
    this.#log(unnamed);
    const named = candidates.filter((ip) => !unnamed.includes(ip));
    return { named, hasFailure: reverses.some(({ type }) => type === "failure") };
  }

  #log(unnamed: string[]): void {
    if (unnamed.join() === this.#logged) return;
    this.#logged = unnamed.join();
    const { log } = this.#parts;
    if (unnamed.length > 0) log.warn({ ips: unnamed }, "IPv6 sending addresses not used: no confirmed reverse name");
    else log.info({ ips: this.#candidates }, "all IPv6 sending addresses have a confirmed reverse name");
  }
}

/** Those that an address of one family can reach. */
function endpointsFrom({ ip, name, bind }: SendingAddress, addresses: string[]): Endpoint[] {
  const source = { ip, name };
  const isReachable = (address: string): boolean => isIPv6(address) === isIPv6(ip);
  return addresses.filter(isReachable).map((address) => ({ address, localAddress: bind ?? ip, source }));
}

/** Why a host cannot be reached from a sending address. */
export const noAddressOfFamily = (from: string): string =>
  `it has no ${isIPv6(from) ? "IPv6" : "IPv4"} address, and the message leaves from ${from}`;

/** Whether the system may choose the local address for a peer. */
function isUnrestricted(address: string): boolean {
  return !isIPv6(address) || !isPublic(address) || embeddedIpv4(address) !== null;
}
