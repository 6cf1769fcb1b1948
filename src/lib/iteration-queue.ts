/**
 * Gives work that blocks the event loop a few milliseconds of each iteration, owners round-robin. However much work becomes due
 * at once, iterations stay short. What the work is, and how much of it may wait, is the caller's to decide.
 */
import type { Clock } from "./clock.ts";
import { FairQueue } from "./fair-queue.ts";

export interface IterationQueueOptions {
  clock: Pick<Clock, "monotonicMs">;
  /** After this time, the next entry waits for the next iteration. */
  budgetMs: number;
}

export class IterationQueue {
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #budgetMs: number;
  readonly #queue = new FairQueue<() => void>();
  #isScheduled = false;

  constructor({ clock, budgetMs }: IterationQueueOptions) {
    this.#clock = clock;
    this.#budgetMs = budgetMs;
  }

  /** The number of the owner's entries that wait. */
  countOf(owner: string): number {
    return this.#queue.countOf(owner);
  }

  /** Resolves in a later iteration. What the caller then does counts until it next awaits more than settled promises. */
  turn(owner: string): Promise<void> {
    return new Promise((resolve) => {
      this.#queue.add(owner, resolve);
      if (!this.#isScheduled) this.#schedule();
    });
  }

  #schedule(): void {
    this.#isScheduled = true;
    setImmediate(() => this.#serve(this.#clock.monotonicMs() + this.#budgetMs));
  }

  #serve(untilMs: number): void {
    this.#queue.next()?.();
    // A tick that a microtask requests runs after all microtasks, so after the work of this entry.
    queueMicrotask(() => process.nextTick(() => this.#continue(untilMs)));
  }

  #continue(untilMs: number): void {
    if (this.#queue.isEmpty) this.#isScheduled = false;
    else if (this.#clock.monotonicMs() < untilMs) this.#serve(untilMs);
    else this.#schedule();
  }
}
