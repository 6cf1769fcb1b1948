/**
 * Bounds the fetches of policy files that run at once: some that deliveries may wait for, and some that have taken longer. Where a
 * crowd of policy hosts hangs, the longest-running fetch is abandoned, so that a host that responds is not kept waiting.
 */
import type { StsFetchParts, StsFile } from "./sts-fetch.ts";
import { fetchStsFile } from "./sts-fetch.ts";

/** Fetches in their first FRESH_MS; further ones wait for a place for as long. */
const FRESH_MAX = 64;
export const FRESH_MS = 5000;
/** Fetches that have taken longer; beyond, the longest-running one is abandoned. */
const SLOW_MAX = 64;

export class StsFetches {
  readonly #parts: StsFetchParts;
  readonly #slow = new Set<AbortController>();
  /** Each starts a fetch that waits for a place. */
  readonly #waiting = new Set<() => void>();
  #fresh = 0;

  constructor(parts: StsFetchParts) {
    this.#parts = parts;
  }

  /** The policy file of a domain; null without a place in time. Never rejects. */
  async fetch(domain: string): Promise<StsFile | null> {
    if (this.#fresh >= FRESH_MAX && !(await this.#place())) return null;
    this.#fresh += 1;
    const abort = new AbortController();
    let isFresh = true;
    const endFreshness = (): void => {
      if (!isFresh) return;
      isFresh = false;
      this.#fresh -= 1;
      this.#startNext();
    };
    const cancel = this.#parts.clock.after(FRESH_MS, () => {
      this.#addSlow(abort);
      endFreshness();
    });
    const file = await fetchStsFile(domain, this.#parts, abort.signal);
    cancel();
    this.#slow.delete(abort);
    endFreshness();
    return file;
  }

  /** Waits for a place; false without one in time. */
  #place(): Promise<boolean> {
    return new Promise((resolve) => {
      const start = (): void => {
        cancel();
        resolve(true);
      };
      const cancel = this.#parts.clock.after(FRESH_MS, () => {
        this.#waiting.delete(start);
        resolve(false);
      });
      this.#waiting.add(start);
    });
  }

  #startNext(): void {
    const [next] = this.#waiting;
    if (next === undefined) return;
    this.#waiting.delete(next);
    next();
  }

  #addSlow(abort: AbortController): void {
    const [oldest] = this.#slow;
    if (this.#slow.size >= SLOW_MAX && oldest !== undefined) {
      this.#slow.delete(oldest);
      oldest.abort();
    }
    this.#slow.add(abort);
  }
}
