/** What one client address may take of the inbound listener: connections, messages and octets. Of IPv6, a /64 is one address. */

import { clientNetwork } from "../lib/client-address.ts";
import type { Clock } from "../lib/clock.ts";
import { TokenBuckets } from "../lib/token-buckets.ts";
import { MIB } from "../lib/units.ts";
import { tooManyConnections, tooManyMessages } from "./reply.ts";

export interface AddressLimitOptions {
  connectionsMax: number;
  /** Transactions, whatever becomes of them. */
  messagesPerMinute: number;
  /** Octets of contents, also of rejected ones. */
  octetsPerMinute: number;
}

/** A large operator's server returns the bounces of a whole list from one address, and tries again what is put off. */
const LIMITS: AddressLimitOptions = {
  connectionsMax: 20,
  messagesPerMinute: 300,
  octetsPerMinute: 64 * MIB,
};

export class AddressLimits {
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #connectionsMax: number;
  readonly #connections = new Map<string, number>();
  readonly #messages: TokenBuckets;
  readonly #octets: TokenBuckets;

  constructor(clock: Pick<Clock, "monotonicMs">, limits: AddressLimitOptions = LIMITS) {
    const { connectionsMax, messagesPerMinute, octetsPerMinute } = limits;
    this.#clock = clock;
    this.#connectionsMax = connectionsMax;
    this.#messages = new TokenBuckets({ perSecond: messagesPerMinute / 60, burst: messagesPerMinute });
    this.#octets = new TokenBuckets({ perSecond: octetsPerMinute / 60, burst: octetsPerMinute });
  }

  /** Counts a connection. Returns what to call once when it has closed. Throws the reply at the limit. */
  connect(address: string): () => void {
    const network = clientNetwork(address);
    const open = this.#connections.get(network) ?? 0;
    if (open >= this.#connectionsMax) throw tooManyConnections();
    this.#connections.set(network, open + 1);
    return () => {
      const left = (this.#connections.get(network) ?? 0) - 1;
      if (left > 0) this.#connections.set(network, left);
      else this.#connections.delete(network);
    };
  }

  /** Counts a message. Throws the reply at a limit. */
  begin(address: string): void {
    const network = clientNetwork(address);
    const nowMs = this.#clock.monotonicMs();
    const waitS = Math.max(this.#messages.secondsToToken(network, nowMs), this.#octets.secondsToToken(network, nowMs));
    if (waitS > 0) throw tooManyMessages();
    this.#messages.take(network, nowMs);
  }

  /** Counts octets that have arrived. Those beyond the limit delay the next message. */
  received(address: string, octets: number): void {
    if (octets > 0) this.#octets.take(clientNetwork(address), this.#clock.monotonicMs(), octets);
  }
}
