/**
 * Brings forward what waits longer than it was ever told to: its time was set while the clock was ahead. Looks through the
 * spool at the start, for the clock may have been set while the service was down, and whenever it is asked.
 */
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/log.ts";
import { longestWaitMs } from "../message/retry.ts";
import type { Registry } from "../spool/port/accounts.ts";
import type { WaitCursor } from "../spool/port/operations.ts";
import type { Spool } from "../spool/port/spool.ts";

/** Between the steps of a pass: other commits come first. */
const PAUSE_MS = 50;
const STEP_RECIPIENTS = 1000;
/** After a step that the spool could not take. */
const AGAIN_MS = 10_000;

export interface OverlongWaitsParts {
  spool: Pick<Spool, "shortenWaits">;
  registry: Pick<Registry, "shortenCheckWaits">;
  clock: Clock;
  log: Logger;
  retrySchedule: readonly number[];
  /** The longest time between two checks of a domain. */
  checkGapMs: number;
}

export class OverlongWaits {
  readonly #parts: OverlongWaitsParts;
  /** By attempts made; the last holds for more. */
  readonly #longestMs: number[];
  #cancel: () => void = () => {};
  #passing = false;
  #isWanted = false;
  #stopped = false;

  constructor(parts: OverlongWaitsParts) {
    this.#parts = parts;
    const { retrySchedule } = parts;
    this.#longestMs = [0, ...retrySchedule].map((_, attempts) => longestWaitMs(attempts, retrySchedule));
  }

  /** Looks through the spool, from the beginning where that is under way. Never rejects, and does not wait for it. */
  look(): void {
    this.#isWanted = true;
    if (!this.#passing) void this.#lookUntilDone();
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel();
  }

  async #lookUntilDone(): Promise<void> {
    this.#passing = true;
    while (this.#isWanted && !this.#stopped) {
      this.#isWanted = false;
      await this.#pass().catch((error: Error) => this.#postpone(error));
    }
    this.#passing = false;
  }

  async #postpone(error: Error): Promise<void> {
    if (this.#stopped) return;
    this.#parts.log.warn({ err: error }, "waits could not be compared with the clock; trying again");
    this.#isWanted = true;
    await this.#pause(AGAIN_MS);
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
      if (this.#isWanted || this.#stopped) break;
    }
    const domains = await registry.shortenCheckWaits(clock.now(), checkGapMs);
    if (recipients + domains > 0)
      log.info({ recipients, domains }, "brought forward what waited longer than RETRY_SCHEDULE allows");
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.#cancel = this.#parts.clock.after(ms, resolve);
    });
  }
}
