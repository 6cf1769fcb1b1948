/**
 * Keeps the process below its documented memory limit by rejecting work when it comes near. Every queue and buffer has a bound
 * of its own; this is for their sum, and for what no bound counts, such as memory that was freed and not yet given back.
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const MB = 1024 * 1024;

/** What docs/ARCHITECTURE.md documents: the greatest resident set of the process. */
export const MEMORY_LIMIT_BYTES = 700 * MB;
/** From here on requests with long bodies are rejected. Full load takes 300 MB. */
const LOW_BYTES = 450 * MB;
/** From here on every request that needs memory is. */
const EXHAUSTED_BYTES = 640 * MB;
/** Below it no request is rejected: what else is resident was freed and is used again, though the system does not get it back. */
const LIVE_BYTES = 150 * MB;

/** A look at the resident set holds for so long; it takes some microseconds. */
const LOOK_MS = 20;
/** Between two collections, each of which stops the thread for up to 0.1 s. */
const COLLECT_MS = 2000;

/** Whether there is memory for more. */
export interface MemoryStatus {
  /** There is none for long requests. */
  readonly isLow: boolean;
  /** There is none for any request that needs some. */
  readonly isExhausted: boolean;
  /** Has `release` called now and then while memory is low: it gives back what is kept ready. */
  onLow(release: () => void): void;
}

/** Where others share the process, such as tests, its memory says nothing about one service. */
export const unlimitedMemory: MemoryStatus = { isLow: false, isExhausted: false, onLow: () => {} };

export interface MemoryGuardOptions {
  /** Bytes of the process that are resident, and those of them that this thread uses. */
  readUsage?: () => { resident: number; live: number };
  /** Frees what is not used any more. */
  collect?: () => void;
  nowMs?: () => number;
}

export class MemoryGuard implements MemoryStatus {
  readonly #lookNow: () => { resident: number; live: number };
  #release: () => void = () => {};
  readonly #collect: () => void;
  readonly #nowMs: () => number;
  #bytes = 0;
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  #collectedAtMs = Number.NEGATIVE_INFINITY;

  constructor({ readUsage: look, collect, nowMs }: MemoryGuardOptions = {}) {
    this.#lookNow = look ?? readProcessUsage;
    this.#collect = collect ?? collectGarbage;
    this.#nowMs = nowMs ?? (() => performance.now());
  }

  onLow(release: () => void): void {
    this.#release = release;
  }

  get isLow(): boolean {
    this.#look();
    return this.#bytes >= LOW_BYTES;
  }

  get isExhausted(): boolean {
    this.#look();
    return this.#bytes >= EXHAUSTED_BYTES;
  }

  #look(): void {
    const nowMs = this.#nowMs();
    if (nowMs - this.#lookedAtMs < LOOK_MS) return;
    this.#lookedAtMs = nowMs;
    this.#bytes = this.#count();
    if (this.#bytes < LOW_BYTES || nowMs - this.#collectedAtMs < COLLECT_MS) return;
    this.#release();
    // V8 collects when a program allocates; one that rejects everything allocates little, and would go on rejecting.
    this.#collectedAtMs = nowMs;
    this.#collect();
    this.#bytes = this.#count();
  }

  /** The resident bytes, where the live ones can be the reason for them. */
  #count(): number {
    const { resident, live } = this.#lookNow();
    return live < LIVE_BYTES ? 0 : resident;
  }
}

function readProcessUsage(): { resident: number; live: number } {
  const { rss, heapUsed, external } = process.memoryUsage();
  return { resident: rss, live: heapUsed + external };
}

let gc: (() => void) | undefined;

/** V8 hands its collector out to a context that is made after the flag was set. */
function collectGarbage(): void {
  if (gc === undefined) {
    setFlagsFromString("--expose-gc");
    gc = runInNewContext("gc") as () => void;
  }
  gc();
}
