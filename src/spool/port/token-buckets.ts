/**
 * Token buckets that all processes which serve from the store share. The caller decides what a token allows. Their state may be lost
 * with the store's server or its last process: a bucket without state is full.
 */
import type { Rate } from "../../lib/token-buckets.ts";

/**
 * Several processes together take no more tokens than the rate and the burst allow, except for those that they hold in advance:
 * at most HELD_SHARE of the burst, or one token for each process if that is more.
 */
export const HELD_SHARE = 1 / 8;

/** The buckets of one rate. A bucket without a withdrawal is full. */
export interface SharedBuckets {
  /**
   * Takes a token; returns false if there is none. Asks the store only if this process holds none and does not know the bucket to
   * be empty. Rejects with SpoolUnavailable if it cannot ask.
   */
  take(name: string): Promise<boolean>;
  /** Announces a take: begins to ask the store if the take would ask it. Returns at once. */
  expect(name: string): void;
  /** Takes tokens of which the bucket may have fewer: later takes get none until it has refilled that much. Returns at once. */
  owe(name: string, count: number): void;
  /** Puts back a token that was taken and not used. */
  putBack(name: string): void;
  /** As far as this process knows; 0 where a token is available. */
  secondsToToken(name: string): number;
  /** As far as this process knows. */
  status(name: string): { tokens: number; fullInS: number };
}

export interface RateLimits {
  /** The buckets of a kind, which all processes use with the same rate. To be called once for each kind. */
  tokenBuckets(kind: string, rate: Rate): SharedBuckets;
}
