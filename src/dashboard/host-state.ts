/**
 * The doctor's findings, kept for a while: an examination takes seconds, and pages should not.
 */
import type { Clock } from "../clock.ts";
import type { DashboardParts, Finding, HostActions } from "./parts.ts";

const FRESH_MS = 10 * 60_000;

export interface HostState {
  /** Null before the first examination has ended. */
  findings: Finding[] | null;
  examinedAtMs: number | null;
  examining: boolean;
}

export class HostWatch {
  #host: HostActions;
  #clock: Clock;
  #state: HostState = { findings: null, examinedAtMs: null, examining: false };

  constructor(host: HostActions, clock: Clock) {
    this.#host = host;
    this.#clock = clock;
  }

  /** What is known now; begins an examination where that is old, without waiting for it. */
  look(): HostState {
    const { examinedAtMs } = this.#state;
    if (examinedAtMs === null || this.#clock.now() - examinedAtMs > FRESH_MS) void this.examine();
    return this.#state;
  }

  /** Examines now, unless that is under way. */
  async examine(): Promise<void> {
    if (this.#state.examining) return;
    this.#state = { ...this.#state, examining: true };
    // Nobody waits for this: what goes wrong here must not end the process.
    const findings = await this.#host.examine().catch(() => this.#state.findings);
    this.#state = { findings, examinedAtMs: this.#clock.now(), examining: false };
  }
}

const watches = new WeakMap<DashboardParts, HostWatch>();

/** One watch for all pages of a dashboard. */
export function hostWatchOf(parts: DashboardParts): HostWatch {
  const known = watches.get(parts) ?? new HostWatch(parts.host, parts.clock);
  watches.set(parts, known);
  return known;
}
