/**
 * Brings forward attempts and domain checks that are scheduled later than their schedule allows, because the clock was ahead when
 * they were scheduled. Runs at the start, because the clock may have been set while the service was down, and on request.
 */
import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../lib/log.ts";
import { longestWaitMs } from "../../message/retry.ts";
import type { Registry } from "../../spool/port/accounts.ts";
import type { WaitCursor } from "../../spool/port/operations.ts";
import type { Spool } from "../../spool/port/spool.ts";

/** Between the steps of a pass, so other commits come first. */
const PAUSE_MS = 50;
const STEP_RECIPIENTS = 1000;
/** After a step that the spool could not commit. */
const RETRY_MS = 10_000;

export interface WaitShortenerParts {
  spool: Pick<Spool, "shortenWaits">;
  registry: Pick<Registry, "shortenCheckWaits">;
  clock: Clock;
  log: Logger;
  retrySchedule: readonly number[];
  /** The longest interval between two checks of a domain. */
  checkGapMs: number;
}

export class WaitShortener {
  readonly #parts: WaitShortenerParts;
  /** By the number of attempts made; the last applies to higher numbers. */
  readonly #longestMs: number[];
  #cancel: () => void = () => {};
  #isRunning = false;
  #isRequested = false;
  #isStopped = false;

  constructor(parts: WaitShortenerParts) {
    this.#parts = parts;
    const { retrySchedule } = parts;
    this.#longestMs = [0, ...retrySchedule].map((_, attempts) => longestWaitMs(attempts, retrySchedule));
  }

  /** Starts a pass over the spool; a pass in progress starts again. Never throws, and does not wait. */
  run(): void {
    this.#isRequested = true;
    if (!this.#isRunning) void this.#runRequested();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  async #runRequested(): Promise<void> {
    this.#isRunning = true;
    while (this.#isRequested && !this.#isStopped) {
      this.#isRequested = false;
      await this.#pass().catch((error: Error) => this.#postpone(error));
    }
    this.#isRunning = false;
  }

  async #postpone(error: Error): Promise<void> {
    if (this.#isStopped) return;
    this.#parts.log.warn({ err: error }, "shortening overlong waits failed, retrying");
    this.#isRequested = true;
    await this.#pause(RETRY_MS);
  }

  async #pass(): Promise<void> {
    const { spool, registry, clock, log, checkGapMs } = this.#parts;
    const [longestMs, limit] = [this.#longestMs, STEP_RECIPIENTS];
    let recipients = 0;
    for (let after: WaitCursor | null = null; ; ) {
      const step = await spool.shortenWaits({ nowMs: clock.now(), longestMs, after, limit });
      recipients += step.recipients;
      after = step.next;
      if (after === null) break;
      await this.#pause(PAUSE_MS);
      if (this.#isRequested || this.#isStopped) break;
    }
    const domains = await registry.shortenCheckWaits(clock.now(), checkGapMs);
    if (recipients + domains > 0) log.info({ recipients, domains }, "shortened overlong waits");
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.#cancel = this.#parts.clock.after(ms, resolve);
    });
  }
}
