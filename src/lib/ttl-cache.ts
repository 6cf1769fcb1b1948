/**
 * Answers kept for a while under a key, each asked for once at a time. Decides nothing about what is worth keeping.
 */
import type { Clock } from "./clock.ts";

export interface TtlCacheOptions<T> {
  clock: Clock;
  keptMs: number;
  /** Beyond this many the oldest are forgotten. */
  max: number;
  /** Whether an answer is kept at all; one that is not still serves those who asked before it came. */
  worthKeeping: (answer: T) => boolean;
}

interface Entry<T> {
  answer: Promise<T>;
  /** By the monotonic clock. */
  untilMs: number;
}

export class TtlCache<T> {
  readonly #options: TtlCacheOptions<T>;
  readonly #entries = new Map<string, Entry<T>>();

  constructor(options: TtlCacheOptions<T>) {
    this.#options = options;
  }

  /** The kept answer, or `ask`'s; a rejection is not kept. */
  get(key: string, ask: () => Promise<T>): Promise<T> {
    const { clock, keptMs, max, worthKeeping } = this.#options;
    const known = this.#entries.get(key);
    if (known !== undefined && clock.monotonicMs() < known.untilMs) return known.answer;
    const answer = ask();
    this.#entries.delete(key);
    this.#entries.set(key, { answer, untilMs: clock.monotonicMs() + keptMs });
    const forget = (): void => {
      if (this.#entries.get(key)?.answer === answer) this.#entries.delete(key);
    };
    void answer.then((settled) => worthKeeping(settled) || forget(), forget);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > max && oldest !== undefined) this.#entries.delete(oldest);
    return answer;
  }
}
