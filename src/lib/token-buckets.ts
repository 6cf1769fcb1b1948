/** A bounded number of token buckets by name, in memory. Times are those of the monotonic clock. */

export interface Rate {
  /** The refill rate in tokens per second. */
  perSecond: number;
  /** The capacity of a bucket in tokens. */
  burst: number;
}

interface Bucket {
  tokens: number;
  atMs: number;
}

/** The number of buckets in each of two generations. At the limit the older one is dropped, as if its buckets were full. */
const BUCKETS_MAX = 50_000;

/**
 * Token buckets of one rate. An absent bucket is full. A bucket without withdrawals for the time of a full refill is full too,
 * so two generations of that length suffice and no scan for expired buckets is needed.
 */
export class TokenBuckets {
  readonly #rate: Rate;
  /** The longest time in which a bucket of these becomes full. */
  #fillMs: number;
  #young = new Map<string, Bucket>();
  #old = new Map<string, Bucket>();
  #sinceMs = 0;

  constructor(rate: Rate) {
    this.#rate = rate;
    this.#fillMs = (rate.burst / rate.perSecond) * 1000;
  }

  /** 0 where a token is available. */
  secondsToToken(name: string, nowMs: number): number {
    return Math.max(0, (1 - this.#tokens(name, nowMs)) / this.#rate.perSecond);
  }

  status(name: string, nowMs: number): { tokens: number; fullInS: number } {
    const tokens = this.#tokens(name, nowMs);
    return { tokens, fullInS: Math.ceil((this.#rate.burst - tokens) / this.#rate.perSecond) };
  }

  /** Withdraws tokens, whether or not the bucket has as many. */
  take(name: string, nowMs: number, count = 1): void {
    const tokens = this.#tokens(name, nowMs) - count;
    this.#fillMs = Math.max(this.#fillMs, ((this.#rate.burst - tokens) / this.#rate.perSecond) * 1000);
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

  /** The buckets that are not full, and how many tokens they lack. */
  lacking(nowMs: number): [name: string, tokens: number][] {
    const names = new Set([...this.#young.keys(), ...this.#old.keys()]);
    const all = [...names].map((name): [string, number] => [name, this.#rate.burst - this.#tokens(name, nowMs)]);
    return all.filter(([, tokens]) => tokens > 0);
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
