/**
 * How many messages a destination gets in a minute, where that has a limit: token buckets that all nodes share, one token for an attempt.
 * A bucket's burst is a twentieth of the limit, so that no minute has more than 1.05 times it. Probes of closed destinations need no
 * token: they come one at a time.
 */
import { SpoolUnavailable } from "../../spool/port/errors.ts";
import type { RateLimits, SharedBuckets } from "../../spool/port/token-buckets.ts";

export interface MinutePaceParts {
  limits: RateLimits;
  /** Messages a minute; null for no limit. */
  perMinuteOf: (destination: string) => number | null;
}

const BURST_SHARE = 1 / 20;

export class MinutePace {
  readonly #parts: MinutePaceParts;
  /** By messages a minute. */
  readonly #buckets = new Map<number, SharedBuckets>();

  constructor(parts: MinutePaceParts) {
    this.#parts = parts;
  }

  /** Whether the destination has a limit. */
  governs(destination: string): boolean {
    return this.#parts.perMinuteOf(destination) !== null;
  }

  /** Takes the token of an attempt; returns false if there is none, or if the store cannot be asked. */
  async take(destination: string): Promise<boolean> {
    try {
      return (await this.#of(destination)?.take(destination)) ?? true;
    } catch (error) {
      if (!(error instanceof SpoolUnavailable)) throw error;
      return false;
    }
  }

  /** Returns the token of an attempt that does not begin. */
  putBack(destination: string): void {
    this.#of(destination)?.putBack(destination);
  }

  /** How many attempts may begin now, as far as this node knows. */
  available(destination: string): number {
    const buckets = this.#of(destination);
    if (buckets === null) return Number.POSITIVE_INFINITY;
    return Math.max(0, Math.floor(buckets.status(destination).tokens));
  }

  /** Milliseconds until an attempt may begin; 0 for now. */
  waitMs(destination: string): number {
    return Math.ceil(1000 * (this.#of(destination)?.secondsToToken(destination) ?? 0));
  }

  #of(destination: string): SharedBuckets | null {
    const perMinute = this.#parts.perMinuteOf(destination);
    if (perMinute === null) return null;
    const known = this.#buckets.get(perMinute);
    if (known !== undefined) return known;
    const rate = { perSecond: perMinute / 60, burst: Math.max(1, Math.floor(perMinute * BURST_SHARE)) };
    const buckets = this.#parts.limits.tokenBuckets(`receiver@${perMinute}`, rate);
    this.#buckets.set(perMinute, buckets);
    return buckets;
  }
}

/** No destination has a limit. */
export const UNPACED = new MinutePace({
  limits: {
    tokenBuckets: () => {
      throw new Error("no destination has a limit");
    },
  },
  perMinuteOf: () => null,
});
