/**
 * The sending rate: a token bucket for each key and one for each account, in memory, and what the RateLimit headers say
 * of them (draft-ietf-httpapi-ratelimit-headers). Replays and refused requests take no token.
 */

import { type Rate, TokenBuckets } from "../../lib/token-buckets.ts";

/** A key as the limiter knows it. */
export interface RatedKey {
  id: string;
  accountId: string;
}

export type Taken = { allowed: true } | { allowed: false; empty: "key" | "account"; retryAfterS: number };

/** The greatest integer a structured field can carry (RFC 8941 §3.3.1): how "no limit" is said in the headers. */
const NO_LIMIT = 999_999_999_999_999;

/** All keys of an account together have this many times the rate of one. */
const KEYS_FOR_ACCOUNT = 10;

export class RateLimiter {
  readonly #rate: Rate;
  readonly #keys: TokenBuckets;
  readonly #accounts: TokenBuckets;

  constructor({ perSecond, burst }: Rate) {
    this.#rate = { perSecond, burst: Math.max(burst, 1) };
    this.#keys = new TokenBuckets(this.#rate);
    this.#accounts = new TokenBuckets({
      perSecond: perSecond * KEYS_FOR_ACCOUNT,
      burst: this.#rate.burst * KEYS_FOR_ACCOUNT,
    });
  }

  /**
   * Takes a token of the key and one of its account, or neither. Where one is missing, returns in how many whole
   * seconds (at least 1) both will be there.
   */
  take({ id, accountId }: RatedKey, nowMs: number): Taken {
    const standing = this.look({ id, accountId }, nowMs);
    if (standing.allowed && this.#rate.perSecond > 0) {
      this.#keys.take(id, nowMs);
      this.#accounts.take(accountId, nowMs);
    }
    return standing;
  }

  /** As `take`, without taking. */
  look({ id, accountId }: RatedKey, nowMs: number): Taken {
    if (this.#rate.perSecond === 0) return { allowed: true };
    const ofKey = this.#keys.secondsToToken(id, nowMs);
    const ofAccount = this.#accounts.secondsToToken(accountId, nowMs);
    const seconds = Math.max(ofKey, ofAccount);
    if (seconds === 0) return { allowed: true };
    const empty = ofAccount > ofKey ? "account" : "key";
    return { allowed: false, empty, retryAfterS: Math.max(1, Math.ceil(seconds)) };
  }

  /** Undoes a take: the request was not accepted after all. */
  giveBack({ id, accountId }: RatedKey): void {
    this.#keys.refund(id);
    this.#accounts.refund(accountId);
  }

  /** The two headers for a key as the emptier of its two buckets stands now. */
  headers({ id, accountId }: RatedKey, nowMs: number): { "RateLimit-Policy": string; RateLimit: string } {
    if (this.#rate.perSecond === 0) {
      return { "RateLimit-Policy": `"send";q=${NO_LIMIT};w=1`, RateLimit: `"send";r=${NO_LIMIT};t=1` };
    }
    const { perSecond, burst } = this.#rate;
    const ofKey = this.#keys.status(id, nowMs);
    const ofAccount = this.#accounts.status(accountId, nowMs);
    const { tokens, fullInS } = ofAccount.tokens < ofKey.tokens ? ofAccount : ofKey;
    const windowS = Math.max(1, Math.ceil(burst / perSecond));
    return {
      "RateLimit-Policy": `"send";q=${burst};w=${windowS}`,
      RateLimit: `"send";r=${Math.max(0, Math.floor(tokens))};t=${fullInS}`,
    };
  }
}
