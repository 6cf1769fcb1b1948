/**
 * The open connections to each destination, counted from the moment they are begun until a moment after they have ended. Decides
 * how long a new one waits for the end of others; how many a destination may have is the throttle's decision.
 */
import type { Clock } from "../../lib/clock.ts";
import { type Connect, connectTcp } from "./connect.ts";

/** A peer that counts connections may notice the end of one after the beginning of the next. */
const LINGER_MS = 50;

export class OpenConnections {
  readonly #clock: Clock;
  readonly #counts = new Map<string, number>();
  /** Those who wait for the end of a connection, by destination. */
  readonly #waiting = new Map<string, (() => void)[]>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  count(destination: string): number {
    return this.#counts.get(destination) ?? 0;
  }

  /** The destinations with open connections. */
  get destinations(): Iterable<string> {
    return this.#counts.keys();
  }

  /**
   * Counts a connection that is begun now, with the returned function, which is to be called once. `connect` opens sockets instead
   * of the system's TCP.
   */
  add(destination: string, connect: Connect = connectTcp): Connect {
    this.#counts.set(destination, this.count(destination) + 1);
    return (to) => {
      const socket = connect(to);
      socket.once("close", () => void this.#clock.after(LINGER_MS, () => this.#remove(destination)));
      return socket;
    };
  }

  /** Resolves at the next end of a connection to the destination. */
  nextEnd(destination: string): Promise<void> {
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(destination);
      if (waiting === undefined) this.#waiting.set(destination, [resolve]);
      else waiting.push(resolve);
    });
  }

  #remove(destination: string): void {
    const left = this.count(destination) - 1;
    if (left === 0) this.#counts.delete(destination);
    else this.#counts.set(destination, left);
    const waiting = this.#waiting.get(destination) ?? [];
    this.#waiting.delete(destination);
    for (const resume of waiting) resume();
  }
}
