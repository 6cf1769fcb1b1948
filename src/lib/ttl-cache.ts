/**
 * A cache of asynchronous results by key, each kept for a fixed time and computed once at a time. Which results are worth keeping
 * is the caller's decision.
 *
 * lru-cache bounds the entries (bounded-map.ts). Its own `ttl` is not used: it keeps an entry a millisecond longer, and never
 * expires one that was made at time 0 of the clock.
 */
import { type BoundedMap, boundedMap } from "./bounded-map.ts";
import type { Clock } from "./clock.ts";

export interface TtlCacheOptions<T> {
  clock: Clock;
  keptMs: number;
  /** At this many entries the oldest is dropped. */
  max: number;
  /** Whether a result is kept; one that is not still serves the callers that asked before it came. */
  worthKeeping: (result: T) => boolean;
}

interface Entry<T> {
  result: Promise<T>;
  /** By the monotonic clock. */
  untilMs: number;
}

export class TtlCache<T> {
  readonly #options: TtlCacheOptions<T>;
  readonly #entries: BoundedMap<Entry<T>>;

  constructor(options: TtlCacheOptions<T>) {
    this.#options = options;
    this.#entries = boundedMap(options.max);
  }

  /** The kept result, or that of `compute`; a rejection is not kept. */
  get(key: string, compute: () => Promise<T>): Promise<T> {
    const { clock, keptMs, worthKeeping } = this.#options;
    const known = this.#entries.peek(key);
    if (known !== undefined && clock.monotonicMs() < known.untilMs) return known.result;
    const result = compute();
    this.#entries.set(key, { result, untilMs: clock.monotonicMs() + keptMs });
    const drop = (): void => {
      if (this.#entries.peek(key)?.result === result) this.#entries.delete(key);
    };
    void result.then((settled) => worthKeeping(settled) || drop(), drop);
    return result;
  }
}
