/** Token buckets of a process that has them alone, in memory. */
import type { Clock } from "../../lib/clock.ts";
import { type Rate, TokenBuckets } from "../../lib/token-buckets.ts";
import type { SharedBuckets } from "../port/token-buckets.ts";

export class LocalBuckets implements SharedBuckets {
  readonly #buckets: TokenBuckets;
  readonly #clock: Pick<Clock, "monotonicMs">;

  constructor(rate: Rate, clock: Pick<Clock, "monotonicMs">) {
    this.#buckets = new TokenBuckets(rate);
    this.#clock = clock;
  }

  async take(name: string): Promise<boolean> {
    const nowMs = this.#clock.monotonicMs();
    if (this.#buckets.secondsToToken(name, nowMs) > 0) return false;
    this.#buckets.take(name, nowMs);
    return true;
  }

  expect(): void {}

  owe(name: string, count: number): void {
    this.#buckets.take(name, this.#clock.monotonicMs(), count);
  }

  putBack(name: string): void {
    this.#buckets.refund(name);
  }

  secondsToToken(name: string): number {
    return this.#buckets.secondsToToken(name, this.#clock.monotonicMs());
  }

  status(name: string): { tokens: number; fullInS: number } {
    return this.#buckets.status(name, this.#clock.monotonicMs());
  }

  /** The buckets that are not full, and how many tokens they lack. */
  lacking(): [name: string, tokens: number][] {
    return this.#buckets.lacking(this.#clock.monotonicMs());
  }
}
