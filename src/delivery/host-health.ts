/**
 * Which addresses do not answer. After repeated failures to connect an address is left alone and probed now and then
 * by one attempt; the others are told at once what the last try found, so that a dead host costs neither time nor
 * slots, however much mail waits for it.
 */

export interface HealthState {
  address: string;
  port: number;
  /** Failures to connect since it last answered; once it is dead, those of probes only. */
  failures: number;
  sinceMs: number;
  /** No attempt before then. */
  probeAtMs: number;
  /** Whether a probe is under way. */
  isProbed: boolean;
  error: string;
}

const FAILURES_UNTIL_DEAD = 2;
const PROBE_FIRST_MS = 1000;
const PROBE_MAX_MS = 300_000;

/** A probe that is never reported back, as when its attempt breaks off, does not keep the address closed for longer. */
const PROBE_LIMIT_MS = 60_000;

const ADDRESSES_MAX = 10_000;

export class HostHealth {
  #states = new Map<string, HealthState>();

  /**
   * Null when the address may be tried now; otherwise why not, in words. A caller that gets null for a dead address is
   * its probe and must report what it finds.
   */
  refusal(address: string, port: number, nowMs: number): string | null {
    const state = this.#states.get(nameOf(address, port));
    if (state === undefined || state.failures < FAILURES_UNTIL_DEAD) return null;
    if (nowMs >= state.probeAtMs) {
      state.probeAtMs = nowMs + PROBE_LIMIT_MS;
      state.isProbed = true;
      return null;
    }
    const [since, probe] = [state.sinceMs, state.probeAtMs].map((ms) => new Date(ms).toISOString());
    return `not tried: no connection since ${since} (${state.error}), next probe from ${probe}`;
  }

  answered(address: string, port: number): void {
    this.#states.delete(nameOf(address, port));
  }

  failed(address: string, port: number, { error, nowMs }: { error: string; nowMs: number }): void {
    const name = nameOf(address, port);
    const known = this.#states.get(name);
    // Attempts that began together fail together: only a probe says that it is still so.
    if (known !== undefined && known.failures >= FAILURES_UNTIL_DEAD && !known.isProbed) return;
    const failures = (known?.failures ?? 0) + 1;
    const gapMs = Math.min(PROBE_MAX_MS, PROBE_FIRST_MS * 2 ** Math.max(0, failures - FAILURES_UNTIL_DEAD));
    this.#states.delete(name);
    this.#states.set(name, {
      address,
      port,
      failures,
      sinceMs: known?.sinceMs ?? nowMs,
      probeAtMs: nowMs + gapMs,
      isProbed: false,
      error,
    });
    const [oldest] = this.#states.keys();
    if (this.#states.size > ADDRESSES_MAX && oldest !== undefined) this.#states.delete(oldest);
  }

  /** How many addresses took no connection when they were last tried; those that nobody has tried since are forgotten. */
  deadCount(nowMs: number): number {
    const isDead = ({ failures, probeAtMs }: HealthState): boolean =>
      failures >= FAILURES_UNTIL_DEAD && nowMs < probeAtMs + PROBE_MAX_MS;
    return [...this.#states.values()].filter(isDead).length;
  }

  /** What is worth keeping across a restart. */
  states(): HealthState[] {
    return [...this.#states.values()];
  }

  restore(states: HealthState[]): void {
    for (const state of states) this.#states.set(nameOf(state.address, state.port), { ...state, isProbed: false });
  }
}

const nameOf = (address: string, port: number): string => `${address} ${port}`;
