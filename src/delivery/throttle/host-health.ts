/**
 * Which addresses do not answer. After repeated failures to connect an address is left alone and probed now and then
 * by one attempt; the others are told at once what the last try found, so that a dead host costs neither time nor
 * slots, however much mail waits for it.
 */

import type { Clock } from "../../lib/clock.ts";

/** As it is kept across a restart, with times of the wall clock. */
export interface HealthState {
  address: string;
  port: number;
  /** Failures to connect since it last answered; once it is dead, those of probes only. */
  failures: number;
  sinceMs: number;
  /** No attempt before then. */
  probeAtMs: number;
  error: string;
}

interface Health extends HealthState {
  /** Here by the monotonic clock. */
  probeAtMs: number;
  /** Whether a probe is under way. */
  isProbed: boolean;
}

const FAILURES_UNTIL_DEAD = 2;
const PROBE_FIRST_MS = 1000;
const PROBE_MAX_MS = 300_000;

/** A probe that is never reported back, as when its attempt breaks off, does not keep the address closed for longer. */
const PROBE_LIMIT_MS = 60_000;

const ADDRESSES_MAX = 10_000;

export class HostHealth {
  readonly #clock: Clock;
  #states = new Map<string, Health>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Null when the address may be tried now; otherwise why not, in words. A caller that gets null for a dead address is
   * its probe and must report what it finds.
   */
  refusalReason(address: string, port: number): string | null {
    const state = this.#states.get(nameOf(address, port));
    if (state === undefined || state.failures < FAILURES_UNTIL_DEAD) return null;
    const monotonicMs = this.#clock.monotonicMs();
    if (monotonicMs >= state.probeAtMs + PROBE_MAX_MS) {
      // So long ago that what is due together must not wait for one probe. A single failure will do to leave it alone again.
      state.failures = FAILURES_UNTIL_DEAD - 1;
      return null;
    }
    if (monotonicMs >= state.probeAtMs) {
      state.probeAtMs = monotonicMs + PROBE_LIMIT_MS;
      state.isProbed = true;
      return null;
    }
    const [since, probe] = [state.sinceMs, this.#wallMs(state.probeAtMs)].map((ms) => new Date(ms).toISOString());
    return `not tried: no connection since ${since} (${state.error}), next probe from ${probe}`;
  }

  recordSuccess(address: string, port: number): void {
    this.#states.delete(nameOf(address, port));
  }

  recordFailure(address: string, port: number, error: string): void {
    const name = nameOf(address, port);
    const known = this.#states.get(name);
    // Attempts that began together fail together: only a probe says that it is still so.
    if (known !== undefined && known.failures >= FAILURES_UNTIL_DEAD && !known.isProbed) return;
    const failures = (known?.failures ?? 0) + 1;
    this.#states.delete(name);
    this.#states.set(name, {
      address,
      port,
      failures,
      sinceMs: known?.sinceMs ?? this.#clock.now(),
      probeAtMs: this.#clock.monotonicMs() + gapMs(failures),
      isProbed: false,
      error,
    });
    const [oldest] = this.#states.keys();
    if (this.#states.size > ADDRESSES_MAX && oldest !== undefined) this.#states.delete(oldest);
  }

  /** How many addresses took no connection when they were last tried; those that nobody has tried since are forgotten. */
  deadCount(): number {
    const monotonicMs = this.#clock.monotonicMs();
    const isDead = ({ failures, probeAtMs }: Health): boolean =>
      failures >= FAILURES_UNTIL_DEAD && monotonicMs < probeAtMs + PROBE_MAX_MS;
    return [...this.#states.values()].filter(isDead).length;
  }

  /** What is worth keeping across a restart. */
  states(): HealthState[] {
    return [...this.#states.values()].map(({ isProbed: _, ...state }) => {
      return { ...state, probeAtMs: this.#wallMs(state.probeAtMs) };
    });
  }

  restore(states: HealthState[]): void {
    for (const state of states) this.#states.set(nameOf(state.address, state.port), this.#restored(state));
  }

  /** A probe further ahead than any gap was set by a clock that was ahead: it is due. */
  #restored({ address, port, failures, sinceMs, probeAtMs, error }: HealthState): Health {
    const restMs = probeAtMs - this.#clock.now();
    const isPossible = restMs <= Math.max(gapMs(failures), PROBE_LIMIT_MS);
    const dueMs = this.#clock.monotonicMs() + (isPossible ? restMs : 0);
    return { address, port, failures, sinceMs, probeAtMs: dueMs, isProbed: false, error };
  }

  #wallMs(monotonicMs: number): number {
    return Math.round(this.#clock.now() + monotonicMs - this.#clock.monotonicMs());
  }
}

const gapMs = (failures: number): number =>
  Math.min(PROBE_MAX_MS, PROBE_FIRST_MS * 2 ** Math.max(0, failures - FAILURES_UNTIL_DEAD));

const nameOf = (address: string, port: number): string => `${address} ${port}`;
