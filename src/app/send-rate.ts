/**
 * The sending rate: one token bucket for each API key and one for each account, in memory. Replays and rejected submissions
 * consume no token.
 */
import { type Rate, TokenBuckets } from "../lib/token-buckets.ts";

/** The part of an API key that the rate depends on. */
export interface RatedKey {
  id: string;
  accountId: string;
}

/** `empty`: which bucket lacks a token; `retryAfterS`: whole seconds, at least 1, until both have one. */
export type TokenResult = { allowed: true } | { allowed: false; empty: "key" | "account"; retryAfterS: number };

/** How the emptier of a key's two buckets stands. */
export interface SendRateState {
  perSecond: number;
  /** The size of a bucket. */
  burst: number;
  tokens: number;
  /** Seconds until the bucket is full. */
  fullInS: number;
}

/** All keys of an account together have this many times the rate of one. */
const KEYS_FOR_ACCOUNT = 10;

export class SendRate {
  readonly #rate: Rate;
  readonly #keys: TokenBuckets;
  readonly #accounts: TokenBuckets;

  /** A rate of 0 a second is no limit. */
  constructor({ perSecond, burst }: Rate) {
    this.#rate = { perSecond, burst: Math.max(burst, 1) };
    this.#keys = new TokenBuckets(this.#rate);
    this.#accounts = new TokenBuckets({
      perSecond: perSecond * KEYS_FOR_ACCOUNT,
      burst: this.#rate.burst * KEYS_FOR_ACCOUNT,
    });
  }

  /** Consumes one token of the key and one of its account, or neither. `nowMs` is monotonic. */
  consume(key: RatedKey, nowMs: number): TokenResult {
    const result = this.check(key, nowMs);
    if (result.allowed && this.#rate.perSecond > 0) {
      this.#keys.take(key.id, nowMs);
      this.#accounts.take(key.accountId, nowMs);
    }
    return result;
  }

  /** As `consume`, without consuming. */
  check({ id, accountId }: RatedKey, nowMs: number): TokenResult {
    if (this.#rate.perSecond === 0) return { allowed: true };
    const ofKey = this.#keys.secondsToToken(id, nowMs);
    const ofAccount = this.#accounts.secondsToToken(accountId, nowMs);
    const seconds = Math.max(ofKey, ofAccount);
    if (seconds === 0) return { allowed: true };
    const empty = ofAccount > ofKey ? "account" : "key";
    return { allowed: false, empty, retryAfterS: Math.max(1, Math.ceil(seconds)) };
  }

  /** Returns both tokens of a submission that was not accepted after all. */
  refund({ id, accountId }: RatedKey): void {
    this.#keys.refund(id);
    this.#accounts.refund(accountId);
  }

  /** Null where there is no limit. */
  state({ id, accountId }: RatedKey, nowMs: number): SendRateState | null {
    const { perSecond, burst } = this.#rate;
    if (perSecond === 0) return null;
    const ofKey = this.#keys.status(id, nowMs);
    const ofAccount = this.#accounts.status(accountId, nowMs);
    const { tokens, fullInS } = ofAccount.tokens < ofKey.tokens ? ofAccount : ofKey;
    return { perSecond, burst, tokens, fullInS };
  }
}
