/**
 * The tokens of one shared bucket that this node holds: decides how many it asks for, when it asks, and what it knows of the
 * bucket meanwhile. It neither waits nor asks itself. Times are those of the monotonic clock.
 */
import type { Rate } from "../../../../lib/token-buckets.ts";
import { HELD_SHARE } from "../../../port/token-buckets.ts";

/** A node that uses a bucket steadily asks about so often: it doubles what it holds in advance until then. */
const ASK_EVERY_MS = 250;

/** Tokens are returned that were not used for so long. */
const IDLE_MS = 1000;

/** What is known of a bucket is forgotten after this time: it is needed only to answer without asking. */
const FORGET_MS = 60_000;

/** What a node tells the database about a bucket, and asks of it. */
export interface TokenRequest {
  name: string;
  rate: Rate;
  /** Tokens that this node has used without asking. */
  used: number;
  /** Tokens to take; negative for those returned. */
  wanted: number;
}

export interface TokenGrant {
  name: string;
  granted: number;
  /** After the grant. */
  fullInMs: number;
  /** The nodes that share the bucket. */
  nodes: number;
}

interface Waiting {
  resolve(isTaken: boolean): void;
  reject(error: unknown): void;
}

export class TokenLease {
  readonly #name: string;
  readonly #rate: Rate;
  #tokens = 0;
  readonly #waiting: Waiting[] = [];
  /** Used without asking: while this node was alone, and by `owe`. */
  #owed: number;
  /** The request under way. */
  #request: TokenRequest | null = null;
  /** Tokens to hold in advance. */
  #ahead = 0;
  #aheadMax = 0;
  #isExpected = false;
  #askedMs = Number.NEGATIVE_INFINITY;
  #usedMs: number;
  /** When the bucket would be full, and until when it certainly has no token. */
  #fullMs: number;
  #emptyUntilMs = Number.NEGATIVE_INFINITY;

  constructor(bucket: { name: string; rate: Rate; owed?: number }, nowMs: number) {
    this.#name = bucket.name;
    this.#rate = bucket.rate;
    this.#owed = bucket.owed ?? 0;
    this.#usedMs = nowMs;
    this.#fullMs = nowMs + this.#owed * this.#intervalMs;
  }

  /** Takes a token that is at hand; null if the database must be asked. */
  takeHeld(nowMs: number): boolean | null {
    this.#usedMs = nowMs;
    if (this.#tokens > 0 && this.#waiting.length === 0) {
      this.#tokens -= 1;
      return true;
    }
    return this.#isKnownEmpty(nowMs) ? false : null;
  }

  /** Waits for a token of the next grant. */
  wait(): Promise<boolean> {
    return new Promise((resolve, reject) => void this.#waiting.push({ resolve, reject }));
  }

  expect(nowMs: number): void {
    this.#usedMs = nowMs;
    this.#isExpected = this.#tokens === 0 && !this.#isKnownEmpty(nowMs);
  }

  /** Uses tokens without asking; the next request reports them. */
  owe(count: number, nowMs: number): void {
    this.#usedMs = nowMs;
    this.#owed += count;
    this.#fullMs = Math.max(this.#fullMs, nowMs) + count * this.#intervalMs;
  }

  putBack(): void {
    this.#tokens += 1;
  }

  /** Whether there is a reason to ask, and no request is under way. */
  hasToAsk(nowMs: number): boolean {
    if (this.#request !== null) return false;
    if (this.#waiting.length > 0 || this.#owed > 0 || this.#isExpected) return true;
    if (nowMs - this.#usedMs >= IDLE_MS) return this.#tokens > 0;
    return this.#tokens < this.#ahead / 2 && !this.#isKnownEmpty(nowMs);
  }

  /** The request to send now; `granted` or `failed` must follow. */
  request(nowMs: number): TokenRequest {
    this.#request = { name: this.#name, rate: this.#rate, used: this.#owed, wanted: this.#wanted(nowMs) };
    // Those returned cannot be used meanwhile.
    if (this.#request.wanted < 0) this.#tokens += this.#request.wanted;
    this.#isExpected = false;
    return this.#request;
  }

  /** The reply to the request. Takes that wait get their tokens, or none if the bucket is empty. */
  granted({ granted, fullInMs, nodes }: TokenGrant, nowMs: number): void {
    const { wanted = 0, used = 0 } = this.#request ?? {};
    this.#request = null;
    this.#owed -= used;
    this.#tokens += Math.max(0, granted);
    this.#aheadMax = Math.floor((this.#rate.burst * HELD_SHARE) / nodes);
    this.#fullMs = nowMs + fullInMs;
    const missing = fullInMs / this.#intervalMs;
    if (granted < wanted) this.#emptyUntilMs = nowMs + Math.max(0, missing + 1 - this.#rate.burst) * this.#intervalMs;
    for (const { resolve } of this.#waiting.splice(0, this.#tokens)) {
      this.#tokens -= 1;
      resolve(true);
    }
    if (granted < wanted) for (const { resolve } of this.#waiting.splice(0)) resolve(false);
  }

  /** The request was not answered. What it returned may be lost until the bucket has refilled. */
  failed(error: unknown): void {
    this.#request = null;
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }

  /** From now on this node is alone: takes that wait get their tokens by `take`. Returns the tokens that it holds. */
  end(take: () => Promise<boolean>): number {
    for (const { resolve, reject } of this.#waiting.splice(0)) take().then(resolve, reject);
    const tokens = this.#tokens - this.#owed;
    this.#tokens = 0;
    return tokens;
  }

  /** Whether nothing would be lost without it. */
  isForgettable(nowMs: number): boolean {
    return nowMs - this.#usedMs > FORGET_MS && this.#tokens === 0 && this.#owed === 0 && this.#request === null;
  }

  /** Tokens that are available, as far as this node knows. */
  available(nowMs: number): number {
    const missing = Math.max(0, this.#fullMs - nowMs) / this.#intervalMs;
    return Math.min(this.#rate.burst, this.#rate.burst - missing + this.#tokens);
  }

  get #intervalMs(): number {
    return 1000 / this.#rate.perSecond;
  }

  #isKnownEmpty(nowMs: number): boolean {
    return nowMs < this.#emptyUntilMs;
  }

  #wanted(nowMs: number): number {
    const needed = this.#waiting.length;
    if (needed === 0 && nowMs - this.#usedMs >= IDLE_MS) {
      this.#ahead = 0;
      return -this.#tokens;
    }
    if (needed > 0 || this.#isExpected || this.#ahead > 0) this.#adapt(nowMs);
    return Math.max(0, needed + Math.max(this.#ahead, this.#isExpected ? 1 : 0) - this.#tokens);
  }

  #adapt(nowMs: number): void {
    const isSoon = nowMs - this.#askedMs < ASK_EVERY_MS;
    this.#ahead = Math.min(this.#aheadMax, isSoon ? Math.max(1, 2 * this.#ahead) : Math.floor(this.#ahead / 2));
    this.#askedMs = nowMs;
  }
}
