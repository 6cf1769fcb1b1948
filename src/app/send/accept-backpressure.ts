/**
 * Limits the sends that wait for a commit when more is sent than can be stored. A burst may wait; under lasting overload only a
 * part is accepted, so that an accepted send waits for a fraction of a second and delivery continues. The load shedder sends
 * the rejections; the concurrency limiter bounds the requests that run at once.
 */
import type { Clock } from "../../lib/clock.ts";
import type { AcceptLoad } from "../../spool/port/hints.ts";

export interface BackpressureLimits {
  /** Sends that may wait under lasting overload. */
  waitingMax: number;
  /** Sends that may wait in a burst, and its longest duration. */
  burstMax: number;
  burstMs: number;
}

/** 256 share one commit, more than it needs to be cheap. At 1,500 a second the last of them waits for 0.2 s. */
const LIMITS: BackpressureLimits = { waitingMax: 256, burstMax: 1024, burstMs: 1000 };

export class AcceptBackpressure implements AcceptLoad {
  readonly #clock: Clock;
  readonly #limits: BackpressureLimits;
  #waiting = 0;
  readonly #accounts = new Map<string, number>();
  /** Beginning and last moment of the present overload. Pauses shorter than a burst belong to it. */
  #sinceMs = Number.NEGATIVE_INFINITY;
  #lastMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, limits: BackpressureLimits = LIMITS) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Sends that wait for a commit. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Whether the limit under lasting overload is reached. */
  get isFull(): boolean {
    return this.#waiting >= this.#limits.waitingMax;
  }

  /**
   * Whether to reject another send of this account. An account with less than an equal share of the limit is accepted, and one
   * share stays free for the next account, so that a flood of others cannot keep it out.
   */
  rejects(accountId: string): boolean {
    const { waitingMax, burstMax, burstMs } = this.#limits;
    if (!this.isFull) return false;
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#lastMs > burstMs) this.#sinceMs = nowMs;
    this.#lastMs = nowMs;
    if (nowMs - this.#sinceMs <= burstMs && this.#waiting < burstMax) return false;
    return (this.#accounts.get(accountId) ?? 0) >= waitingMax / (this.#accounts.size + 1);
  }

  /** Runs an acceptance and counts it until it ends. */
  async wait<T>(accountId: string, accept: () => Promise<T>): Promise<T> {
    this.#count(accountId, 1);
    try {
      return await accept();
    } finally {
      this.#count(accountId, -1);
    }
  }

  #count(accountId: string, change: 1 | -1): void {
    this.#waiting += change;
    const own = (this.#accounts.get(accountId) ?? 0) + change;
    if (own === 0) this.#accounts.delete(accountId);
    else this.#accounts.set(accountId, own);
  }
}
