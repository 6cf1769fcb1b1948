/**
 * Failed attempts at passwords and codes, in memory: one process serves from a spool in files. A restart forgets them.
 */
import type { Clock } from "../../../../lib/clock.ts";
import {
  type AttemptCounter,
  type AttemptLimiter,
  COUNTERS_MAX,
  type CounterName,
} from "../../../port/attempt-limiter.ts";
import { attemptWaitMs, type Failures, failuresIn } from "../../../records/attempt-wait.ts";

interface Counted {
  count: number;
  lastMs: number;
}

const NONE: Failures = { count: 0, ageMs: 0 };

export class AttemptCounters implements AttemptLimiter {
  readonly #clock: Pick<Clock, "monotonicMs">;
  /** By kind and name, those whose last failure is the oldest first. */
  readonly #kinds = new Map<string, Map<string, Counted>>();

  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#clock = clock;
  }

  async countFailure(counters: readonly AttemptCounter[]): Promise<number> {
    const waitMs = this.#waitMs(counters);
    if (waitMs === 0) for (const counter of counters) this.#count(counter);
    return waitMs;
  }

  async waitMs(counters: readonly AttemptCounter[]): Promise<number> {
    return this.#waitMs(counters);
  }

  async undoFailure(counters: readonly CounterName[]): Promise<void> {
    for (const { kind, name } of counters) {
      const counted = this.#kinds.get(kind)?.get(name);
      if (counted === undefined) continue;
      counted.count -= 1;
      if (counted.count <= 0) this.#kinds.get(kind)?.delete(name);
    }
  }

  async forget(counters: readonly CounterName[]): Promise<void> {
    for (const { kind, name } of counters) this.#kinds.get(kind)?.delete(name);
  }

  #waitMs(counters: readonly AttemptCounter[]): number {
    return Math.max(0, ...counters.map((counter) => attemptWaitMs(counter.policy, this.#failuresOf(counter))));
  }

  #count(counter: AttemptCounter): void {
    const { kind, name, policy } = counter;
    const count = failuresIn(policy, this.#failuresOf(counter)) + 1;
    const counters = this.#kinds.get(kind) ?? new Map<string, Counted>();
    this.#kinds.set(kind, counters);
    counters.delete(name);
    counters.set(name, { count, lastMs: this.#clock.monotonicMs() });
    const [oldest] = counters.keys();
    if (counters.size > COUNTERS_MAX && oldest !== undefined) counters.delete(oldest);
  }

  #failuresOf({ kind, name }: CounterName): Failures {
    const counted = this.#kinds.get(kind)?.get(name);
    if (counted === undefined) return NONE;
    return { count: counted.count, ageMs: this.#clock.monotonicMs() - counted.lastMs };
  }
}
