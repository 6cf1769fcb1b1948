/**
 * Which addresses webhooks connect to. Each connection to a name resolves it once, and connects only to the addresses that were
 * checked then: an answer that changes later has no effect (DNS rebinding). dns/address-policy.ts has the public addresses.
 */
import { isIP, isIPv6, type LookupFunction } from "node:net";
import { refusedUntranslated } from "./address-policy.ts";
import { lookUpAddresses } from "./host-addresses.ts";
import type { Resolver } from "./resolver.ts";

export interface TargetPolicyParts {
  resolver: Resolver;
  /** Allows all addresses. */
  allowPrivate: boolean;
  /** Whether an address belongs to this server. */
  isOwnAddress: (address: string) => boolean;
}

/** An error whose message is a sentence for the owner of the endpoint. */
export class TargetError extends Error {
  override name = "TargetError";
}

/** A name may have any number of addresses. Of those, the first allowed ones are tried. */
const LOOKED_UP_MAX = 64;
const TRIED_MAX = 6;
const LOOPBACK = ["127.0.0.1", "::1"];

export class TargetPolicy {
  readonly #parts: TargetPolicyParts;

  constructor(parts: TargetPolicyParts) {
    this.#parts = parts;
  }

  /** Why a host that is an IP address is refused, in a sentence. Null for other hosts, whose addresses `lookup` checks. */
  literalFault(host: string): string | null {
    if (isIP(host) === 0) return null;
    const reason = this.#refusal(host);
    return reason === null ? null : `The address ${host} is ${reason}; see WEBHOOK_ALLOW_PRIVATE.`;
  }

  /** For net.connect, which does not call it for an IP address. Fails with a TargetError. */
  readonly lookup: LookupFunction = (host, { all }, answer) => {
    this.#allowedAddresses(host).then(
      (addresses) => {
        const entries = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
        const [{ address, family } = { address: "", family: 0 }] = entries;
        if (all) answer(null, entries);
        else answer(null, address, family);
      },
      (error: Error) => answer(error, all ? [] : ""),
    );
  };

  /** At least one address. */
  async #allowedAddresses(host: string): Promise<string[]> {
    const { resolver, allowPrivate } = this.#parts;
    // RFC 6761 §6.3. DNS servers need not know the name.
    if (allowPrivate && (host === "localhost" || host.endsWith(".localhost"))) return LOOPBACK;
    const found = await lookUpAddresses(host, resolver, { max: LOOKED_UP_MAX });
    if (found.type === "failure")
      throw new TargetError(`The address of ${host} could not be looked up (${found.code}).`);
    if (found.type === "none") throw new TargetError(`The host ${host} has no address.`);
    const allowed = found.addresses.filter((address) => this.#refusal(address) === null);
    if (allowed.length > 0) return allowed.slice(0, TRIED_MAX);
    const [first = ""] = found.addresses;
    const reason = `${first} is ${this.#refusal(first)}`;
    throw new TargetError(`The host ${host} has no public address (${reason}); see WEBHOOK_ALLOW_PRIVATE.`);
  }

  #refusal(address: string): string | null {
    const { allowPrivate, isOwnAddress } = this.#parts;
    if (allowPrivate) return null;
    const range = refusedUntranslated(address);
    if (range !== null) return `not public (${range})`;
    return isOwnAddress(address) ? "an address of the sending host" : null;
  }
}
