/**
 * Lets the mail of closed destinations expire: it waits in the spool without being claimed, whatever its deadline and its age. While a
 * destination is closed, the spool is asked for expired mail at intervals. Such a job is run like any other, so it may be a
 * last attempt; if its destination is closed, it expires without one.
 */
import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../lib/log.ts";
import { SpoolUnavailable } from "../../spool/port/errors.ts";
import type { DeliveryJob } from "../../spool/port/mail.ts";
import type { Spool } from "../../spool/port/spool.ts";
import type { DestinationThrottle } from "../throttle/destination-throttle.ts";
import type { Shutdown } from "./shutdown.ts";

const SWEEP_MS = 10_000;

/** Expired jobs under way at one time. */
const EXPIRED_MAX = 50;

export interface ExpirySweepParts {
  spool: Pick<Spool, "claimExpired">;
  throttle: Pick<DestinationThrottle, "hasClosed">;
  shutdown: Pick<Shutdown, "hasBegun">;
  clock: Clock;
  log: Logger;
  /** Resolves when the job is settled or released. */
  run: (job: DeliveryJob) => Promise<void>;
}

export class ExpirySweep {
  readonly #parts: ExpirySweepParts;
  #cancelTimer: (() => void) | null = null;
  #sweeping: Promise<void> | null = null;

  constructor(parts: ExpirySweepParts) {
    this.#parts = parts;
  }

  /** To be called when a destination may have been closed. */
  watch(): void {
    const { throttle, shutdown, clock } = this.#parts;
    if (this.#cancelTimer !== null || this.#sweeping !== null || shutdown.hasBegun) return;
    if (!throttle.hasClosed(clock.monotonicMs())) return;
    this.#cancelTimer = clock.after(SWEEP_MS, () => {
      this.#cancelTimer = null;
      this.#sweeping = this.#sweep().then(() => {
        this.#sweeping = null;
        this.watch();
      });
    });
  }

  /** Call once the shutdown has begun. */
  async ended(): Promise<void> {
    this.#cancelTimer?.();
    await this.#sweeping;
  }

  async #sweep(): Promise<void> {
    const { spool, shutdown, clock, log, run } = this.#parts;
    try {
      for (let isMore = true; isMore && !shutdown.hasBegun; ) {
        const jobs = await spool.claimExpired({ nowMs: clock.now(), limit: EXPIRED_MAX });
        isMore = jobs.length === EXPIRED_MAX;
        await Promise.all(jobs.map(run));
      }
    } catch (error) {
      if (!(error instanceof SpoolUnavailable)) throw error;
      log.warn({ error: error.message }, "expired mail not looked for, retrying: the spool is unavailable");
    }
  }
}
