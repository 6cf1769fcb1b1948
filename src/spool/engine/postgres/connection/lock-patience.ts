/**
 * How long to wait for a lock behind which others must wait too, and when to try again. A transaction that reads for hours, such
 * as that of pg_dump, is tried seldom; on a server whose transactions take long, each try waits longer than the one before.
 */
import { HOUR_MS } from "../../../../lib/units.ts";

const FIRST_WAIT_MS = 100;
/** Below deadlock_timeout (1 s): where two transactions wait for each other, this one gives up. */
const WAIT_MAX_MS = 800;

const FIRST_PAUSE_MS = 60_000;
const PAUSE_MAX_MS = HOUR_MS;

export class LockPatience {
  readonly #monotonicMs: () => number;
  #failures = 0;
  #nextTryMs = Number.NEGATIVE_INFINITY;

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs;
  }

  /** Whether it is time for a try. */
  get isDue(): boolean {
    return this.#monotonicMs() >= this.#nextTryMs;
  }

  /** How long a try may wait. */
  get waitMs(): number {
    return Math.min(WAIT_MAX_MS, FIRST_WAIT_MS * 2 ** this.#failures);
  }

  /** The lock was not granted in time. */
  failed(): void {
    this.#nextTryMs = this.#monotonicMs() + Math.min(PAUSE_MAX_MS, FIRST_PAUSE_MS * 2 ** this.#failures);
    this.#failures += 1;
  }

  succeeded(): void {
    this.#failures = 0;
  }
}
