/**
 * The sending rate of a key: a token bucket in memory, and what the RateLimit headers say of it
 * (draft-ietf-httpapi-ratelimit-headers). Replays and refused requests take no token.
 */

export interface Rate {
  /** Sends a second that are refilled; 0 for no limit. */
  perSecond: number;
  /** Sends that may come at once. */
  burst: number;
}

interface Bucket {
  tokens: number;
  atMs: number;
}

/** The greatest integer a structured field can carry (RFC 8941 §3.3.1): how "no limit" is said in the headers. */
const NO_LIMIT = 999_999_999_999_999;

/** Buckets kept; a full bucket says nothing, so those are dropped first. */
const BUCKETS_MAX = 10_000;

export class RateLimiter {
  #rate: Rate;
  #buckets = new Map<string, Bucket>();

  constructor(rate: Rate) {
    this.#rate = { perSecond: rate.perSecond, burst: Math.max(rate.burst, 1) };
  }

  /** Takes one token; otherwise says in how many whole seconds (at least 1) one will be there. */
  take(keyId: string, nowMs: number): { allowed: true } | { allowed: false; retryAfterS: number } {
    if (this.#rate.perSecond === 0) return { allowed: true };
    const bucket = this.#refilled(keyId, nowMs);
    if (bucket.tokens < 1) {
      return { allowed: false, retryAfterS: Math.max(1, Math.ceil((1 - bucket.tokens) / this.#rate.perSecond)) };
    }
    bucket.tokens -= 1;
    this.#buckets.set(keyId, bucket);
    if (this.#buckets.size > BUCKETS_MAX) this.#dropFull(nowMs);
    return { allowed: true };
  }

  /** Undoes a take: the request was not accepted after all. */
  giveBack(keyId: string): void {
    const bucket = this.#buckets.get(keyId);
    if (bucket !== undefined) bucket.tokens = Math.min(this.#rate.burst, bucket.tokens + 1);
  }

  /** The two headers for a key as its bucket stands now. */
  headers(keyId: string, nowMs: number): { "RateLimit-Policy": string; RateLimit: string } {
    if (this.#rate.perSecond === 0) {
      return { "RateLimit-Policy": `"send";q=${NO_LIMIT};w=1`, RateLimit: `"send";r=${NO_LIMIT};t=1` };
    }
    const { perSecond, burst } = this.#rate;
    const { tokens } = this.#refilled(keyId, nowMs);
    const windowS = Math.max(1, Math.ceil(burst / perSecond));
    const fullInS = Math.ceil((burst - tokens) / perSecond);
    return {
      "RateLimit-Policy": `"send";q=${burst};w=${windowS}`,
      RateLimit: `"send";r=${Math.max(0, Math.floor(tokens))};t=${fullInS}`,
    };
  }

  #refilled(keyId: string, nowMs: number): Bucket {
    const { perSecond, burst } = this.#rate;
    const bucket = this.#buckets.get(keyId);
    if (bucket === undefined) return { tokens: burst, atMs: nowMs };
    const elapsedS = Math.max(0, nowMs - bucket.atMs) / 1000;
    return { tokens: Math.min(burst, bucket.tokens + elapsedS * perSecond), atMs: nowMs };
  }

  #dropFull(nowMs: number): void {
    for (const keyId of this.#buckets.keys()) {
      if (this.#refilled(keyId, nowMs).tokens >= this.#rate.burst) this.#buckets.delete(keyId);
    }
  }
}
