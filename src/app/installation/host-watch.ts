/**
 * The doctor's findings while the service runs. They are cached, because an examination takes seconds and pages and /readyz must
 * not. They are renewed regularly, more often while delivery is impossible, and changes are logged. doctor/ decides what they mean.
 */

import { type Finding, reasonsNotToDeliver } from "../../doctor/checks.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../lib/log.ts";
import { HOUR_MS, MINUTE_MS } from "../../lib/units.ts";

/** After the start, which has more urgent work. */
const FIRST_DELAY_MS = 15_000;
const INTERVAL_MS = HOUR_MS;
/** While the findings say that nothing can be delivered. */
const URGENT_INTERVAL_MS = 60_000;
/** A page that shows older findings starts an examination. */
const STALE_AFTER_MS = 10 * MINUTE_MS;

export interface HostState {
  /** Null before the first examination has ended. */
  findings: Finding[] | null;
  examinedAtMs: number | null;
  examining: boolean;
}

export interface HostWatchParts {
  clock: Clock;
  log: Logger;
  /** The findings used before the first examination ends. */
  atStart?: Finding[];
  /** Takes seconds. */
  examine: () => Promise<Finding[]>;
}

export class HostWatch {
  #parts: HostWatchParts;
  #state: HostState = { findings: null, examinedAtMs: null, examining: false };
  #examinedAtMonotonicMs = Number.NEGATIVE_INFINITY;
  #cancel: () => void;
  #stopped = false;

  /** Examines soon, and then regularly until it is stopped. */
  constructor(parts: HostWatchParts) {
    this.#parts = parts;
    this.#cancel = parts.clock.after(FIRST_DELAY_MS, () => void this.examine());
  }

  /** The latest findings. Starts an examination if they are stale, without waiting for it. */
  current(): HostState {
    if (this.#parts.clock.monotonicMs() - this.#examinedAtMonotonicMs > STALE_AFTER_MS) void this.examine();
    return this.#state;
  }

  /** Why nothing can be delivered, by the latest findings; empty when delivery is possible. */
  reasons(): string[] {
    return reasonsNotToDeliver(this.#state.findings ?? this.#parts.atStart ?? []);
  }

  /** Examines now, unless an examination is in progress. Never rejects: an error here must not end the process. */
  async examine(): Promise<void> {
    if (this.#state.examining || this.#stopped) return;
    this.#cancel();
    const before = this.#state.findings;
    this.#state = { ...this.#state, examining: true };
    const findings = await this.#parts.examine().catch(() => before);
    this.#state = { findings, examinedAtMs: this.#parts.clock.now(), examining: false };
    this.#examinedAtMonotonicMs = this.#parts.clock.monotonicMs();
    if (this.#stopped) return;
    this.#logChanges(before ?? [], findings ?? []);
    const delayMs = this.reasons().length > 0 ? URGENT_INTERVAL_MS : INTERVAL_MS;
    this.#cancel = this.#parts.clock.after(delayMs, () => void this.examine());
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel();
  }

  #logChanges(before: Finding[], findings: Finding[]): void {
    const known = new Map(before.map(({ check, state }) => [check, state]));
    for (const finding of findings) {
      const was = known.get(finding.check) ?? "ok";
      if (finding.state === was) continue;
      if (isBad(finding.state)) this.#parts.log.warn(finding, "doctor check failed");
      else if (isBad(was)) this.#parts.log.info(finding, "doctor check passed again");
    }
  }
}

const isBad = (state: Finding["state"]): boolean => state === "problem" || state === "warning";
