/**
 * How often a password or a code may be tried. Counts failures in windows of time; an attempt that turns out right
 * is taken back. Bounded in memory, and so is the work of checking passwords at one time.
 */

interface Window {
  failures: number;
  untilMs: number;
}

const WINDOW_MS = 10 * 60_000;
const NAMES_MAX = 10_000;

export class Attempts {
  #windows = new Map<string, Window>();

  /** Whether `name` has failed fewer than `most` times of late. */
  allowed(name: string, most: number, nowMs: number): boolean {
    const window = this.#windows.get(name);
    return window === undefined || window.untilMs <= nowMs || window.failures < most;
  }

  failed(name: string, nowMs: number): void {
    const known = this.#windows.get(name);
    const window = known !== undefined && known.untilMs > nowMs ? known : { failures: 0, untilMs: nowMs + WINDOW_MS };
    window.failures += 1;
    this.#windows.delete(name);
    this.#windows.set(name, window);
    // Those that failed least lately go first.
    const [oldest] = this.#windows.keys();
    if (this.#windows.size > NAMES_MAX && oldest !== undefined) this.#windows.delete(oldest);
  }

  /** Takes back the failure that was noted beforehand. */
  succeeded(name: string): void {
    const window = this.#windows.get(name);
    if (window !== undefined) window.failures -= 1;
  }
}

/** Runs at most `atOnce` of what it is given side by side; null when more than `waitingMax` wait already. */
export function inTurns(atOnce: number, waitingMax: number): <T>(run: () => Promise<T>) => Promise<T | null> {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (run) => {
    if (running >= atOnce) {
      if (waiting.length >= waitingMax) return null;
      // Whoever ends hands its place on: `running` stays as it is.
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else {
      running += 1;
    }
    try {
      return await run();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
