/**
 * Keeps the process below its documented memory limit by rejecting work near the limit. Every queue and buffer has its own
 * limit; this one covers their sum, and uncounted memory such as freed memory that is not returned to the system yet.
 */

import { collectGarbage } from "./garbage-collection.ts";
import { isResourceShortage } from "./resource-shortage.ts";
import { MIB } from "./units.ts";

/** The documented maximum resident set of the process. */
export const MEMORY_LIMIT_BYTES = 700 * MIB;
/** From this size on, requests with long bodies are rejected. Full load takes 300 MB. */
const LOW_BYTES = 450 * MIB;
/** From this size on, every request that needs memory is rejected. */
const EXHAUSTED_BYTES = 640 * MIB;
/** Below this live size no request is rejected: the rest of the resident set is free memory that will be reused. */
const LIVE_BYTES = 150 * MIB;

/** How long a reading of the resident set near a limit is used. */
const READING_TTL_MS = 20;
/** A reading takes up to 0.1 ms of a busy process. One far below the limits is used for as long as memory needs to reach them. */
const READING_TTL_MAX_MS = 100;
/** More than the network and the parsers of one process bring. */
const GROWTH_BYTES_PER_MS = MIB;
/** The minimum time between two forced collections, each of which stops the thread for up to 0.1 s. */
const COLLECT_INTERVAL_MS = 2000;

/** Whether memory is available for new work. */
export interface MemoryStatus {
  /** No memory is available for long requests. */
  readonly isLow: boolean;
  /** No memory is available for any request. */
  readonly isExhausted: boolean;
  /** Registers `release`, which is called from time to time while memory is low and frees idle resources. */
  onLow(release: () => void): void;
  /** Registers a thread, whose memory is not that of this one: `liveBytes` returns what it holds at most. */
  addThread(liveBytes: () => number): void;
}

/** For processes shared with others, such as tests, whose memory does not reflect one service. */
export const unlimitedMemory: MemoryStatus = {
  isLow: false,
  isExhausted: false,
  onLow: () => {},
  addThread: () => {},
};

export interface MemoryGuardOptions {
  /** Returns the resident bytes of the process, and the live bytes of this thread. */
  readUsage?: () => { resident: number; live: number };
  /** Runs a full garbage collection. */
  collect?: () => void;
  nowMs?: () => number;
}

export class MemoryGuard implements MemoryStatus {
  readonly #readUsage: () => { resident: number; live: number };
  readonly #releases: (() => void)[] = [];
  readonly #threads: (() => number)[] = [];
  readonly #collect: () => void;
  readonly #nowMs: () => number;
  #bytes = 0;
  /** The bytes by which the resident set may grow before long requests are rejected. */
  #headroom = 0;
  #staleAtMs = Number.NEGATIVE_INFINITY;
  #collectedAtMs = Number.NEGATIVE_INFINITY;

  constructor({ readUsage, collect, nowMs }: MemoryGuardOptions = {}) {
    this.#readUsage = readUsage ?? readProcessUsage;
    this.#collect = collect ?? collectGarbage;
    this.#nowMs = nowMs ?? (() => performance.now());
  }

  onLow(release: () => void): void {
    this.#releases.push(release);
  }

  addThread(liveBytes: () => number): void {
    this.#threads.push(liveBytes);
  }

  get isLow(): boolean {
    this.#refresh();
    return this.#bytes >= LOW_BYTES;
  }

  get isExhausted(): boolean {
    this.#refresh();
    return this.#bytes >= EXHAUSTED_BYTES;
  }

  #refresh(): void {
    const nowMs = this.#nowMs();
    if (nowMs < this.#staleAtMs) return;
    this.#bytes = this.#measureOrKeep();
    this.#staleAtMs = nowMs + readingTtlMs(this.#headroom);
    if (this.#bytes < LOW_BYTES || nowMs - this.#collectedAtMs < COLLECT_INTERVAL_MS) return;
    for (const release of this.#releases) release();
    // V8 collects on allocation. A process that rejects all work allocates little and would keep rejecting.
    this.#collectedAtMs = nowMs;
    this.#collect();
    this.#bytes = this.#measureOrKeep();
  }

  /** Without a descriptor left, the resident set cannot be read: the last reading holds. */
  #measureOrKeep(): number {
    try {
      return this.#measure();
    } catch (error) {
      if (isResourceShortage(error)) return this.#bytes;
      throw error;
    }
  }

  /** The resident bytes, or 0 where the live bytes cannot account for them. */
  #measure(): number {
    const { resident, live } = this.#readUsage();
    const total = this.#threads.reduce((sum, liveBytes) => sum + liveBytes(), live);
    this.#headroom = LOW_BYTES - resident;
    return total < LIVE_BYTES ? 0 : resident;
  }
}

function readingTtlMs(headroom: number): number {
  return Math.min(Math.max(headroom / GROWTH_BYTES_PER_MS, READING_TTL_MS), READING_TTL_MAX_MS);
}

function readProcessUsage(): { resident: number; live: number } {
  const { rss, heapUsed, external } = process.memoryUsage();
  return { resident: rss, live: heapUsed + external };
}
