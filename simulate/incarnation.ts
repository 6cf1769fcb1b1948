/**
 * One incarnation of the service's process, from start to death. Everything the process does to the outside (a byte
 * to a peer, a response to a client, a commit, a DNS query, a webhook) is an effect. The process can be killed just before or
 * just after each effect; between two effects, all kills are equivalent. A dead process has no effects, and its
 * timers do not fire.
 *
 * While the host is suspended, the monotonic clock and the timers stop, but the wall clock and
 * the outside continue. Whatever arrives meanwhile is processed when the host resumes.
 */
import type { Clock } from "../src/lib/clock.ts";
import type { Prng } from "./prng.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** Aborts synchronous code of a process that has just been killed. */
export class ProcessDied extends Error {}

export interface IncarnationOptions {
  time: VirtualTime;
  prng: Prng;
  /** The offset of the wall clock from virtual time; it may change at any time. */
  skewMs: () => number;
  killEvery: number;
  /** Called for every effect, for the trace. */
  onEffect: (name: string) => void;
  /** Called with the effect at which the process was killed. */
  onKill: (name: string) => void;
}

export class Incarnation {
  isAlive = true;
  /** Run at death, in order of registration. */
  readonly #onDeath: (() => void)[] = [];
  readonly #options: IncarnationOptions;
  readonly clock: Clock;
  #effects = 0;
  /** The last suspension, and the total duration of all earlier ones. */
  #suspension = { fromMs: 0, untilMs: 0 };
  #suspendedBeforeMs = 0;
  #killAt: number;
  #killsBefore: boolean;

  constructor(parts: IncarnationOptions) {
    this.#options = parts;
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
    const { nowMs } = this.#options.time;
    const { fromMs, untilMs } = this.#suspension;
    return nowMs - this.#suspendedBeforeMs - Math.max(0, Math.min(nowMs, untilMs) - fromMs);
  }

  get isSuspended(): boolean {
    return this.#options.time.nowMs < this.#suspension.untilMs;
  }

  /** Suspends the host for `ms`, unless it is suspended. */
  suspend(ms: number): void {
    if (this.isSuspended || !this.isAlive) return;
    const { nowMs } = this.#options.time;
    this.#suspendedBeforeMs += this.#suspension.untilMs - this.#suspension.fromMs;
    this.#suspension = { fromMs: nowMs, untilMs: nowMs + ms };
  }

  /** Sets a timer of this incarnation. */
  after(delayMs: number, run: () => void): () => void {
    const dueMs = this.#monotonicMs + Math.max(0, delayMs);
    let cancel = (): void => {};
    const wait = (): void => {
      const remainingMs = Math.max(0, this.#suspension.untilMs - this.#options.time.nowMs);
      cancel = this.#options.time.after(remainingMs + Math.max(0, dueMs - this.#monotonicMs), fire);
    };
    const fire = (): void => {
      if (!this.isAlive) return;
      // The host was or is suspended. Rounding errors of summed fractions stay below this tolerance.
      if (this.isSuspended || dueMs - this.#monotonicMs > 0.001) wait();
      else run();
    };
    wait();
    return () => cancel();
  }

  /** Runs an event from the outside: now, or in order when the host resumes. */
  whenAwake(run: () => void): void {
    if (!this.isSuspended) run();
    else this.#options.time.after(this.#suspension.untilMs - this.#options.time.nowMs, () => this.whenAwake(run));
  }

  /** Runs `run` as an effect on the outside, unless the process is dead. Returns whether it ran. */
  effect(name: string, run: () => void): boolean {
    if (!this.isAlive) return false;
    this.#options.onEffect(name);
    this.#effects += 1;
    const isKilled = this.#effects >= this.#killAt;
    if (isKilled) this.#options.onKill(name);
    if (isKilled && this.#killsBefore) {
      this.kill();
      return false;
    }
    run();
    if (isKilled) this.kill();
    return true;
  }

  /** Disables further kills. */
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
