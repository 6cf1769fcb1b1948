/** Reads what operators set for receivers, and again every few seconds: another process may have changed it. */
import type { Clock } from "../../lib/clock.ts";
import { SpoolUnavailable } from "../../spool/port/errors.ts";
import type { KeyValueStore } from "../../spool/port/key-value.ts";
import { readReceiverOverrides } from "../../spool/port/receiver-limits.ts";
import type { LimitsOfDestinations } from "../routing/connection-limits.ts";

const LOOK_EVERY_MS = 10_000;

export interface ReceiverLimitsWatchParts {
  spool: Pick<KeyValueStore, "readValue">;
  clock: Clock;
  limits: LimitsOfDestinations;
}

export class ReceiverLimitsWatch {
  readonly #parts: ReceiverLimitsWatchParts;
  #last = "";
  #isStopped = false;
  #cancelTimer: () => void = () => {};

  constructor(parts: ReceiverLimitsWatchParts) {
    this.#parts = parts;
  }

  /** Resolves after the first time. */
  async start(): Promise<void> {
    await this.#read();
    if (!this.#isStopped) this.#cancelTimer = this.#parts.clock.after(LOOK_EVERY_MS, () => void this.start());
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelTimer();
  }

  async #read(): Promise<void> {
    const { spool, limits } = this.#parts;
    try {
      const overrides = await readReceiverOverrides(spool);
      const text = JSON.stringify([...overrides]);
      if (text !== this.#last) limits.set(overrides);
      this.#last = text;
    } catch (error) {
      if (!(error instanceof SpoolUnavailable)) throw error;
    }
  }
}
