/**
 * Token buckets by name, in memory, of a bounded number. Times are the monotonic clock's.
 */

export interface Rate {
  /** Tokens a second that are refilled. */
  perSecond: number;
  /** Tokens in a full bucket. */
  burst: number;
}

interface Bucket {
  tokens: number;
  atMs: number;
}

/** Buckets of each of two generations. Beyond it the older generation is dropped, as if its buckets were full. */
const BUCKETS_MAX = 50_000;

/**
 * Buckets of one rate by name. An absent bucket is a full one. A bucket that no token was taken from for as long as
 * filling it takes is full, so two generations of that length are kept and no bucket is ever searched for.
 */
export class TokenBuckets {
  readonly #rate: Rate;
  readonly #fillMs: number;
  #young = new Map<string, Bucket>();
  #old = new Map<string, Bucket>();
  #sinceMs = 0;

  constructor(rate: Rate) {
    this.#rate = rate;
    this.#fillMs = (rate.burst / rate.perSecond) * 1000;
  }

  /** 0 where a token is there. */
  secondsToToken(name: string, nowMs: number): number {
    return Math.max(0, (1 - this.#tokens(name, nowMs)) / this.#rate.perSecond);
  }

  status(name: string, nowMs: number): { tokens: number; fullInS: number } {
    const tokens = this.#tokens(name, nowMs);
    return { tokens, fullInS: Math.ceil((this.#rate.burst - tokens) / this.#rate.perSecond) };
  }

  take(name: string, nowMs: number): void {
    const tokens = this.#tokens(name, nowMs) - 1;
    if (Math.abs(nowMs - this.#sinceMs) >= this.#fillMs || this.#young.size >= BUCKETS_MAX) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#sinceMs = nowMs;
    }
    this.#young.set(name, { tokens, atMs: nowMs });
  }

  refund(name: string): void {
    const bucket = this.#bucket(name);
    if (bucket !== undefined) bucket.tokens = Math.min(this.#rate.burst, bucket.tokens + 1);
  }

  #tokens(name: string, nowMs: number): number {
    const { perSecond, burst } = this.#rate;
    const bucket = this.#bucket(name);
    if (bucket === undefined) return burst;
    const elapsedS = Math.max(0, nowMs - bucket.atMs) / 1000;
    return Math.min(burst, bucket.tokens + elapsedS * perSecond);
  }

  #bucket(name: string): Bucket | undefined {
    return this.#young.get(name) ?? this.#old.get(name);
  }
}
