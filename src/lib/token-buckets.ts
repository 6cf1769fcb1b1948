/**
 * Token buckets by name, in memory. A bucket that nobody uses fills up again and is then the same as none, so the number
 * kept is bounded.
 */

export interface BucketRate {
  /** Tokens a second that are refilled; 0 for no limit. */
  perSecond: number;
  /** Tokens in a full bucket. */
  burst: number;
}

interface Bucket {
  tokens: number;
  atMs: number;
}

export type Taken = { allowed: true } | { allowed: false; retryAfterS: number };

const BUCKETS_MAX = 10_000;

export class TokenBuckets {
  readonly rate: BucketRate;
  /** In the order in which they were last taken from. */
  readonly #buckets = new Map<string, Bucket>();

  constructor({ perSecond, burst }: BucketRate) {
    this.rate = { perSecond, burst: Math.max(burst, 1) };
  }

  /** Takes one token; otherwise says in how many whole seconds, at least 1, there will be one. */
  take(name: string, nowMs: number): Taken {
    const { perSecond } = this.rate;
    if (perSecond === 0) return { allowed: true };
    const tokens = this.tokens(name, nowMs);
    if (tokens < 1) return { allowed: false, retryAfterS: Math.max(1, Math.ceil((1 - tokens) / perSecond)) };
    this.#buckets.delete(name);
    this.#buckets.set(name, { tokens: tokens - 1, atMs: nowMs });
    const [oldest] = this.#buckets.size > BUCKETS_MAX ? this.#buckets.keys() : [];
    if (oldest !== undefined) this.#buckets.delete(oldest);
    return { allowed: true };
  }

  /** Undoes a take. */
  giveBack(name: string): void {
    const bucket = this.#buckets.get(name);
    if (bucket !== undefined) bucket.tokens = Math.min(this.rate.burst, bucket.tokens + 1);
  }

  /** The tokens in a bucket now. */
  tokens(name: string, nowMs: number): number {
    const { perSecond, burst } = this.rate;
    const bucket = this.#buckets.get(name);
    if (bucket === undefined) return burst;
    const elapsedS = Math.max(0, nowMs - bucket.atMs) / 1000;
    return Math.min(burst, bucket.tokens + elapsedS * perSecond);
  }
}
