/**
 * The doctor's findings while the service runs: kept, for an examination takes seconds and pages and /readyz should not;
 * renewed by themselves, more often while no mail gets out; and logged where they change. What they mean is the doctor's.
 */

import { type Finding, reasonsNotToDeliver } from "../doctor/checks.ts";
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/log.ts";

/** Not at once: the service has better to do when it starts. */
const FIRST_MS = 15_000;
const EVERY_MS = 3_600_000;
const WHILE_STOPPED_MS = 60_000;
/** A page that shows older findings has them renewed. */
const FRESH_MS = 10 * 60_000;

export interface HostState {
  /** Null before the first examination has ended. */
  findings: Finding[] | null;
  examinedAtMs: number | null;
  examining: boolean;
}

export interface HostWatchParts {
  clock: Clock;
  log: Logger;
  /** What is known before the first examination ends. */
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

  /** Examines in a while, and again now and then until it is stopped. */
  constructor(parts: HostWatchParts) {
    this.#parts = parts;
    this.#cancel = parts.clock.after(FIRST_MS, () => void this.examine());
  }

  /** What is known now; begins an examination where that is old, without waiting for it. */
  look(): HostState {
    if (this.#parts.clock.monotonicMs() - this.#examinedAtMonotonicMs > FRESH_MS) void this.examine();
    return this.#state;
  }

  /** Why no mail gets out, as far as is known. */
  reasons(): string[] {
    return reasonsNotToDeliver(this.#state.findings ?? this.#parts.atStart ?? []);
  }

  /** Examines now, unless that is under way. Never rejects: what goes wrong here must not end the process. */
  async examine(): Promise<void> {
    if (this.#state.examining || this.#stopped) return;
    this.#cancel();
    const before = this.#state.findings;
    this.#state = { ...this.#state, examining: true };
    const findings = await this.#parts.examine().catch(() => before);
    this.#state = { findings, examinedAtMs: this.#parts.clock.now(), examining: false };
    this.#examinedAtMonotonicMs = this.#parts.clock.monotonicMs();
    if (this.#stopped) return;
    this.#tell(before ?? [], findings ?? []);
    const delayMs = this.reasons().length > 0 ? WHILE_STOPPED_MS : EVERY_MS;
    this.#cancel = this.#parts.clock.after(delayMs, () => void this.examine());
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel();
  }

  #tell(before: Finding[], findings: Finding[]): void {
    const known = new Map(before.map(({ check, state }) => [check, state]));
    for (const finding of findings) {
      const was = known.get(finding.check) ?? "ok";
      if (finding.state === was) continue;
      if (isBad(finding.state)) this.#parts.log.warn(finding, "the doctor found something");
      else if (isBad(was)) this.#parts.log.info(finding, "the doctor finds it mended or gone");
    }
  }
}

const isBad = (state: Finding["state"]): boolean => state === "problem" || state === "warning";
