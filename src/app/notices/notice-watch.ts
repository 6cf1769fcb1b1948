/**
 * Looks at conditions regularly, and sends the notices that they cause: those of the whole service in the one process that has the duty. What is
 * looked at is looked at again if it fails.
 */
import type { Clock } from "../../lib/clock.ts";
import { errorText } from "../../lib/error-text.ts";
import type { Logger } from "../../lib/log.ts";

/** Of a watch, at least. */
export const LOOK_EVERY_MS = 5000;

export interface Condition {
  /** Names it in the log. */
  name: string;
  everyMs: number;
  /** Posts the notices of what there is now. */
  look: (nowMs: number) => Promise<void>;
}

export interface NoticeWatchParts {
  conditions: readonly Condition[];
  /** Called after each round. Never rejects. */
  send: () => Promise<void>;
  clock: Clock;
  log: Pick<Logger, "warn">;
}

export class NoticeWatch {
  readonly #parts: NoticeWatchParts;
  /** By name: when it is looked at next, by the monotonic clock. */
  readonly #dueMs = new Map<string, number>();
  #isStopped = false;
  #running: Promise<void> = Promise.resolve();
  #cancel: () => void = () => {};

  constructor(parts: NoticeWatchParts) {
    this.#parts = parts;
  }

  /** Looks at all conditions soon, and then regularly until it is stopped. */
  start(): void {
    this.#schedule();
  }

  /** Looks at a condition in the next round. */
  soon(name: string): void {
    this.#dueMs.delete(name);
  }

  /** Resolves when the round under way has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    await this.#running;
  }

  #schedule(): void {
    if (this.#isStopped) return;
    this.#cancel = this.#parts.clock.after(LOOK_EVERY_MS, () => {
      this.#running = this.#round();
      void this.#running.then(() => this.#schedule());
    });
  }

  async #round(): Promise<void> {
    const { conditions, send, clock, log } = this.#parts;
    for (const { name, everyMs, look } of conditions) {
      if (this.#isStopped) return;
      if ((this.#dueMs.get(name) ?? 0) > clock.monotonicMs()) continue;
      this.#dueMs.set(name, clock.monotonicMs() + everyMs);
      await look(clock.now()).catch((error: unknown) =>
        log.warn({ condition: name, error: errorText(error) }, "looking for notices failed"),
      );
    }
    if (!this.#isStopped) await send();
  }
}
