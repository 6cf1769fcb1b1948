/**
 * Looks for persons' requests for a probe while a destination is closed, and only then. Another process may have made them, so the
 * spool is read every second, and before a job is deferred because its destination has been closed for long. destination-throttle.ts
 * decides what serves a request.
 */
import type { Clock } from "../../lib/clock.ts";
import { SpoolUnavailable } from "../../spool/port/errors.ts";
import type { KeyValueStore } from "../../spool/port/key-value.ts";
import { readProbeRequests } from "../../spool/port/probe-requests.ts";
import type { DestinationThrottle } from "../throttle/destination-throttle.ts";

const LOOK_EVERY_MS = 1000;

export interface ProbeRequestWatchParts {
  spool: Pick<KeyValueStore, "readValue">;
  clock: Clock;
  throttle: Pick<DestinationThrottle, "takeRequestsFrom" | "hasClosed" | "ask">;
  /** A probe may begin that could not before. */
  onAsked: () => void;
}

export class ProbeRequestWatch {
  readonly #parts: ProbeRequestWatchParts;
  #isRunning = false;
  #isStopped = false;
  #cancelTimer: () => void = () => {};

  constructor(parts: ProbeRequestWatchParts) {
    this.#parts = parts;
    parts.throttle.takeRequestsFrom({
      onClosed: () => this.#start(),
      read: async () => void (await this.#read()),
    });
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelTimer();
  }

  #start(): void {
    if (this.#isRunning || this.#isStopped) return;
    this.#isRunning = true;
    this.#cancelTimer = this.#parts.clock.after(LOOK_EVERY_MS, () => void this.#look());
  }

  async #look(): Promise<void> {
    const { throttle, clock, onAsked } = this.#parts;
    if (await this.#read()) onAsked();
    this.#isRunning = false;
    const nowMs = clock.monotonicMs();
    if (throttle.hasClosed(nowMs)) this.#start();
    // A request must not outlast the closing that it was made for.
    else throttle.ask([], nowMs);
  }

  /** Returns whether a request allows a probe now. */
  async #read(): Promise<boolean> {
    const { throttle, clock, spool } = this.#parts;
    try {
      return throttle.ask(await readProbeRequests(spool, clock.now()), clock.monotonicMs());
    } catch (error) {
      if (!(error instanceof SpoolUnavailable)) throw error;
      return false;
    }
  }
}
