/**
 * One life of the service's process, from its start to its end. Whatever the process does to the outside (a byte to a
 * peer, an answer to a client, a commit, a question) is an effect, and it can be killed just before or just after any of
 * them: between two effects no kill can be told from the other. A dead process has no effects, and no timer of it fires.
 * A process whose host sleeps does nothing either: the monotonic clock and the timers stand still, while the wall clock goes on
 * and the outside does too; what arrives meanwhile is there when the host wakes.
 */
import type { Clock } from "../src/lib/clock.ts";
import type { Prng } from "./prng.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** Thrown through synchronous code that must not go on in a process that has just died. */
export class ProcessDied extends Error {}

export interface IncarnationOptions {
  time: VirtualTime;
  prng: Prng;
  /** The wall clock's distance from the virtual time; it may change at any moment. */
  skewMs: () => number;
  killEvery: number;
  /** Every effect, for the trace. */
  onEffect: (name: string) => void;
  /** The effect that a kill came with. */
  onKill: (name: string) => void;
}

export class Incarnation {
  isAlive = true;
  /** What must happen at the moment of death, in the order it was asked for. */
  readonly #onDeath: (() => void)[] = [];
  readonly #parts: IncarnationOptions;
  readonly clock: Clock;
  #effects = 0;
  /** The last sleep, and how long all before it took. */
  #sleep = { fromMs: 0, untilMs: 0 };
  #sleptBeforeMs = 0;
  #killAt: number;
  #killsBefore: boolean;

  constructor(parts: IncarnationOptions) {
    this.#parts = parts;
    const { prng, killEvery, time, skewMs } = parts;
    this.#killAt = Math.ceil(prng.chance(0.3) ? prng.logUniform([1, killEvery]) : prng.next() * 2 * killEvery);
    if (killEvery === 0) this.stopKilling();
    this.#killsBefore = prng.chance(0.5);
    this.clock = {
      now: () => Math.floor(time.nowMs) + skewMs(),
      monotonicMs: () => Math.floor(this.#monotonicMs),
      after: (delayMs, run) => this.after(delayMs, run),
    };
  }

  get #monotonicMs(): number {
    const { nowMs } = this.#parts.time;
    const { fromMs, untilMs } = this.#sleep;
    return nowMs - this.#sleptBeforeMs - Math.max(0, Math.min(nowMs, untilMs) - fromMs);
  }

  get isAsleep(): boolean {
    return this.#parts.time.nowMs < this.#sleep.untilMs;
  }

  /** The host sleeps for so long, unless it sleeps already. */
  sleep(ms: number): void {
    if (this.isAsleep || !this.isAlive) return;
    const { nowMs } = this.#parts.time;
    this.#sleptBeforeMs += this.#sleep.untilMs - this.#sleep.fromMs;
    this.#sleep = { fromMs: nowMs, untilMs: nowMs + ms };
  }

  /** A timer of this life. */
  after(delayMs: number, run: () => void): () => void {
    const dueMs = this.#monotonicMs + Math.max(0, delayMs);
    let cancel = (): void => {};
    const wait = (): void => {
      const sleepMs = Math.max(0, this.#sleep.untilMs - this.#parts.time.nowMs);
      cancel = this.#parts.time.after(sleepMs + Math.max(0, dueMs - this.#monotonicMs), look);
    };
    const look = (): void => {
      if (!this.isAlive) return;
      // Asleep meanwhile, or still. A sum of fractions may be off by less than one.
      if (this.isAsleep || dueMs - this.#monotonicMs > 0.001) wait();
      else run();
    };
    wait();
    return () => cancel();
  }

  /** What comes from the outside: now, or when the host wakes, in its order. */
  whenAwake(run: () => void): void {
    if (!this.isAsleep) run();
    else this.#parts.time.after(this.#sleep.untilMs - this.#parts.time.nowMs, () => this.whenAwake(run));
  }

  /** Runs `run` as an effect on the outside, unless the process is dead. Returns whether it has happened. */
  effect(name: string, run: () => void): boolean {
    if (!this.isAlive) return false;
    this.#parts.onEffect(name);
    this.#effects += 1;
    const isKilled = this.#effects >= this.#killAt;
    if (isKilled) this.#parts.onKill(name);
    if (isKilled && this.#killsBefore) {
      this.kill();
      return false;
    }
    run();
    if (isKilled) this.kill();
    return true;
  }

  /** The effects go on without kills. */
  stopKilling(): void {
    this.#killAt = Number.POSITIVE_INFINITY;
  }

  onDeath(run: () => void): void {
    this.#onDeath.push(run);
  }

  kill(): void {
    if (!this.isAlive) return;
    this.isAlive = false;
    for (const run of this.#onDeath) run();
  }
}
