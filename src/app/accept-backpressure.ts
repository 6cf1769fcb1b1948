/**
 * When more is sent than can be stored. Sends that wait for the disk are counted: a burst may wait, but a crowd that stays is
 * taken only in part, so that whoever is taken waits for a fraction of a second, delivery gets on beside it, and nothing piles
 * up. How it is told is front.ts's and problems.ts's; how many requests may be under way in all, admission.ts's.
 */
import type { Clock } from "../lib/clock.ts";
import type { AcceptLoad } from "../spool/port/hints.ts";

export interface BackpressureLimits {
  /** Sends that may wait for the disk for longer than a burst takes. */
  waitingMax: number;
  /** How many may wait in a burst, and how long it may take. */
  burstMax: number;
  burstMs: number;
}

/** 256 share one commit, which is more than it needs to be cheap: at 1,500 a second the last of them waits for 0.2 s. */
const CROWD: BackpressureLimits = { waitingMax: 256, burstMax: 1024, burstMs: 1000 };

export class AcceptBackpressure implements AcceptLoad {
  readonly #clock: Clock;
  readonly #limits: BackpressureLimits;
  #waiting = 0;
  readonly #accounts = new Map<string, number>();
  /** When there were too many, first and last, at moments closer together than a burst. */
  #sinceMs = Number.NEGATIVE_INFINITY;
  #lastMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, limits: BackpressureLimits = CROWD) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Sends that wait for the disk. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Whether too many wait, for a moment at least. */
  get isFull(): boolean {
    return this.#waiting >= this.#limits.waitingMax;
  }

  /**
   * Whether one more send of this account is too much now. An account with less than an equal part of the places is taken all
   * the same, and one part is left free for who comes next: a flood of others keeps nobody out.
   */
  refuses(accountId: string): boolean {
    const { waitingMax, burstMax, burstMs } = this.#limits;
    if (!this.isFull) return false;
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#lastMs > burstMs) this.#sinceMs = nowMs;
    this.#lastMs = nowMs;
    if (nowMs - this.#sinceMs <= burstMs && this.#waiting < burstMax) return false;
    return (this.#accounts.get(accountId) ?? 0) >= waitingMax / (this.#accounts.size + 1);
  }

  /** Runs an acceptance and counts it meanwhile. */
  async wait<T>(accountId: string, accept: () => Promise<T>): Promise<T> {
    this.#count(accountId, 1);
    try {
      return await accept();
    } finally {
      this.#count(accountId, -1);
    }
  }

  #count(accountId: string, more: 1 | -1): void {
    this.#waiting += more;
    const own = (this.#accounts.get(accountId) ?? 0) + more;
    if (own === 0) this.#accounts.delete(accountId);
    else this.#accounts.set(accountId, own);
  }
}
