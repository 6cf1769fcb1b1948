/**
 * Runs password hashing with bounded concurrency and bounded queues: one hash takes a core and 64 MiB. Known users and
 * anonymous clients have separate queues, so a flood of anonymous sign-ins does not delay known users.
 */
import { FairQueue } from "../../lib/fair-queue.ts";

export type QueueName = "known" | "anonymous";

/** Who asks for a task, and in which queue it waits. */
export interface Caller {
  queue: QueueName;
  /** Tasks of different callers in one queue are run in rotation. */
  name: string;
}

interface QueuedTask {
  /** Called with true when the task may run; with false when a newer task has displaced it from a full queue. */
  start: (mayRun: boolean) => void;
}

export interface ExecutorLimits {
  /** Tasks that run at the same time. */
  concurrency: number;
  /** Tasks that wait in each queue. */
  queueMax: number;
  /** Tasks of one caller that wait in a queue. */
  callerQueueMax: number;
}

export class BoundedExecutor {
  #limits: ExecutorLimits;
  #running = 0;
  readonly #queues: Record<QueueName, FairQueue<QueuedTask>>;
  #lastServed: QueueName = "anonymous";

  constructor(limits: ExecutorLimits) {
    this.#limits = limits;
    const bounds = { ownerMax: limits.callerQueueMax, totalMax: limits.queueMax };
    this.#queues = { known: new FairQueue(bounds), anonymous: new FairQueue(bounds) };
  }

  /** Runs the task as soon as the limits allow. Returns null without running it when its queue has no space for it. */
  async run<T>({ queue, name }: Caller, task: () => Promise<T>): Promise<T | null> {
    if (this.#running < this.#limits.concurrency) {
      this.#running += 1;
    } else {
      // A task that ends passes its slot to the next one, so the running count does not change here.
      const mayRun = await new Promise<boolean>((start) => {
        this.#queues[queue].add(name, { start })?.start(false);
      });
      if (!mayRun) return null;
    }
    try {
      return await task();
    } finally {
      this.#startNext();
    }
  }

  /** Serves the two queues alternately. */
  #startNext(): void {
    const other: QueueName = this.#lastServed === "known" ? "anonymous" : "known";
    const queue = this.#queues[other].isEmpty ? this.#lastServed : other;
    const next = this.#queues[queue].next();
    if (next === null) {
      this.#running -= 1;
      return;
    }
    this.#lastServed = queue;
    next.start(true);
  }
}
