/**
 * The sending rate: one token bucket for each API key and one for each account, which all nodes share. Replays and rejected
 * submissions consume no token.
 */
import type { Rate } from "../../lib/token-buckets.ts";
import type { RateLimits, SharedBuckets } from "../../spool/port/token-buckets.ts";

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
  readonly #keys: SharedBuckets;
  readonly #accounts: SharedBuckets;

  /** A rate of 0 a second is no limit. */
  constructor({ perSecond, burst }: Rate, limits: RateLimits) {
    this.#rate = { perSecond, burst: Math.max(burst, 1) };
    this.#keys = limits.tokenBuckets("key", this.#rate);
    this.#accounts = limits.tokenBuckets("account", {
      perSecond: perSecond * KEYS_FOR_ACCOUNT,
      burst: this.#rate.burst * KEYS_FOR_ACCOUNT,
    });
  }

  /**
   * Consumes a token of the key and one of its account for each of `count` messages, or none. One of each must be there; the
   * others are owed, and the key's next messages wait for them. Rejects with SpoolUnavailable.
   */
  async consume(key: RatedKey, count = 1): Promise<TokenResult> {
    if (this.#rate.perSecond === 0) return { allowed: true };
    const takes = [this.#keys.take(key.id), this.#accounts.take(key.accountId)];
    const [ofKey = false, ofAccount = false] = (await Promise.allSettled(takes)).map(isTaken);
    if (ofKey && ofAccount) {
      this.#owe(key, count - 1);
      return { allowed: true };
    }
    if (ofKey) this.#keys.putBack(key.id);
    if (ofAccount) this.#accounts.putBack(key.accountId);
    // Rejects if the spool could not be asked.
    await Promise.all(takes);
    return this.#rejection(key, ofKey ? "account" : "key");
  }

  /** A submission of the key is about to be rated: its tokens are fetched meanwhile. */
  expect(key: RatedKey): void {
    if (this.#rate.perSecond === 0) return;
    this.#keys.expect(key.id);
    this.#accounts.expect(key.accountId);
  }

  /** As `consume`, without consuming, as far as this process knows. */
  check(key: RatedKey): TokenResult {
    if (this.#rate.perSecond === 0) return { allowed: true };
    const [ofKey, ofAccount] = [this.#keys.secondsToToken(key.id), this.#accounts.secondsToToken(key.accountId)];
    if (ofKey === 0 && ofAccount === 0) return { allowed: true };
    return this.#rejection(key, ofAccount > ofKey ? "account" : "key");
  }

  /** Returns both tokens of a submission that was not accepted after all. */
  refund({ id, accountId }: RatedKey): void {
    if (this.#rate.perSecond === 0) return;
    this.#keys.putBack(id);
    this.#accounts.putBack(accountId);
  }

  #owe({ id, accountId }: RatedKey, count: number): void {
    if (count === 0) return;
    this.#keys.owe(id, count);
    this.#accounts.owe(accountId, count);
  }

  #rejection({ id, accountId }: RatedKey, empty: "key" | "account"): TokenResult {
    const seconds = Math.max(this.#keys.secondsToToken(id), this.#accounts.secondsToToken(accountId));
    return { allowed: false, empty, retryAfterS: Math.max(1, Math.ceil(seconds)) };
  }

  /** Null where there is no limit. */
  state({ id, accountId }: RatedKey): SendRateState | null {
    const { perSecond, burst } = this.#rate;
    if (perSecond === 0) return null;
    const ofKey = this.#keys.status(id);
    const ofAccount = this.#accounts.status(accountId);
    const { tokens, fullInS } = ofAccount.tokens < ofKey.tokens ? ofAccount : ofKey;
    return { perSecond, burst, tokens, fullInS };
  }
}

const isTaken = (take: PromiseSettledResult<boolean>): boolean => take.status === "fulfilled" && take.value;
