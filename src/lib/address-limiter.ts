/**
 * The rate of requests that need no API key and no session, by the client's address: such requests cost an attacker nothing
 * to make. Requests of a valid key or session are never counted here, so that they pass when everybody comes through one proxy.
 */
import type { IncomingMessage } from "node:http";
import { clientAddress, clientNetwork } from "./client-address.ts";
import type { Clock } from "./clock.ts";
import { type Rate, TokenBuckets } from "./token-buckets.ts";

/** Health checks have buckets of their own: a flood of other requests through the same proxy does not fail them. */
const HEALTH_PATH = "/healthz";

export interface AddressLimiterOptions {
  /** Of one address; `perSecond` 0 for no limit. */
  rate: Rate;
  trustedProxies: number;
  clock: Clock;
}

export type LimiterDecision = { allowed: true } | { allowed: false; retryAfterS: number };

export class AddressLimiter {
  readonly #buckets: TokenBuckets | null;
  readonly #trustedProxies: number;
  readonly #clock: Clock;

  constructor({ rate, trustedProxies, clock }: AddressLimiterOptions) {
    this.#buckets = rate.perSecond === 0 ? null : new TokenBuckets(rate);
    this.#trustedProxies = trustedProxies;
    this.#clock = clock;
  }

  /** Takes a token for a request, or says in how many whole seconds, at least 1, there will be one. */
  take(req: IncomingMessage): LimiterDecision {
    if (this.#buckets === null) return { allowed: true };
    const nowMs = this.#clock.monotonicMs();
    const name = req.url === HEALTH_PATH ? `health ${this.keyOf(req)}` : this.keyOf(req);
    const seconds = this.#buckets.secondsToToken(name, nowMs);
    if (seconds > 0) return { allowed: false, retryAfterS: Math.max(1, Math.ceil(seconds)) };
    this.#buckets.take(name, nowMs);
    return { allowed: true };
  }

  /** What a request is counted for: its client's network. */
  keyOf(req: IncomingMessage): string {
    return `address ${clientNetwork(clientAddress(req, this.#trustedProxies))}`;
  }
}
