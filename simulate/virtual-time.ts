/**
 * Virtual time: events run in order of their time, each to completion, including all promises it settles, before the
 * next begins. Never reads the real clock.
 */

/** The part of a clock that can read the time and set timers. */
export interface Timeline {
  readonly nowMs: number;
  after(delayMs: number, run: () => void): () => void;
}

interface Event {
  atMs: number;
  /** Events at the same time run in the order in which they were scheduled. */
  order: number;
  run: (() => void) | null;
}

export class VirtualTime implements Timeline {
  nowMs: number;
  #heap: Event[] = [];
  #scheduled = 0;

  constructor(startMs: number) {
    this.nowMs = startMs;
  }

  /** Runs `run` after `delayMs` (at least 0); the returned function cancels it. */
  after(delayMs: number, run: () => void): () => void {
    this.#scheduled += 1;
    const event: Event = { atMs: this.nowMs + Math.max(0, delayMs), order: this.#scheduled, run };
    this.#push(event);
    return () => {
      event.run = null;
    };
  }

  /** Advances time until `isOver` returns true after an event, until `untilMs`, or until no event is left. */
  async advance(untilMs: number, isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const event = this.#heap[0];
      if (event === undefined || event.atMs > untilMs) return;
      this.#pop();
      if (event.run === null) continue;
      this.nowMs = event.atMs;
      event.run();
      await new Promise<void>((resolve) => void setImmediate(resolve));
    }
  }

  #push(event: Event): void {
    const heap = this.#heap;
    let at = heap.length;
    heap.push(event);
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (!isBefore(event, heap[above] as Event)) break;
      heap[at] = heap[above] as Event;
      at = above;
    }
    heap[at] = event;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop() as Event;
    if (heap.length === 0) return;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= heap.length) break;
      if (below + 1 < heap.length && isBefore(heap[below + 1] as Event, heap[below] as Event)) below += 1;
      if (!isBefore(heap[below] as Event, last)) break;
      heap[at] = heap[below] as Event;
      at = below;
    }
    heap[at] = last;
  }
}

function isBefore(a: Event, b: Event): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
}
