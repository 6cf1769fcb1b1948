/**
 * The health of one endpoint, by its last attempts. Decides how many attempts run at once, when an event that was not
 * attempted yet may be, and when the endpoint is disabled. An endpoint that fails again and again is probed with one event a
 * minute, so that one which is down for days costs little, however many events wait for it.
 */

import { DISABLE_AFTER_MS } from "../app/webhooks/webhook-state.ts";
import { HOUR_MS } from "../lib/units.ts";
import type { DisabledReason } from "../spool/port/webhooks.ts";

/** Attempts at once to a working endpoint. */
const CONCURRENT_MAX = 8;
/** Failures in a row after which the endpoint counts as failing. */
const FAILURES_MAX = 10;
/** An endpoint also counts as down when all attempts have failed for this long. */
const DOWN_AFTER_MS = HOUR_MS;
/** Between probes of a failing endpoint. */
export const PROBE_INTERVAL_MS = 60_000;

export class EndpointHealth {
  #failures = 0;
  #failingSinceMs: number | null;
  /** By the monotonic clock. */
  #probedAtMs = Number.NEGATIVE_INFINITY;

  /** @param failingSinceMs as the endpoint's. */
  constructor(failingSinceMs: number | null) {
    this.#failingSinceMs = failingSinceMs;
  }

  get isFailing(): boolean {
    return this.#failures >= FAILURES_MAX;
  }

  /** Whether nothing shows that the endpoint works: no event is given up then. */
  isDown(nowMs: number): boolean {
    const failedForMs = this.#failingSinceMs === null ? 0 : nowMs - this.#failingSinceMs;
    return this.isFailing || failedForMs >= DOWN_AFTER_MS;
  }

  get concurrentMax(): number {
    return this.isFailing ? 1 : CONCURRENT_MAX;
  }

  /** Milliseconds until an event may be attempted that was not attempted yet; 0 for now. */
  probeWaitMs(monotonicMs: number): number {
    return this.isFailing ? Math.max(0, this.#probedAtMs + PROBE_INTERVAL_MS - monotonicMs) : 0;
  }

  /** To be called when such an event is attempted. */
  probing(monotonicMs: number): void {
    this.#probedAtMs = monotonicMs;
  }

  /** Returns whether the endpoint works again after it counted as failing. */
  succeeded(): boolean {
    const isRecovered = this.isFailing;
    this.#failures = 0;
    this.#failingSinceMs = null;
    return isRecovered;
  }

  /** Returns why the endpoint must be disabled; null if it need not. */
  failed(status: number | null, nowMs: number): DisabledReason | null {
    this.#failures += 1;
    this.#failingSinceMs ??= nowMs;
    if (status === 410) return "gone";
    return nowMs - this.#failingSinceMs >= DISABLE_AFTER_MS ? "failing" : null;
  }
}
