/**
 * Limits the rate of unauthenticated requests by client address, over HTTP and SMTP: such requests cost an attacker nothing. Requests with a
 * valid credential are not counted here, so they pass even when all clients share one proxy.
 */
import type { IncomingMessage } from "node:http";
import { clientAddress, clientNetwork } from "./client-address.ts";
import type { Clock } from "./clock.ts";
import { type Rate, TokenBuckets } from "./token-buckets.ts";

export interface AddressLimiterOptions {
  /** The rate of one address; `perSecond` 0 for no limit. */
  rate: Rate;
  trustedProxies: number;
  clock: Clock;
  /** A path with separate buckets: a flood of other requests through the same proxy does not fail health checks. */
  healthPath?: string;
}

export type LimiterDecision = { allowed: true } | { allowed: false; retryAfterS: number };

export class AddressLimiter {
  readonly #buckets: TokenBuckets | null;
  readonly #trustedProxies: number;
  readonly #clock: Clock;
  readonly #healthPath: string | null;

  constructor({ rate, trustedProxies, clock, healthPath }: AddressLimiterOptions) {
    this.#buckets = rate.perSecond === 0 ? null : new TokenBuckets(rate);
    this.#trustedProxies = trustedProxies;
    this.#clock = clock;
    this.#healthPath = healthPath ?? null;
  }

  /** Takes a token for a request, or returns the whole seconds, at least 1, until one is available. */
  take(req: IncomingMessage): LimiterDecision {
    return this.#take(req.url === this.#healthPath ? `health ${this.keyOf(req)}` : this.keyOf(req));
  }

  /** As `take`, for the peer address of a connection that is not HTTP. */
  takeFor(address: string): LimiterDecision {
    return this.#take(keyOfAddress(address));
  }

  #take(key: string): LimiterDecision {
    if (this.#buckets === null) return { allowed: true };
    const nowMs = this.#clock.monotonicMs();
    const seconds = this.#buckets.secondsToToken(key, nowMs);
    if (seconds > 0) return { allowed: false, retryAfterS: Math.max(1, Math.ceil(seconds)) };
    this.#buckets.take(key, nowMs);
    return { allowed: true };
  }

  /** The key under which a request is counted: its client's network. */
  keyOf(req: IncomingMessage): string {
    return keyOfAddress(this.addressOf(req));
  }

  /** The address of a request's client. */
  addressOf(req: IncomingMessage): string {
    return clientAddress(req, this.#trustedProxies);
  }
}

const keyOfAddress = (address: string): string => `address ${clientNetwork(address)}`;
