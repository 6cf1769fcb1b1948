/**
 * How often a password or a code may be tried: so many failures are free, after that each failure makes the wait for the
 * next try longer, up to a limit. Nobody is shut out for good, and guessing goes on at a bounded rate for ever. Whom a
 * failure is counted for is credentials.ts's to say. Bounded in memory; a restart forgets.
 */

export interface AttemptRule {
  /** Failures without a wait. */
  free: number;
  /** The first wait; each further failure doubles it up to the limit. */
  waitMs: number;
  waitMaxMs: number;
  /** A name that has not failed for so long starts anew; longer than the longest wait. */
  forgetMs: number;
}

interface Failures {
  count: number;
  lastMs: number;
}

const NAMES_MAX = 10_000;

export class Attempts {
  #rule: AttemptRule;
  #failures = new Map<string, Failures>();

  constructor(rule: AttemptRule) {
    this.#rule = rule;
  }

  /** How long `name` has to wait before it may try again; 0 when it may now. */
  waitMs(name: string, nowMs: number): number {
    const { free, waitMs, waitMaxMs } = this.#rule;
    const known = this.#recent(name, nowMs);
    if (known === null || known.count < free) return 0;
    const wholeMs = Math.min(waitMs * 2 ** (known.count - free), waitMaxMs);
    // A clock that was set back makes no wait longer.
    return Math.min(wholeMs, Math.max(0, known.lastMs + wholeMs - nowMs));
  }

  /** Counts a failure. To be called before the work of checking: many at one moment must not all find the way free. */
  failed(name: string, nowMs: number): void {
    const count = (this.#recent(name, nowMs)?.count ?? 0) + 1;
    this.#failures.delete(name);
    this.#failures.set(name, { count, lastMs: nowMs });
    // Those that failed least lately go first.
    const [oldest] = this.#failures.keys();
    if (this.#failures.size > NAMES_MAX && oldest !== undefined) this.#failures.delete(oldest);
  }

  /** Takes back one failure that was counted beforehand. */
  takeBack(name: string): void {
    const known = this.#failures.get(name);
    if (known === undefined) return;
    known.count -= 1;
    if (known.count <= 0) this.#failures.delete(name);
  }

  forget(name: string): void {
    this.#failures.delete(name);
  }

  #recent(name: string, nowMs: number): Failures | null {
    const known = this.#failures.get(name);
    return known === undefined || nowMs - known.lastMs > this.#rule.forgetMs ? null : known;
  }
}
