/**
 * Looks for persons' requests for a probe while a destination is closed, and only then. Another process may have made them, so the
 * spool is read every second. destination-throttle.ts decides what serves a request.
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
  throttle: Pick<DestinationThrottle, "onClosed" | "hasClosed" | "ask">;
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
    parts.throttle.onClosed(() => this.#start());
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
    const { throttle, clock, spool, onAsked } = this.#parts;
    try {
      const requests = await readProbeRequests(spool, clock.now());
      if (throttle.ask(requests, clock.monotonicMs())) onAsked();
    } catch (error) {
      if (!(error instanceof SpoolUnavailable)) throw error;
    }
    this.#isRunning = false;
    const nowMs = clock.monotonicMs();
    if (throttle.hasClosed(nowMs)) this.#start();
    // A request must not outlast the closing that it was made for.
    else throttle.ask([], nowMs);
  }
}
