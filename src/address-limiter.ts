/**
 * The rate of requests that need no API key and no session, by the client's address: such requests cost an attacker nothing
 * to make. Requests of a valid key or session are never counted here, so that they pass when everybody comes through one proxy.
 */
import type { IncomingMessage } from "node:http";
import { clientAddress, clientNetwork } from "./client-address.ts";
import type { Clock } from "./clock.ts";
import { type BucketRate, type Taken, TokenBuckets } from "./lib/token-buckets.ts";

/** Health checks have buckets of their own: a flood of other requests through the same proxy does not fail them. */
const HEALTH_PATH = "/healthz";

export interface AddressLimiterOptions {
  rate: BucketRate;
  trustedProxies: number;
  clock: Clock;
}

export class AddressLimiter {
  readonly #buckets: TokenBuckets;
  readonly #trustedProxies: number;
  readonly #clock: Clock;

  constructor({ rate, trustedProxies, clock }: AddressLimiterOptions) {
    this.#buckets = new TokenBuckets(rate);
    this.#trustedProxies = trustedProxies;
    this.#clock = clock;
  }

  /** Takes a token for a request. */
  take(req: IncomingMessage): Taken {
    const name = this.nameOf(req);
    return this.#buckets.take(req.url === HEALTH_PATH ? `health ${name}` : name, this.#clock.now());
  }

  /** What a request is counted for: its client's network. */
  nameOf(req: IncomingMessage): string {
    return `address ${clientNetwork(clientAddress(req, this.#trustedProxies))}`;
  }
}
