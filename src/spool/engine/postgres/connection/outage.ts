/**
 * Decides whether the database is lost, from what all connections of this process observe: no connection could be opened, or a
 * statement got no reply, and nothing else got one meanwhile. While it is lost, calls fail at once instead of waiting, and one at
 * a time tries to connect: clients get their 503 early, and a server that returns is not met by every call that has waited.
 *
 * A connection that breaks is no outage. The next call opens another one.
 */
import { type Clock, systemClock } from "../../../../lib/clock.ts";
import { SpoolUnavailable } from "../../../port/errors.ts";
import { asSpoolError, isFromServer, isUnanswered, NoReply } from "./database-error.ts";

/** Between the tries to connect while the database is lost. */
const TRY_AFTER_MS = 250;

/** The longest try. It is abandoned when the database would have replied to a heartbeat. */
const TRY_MAX_MS = 2000;

/** A server whose replies to heartbeats are late is lost if nothing has got a reply for so long. */
const SILENCE_MAX_MS = 5000;

type Listener = (fault: SpoolUnavailable) => void;
type Discard<T> = (connection: T) => void;

interface Try<T> {
  discard: Discard<T>;
  fault: SpoolUnavailable;
}

interface Opening<T> {
  discard: Discard<T>;
  abandoned: Promise<never>;
}

export class Outage {
  readonly #clock: Clock;
  readonly #listeners = new Set<Listener>();
  /** Null unless the database is lost. */
  #fault: SpoolUnavailable | null = null;
  #isTrying = false;
  /** By the monotonic clock, as all times here. */
  #nextTryMs = Number.NEGATIVE_INFINITY;
  #repliedMs: number;
  /** When a heartbeat last got no reply. */
  #doubtedMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
    this.#repliedMs = clock.monotonicMs();
  }

  /** Calls `listener` when an outage begins: open connections are to be closed. Returns a function that removes it. */
  onBegin(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /**
   * Opens a connection, or waits for a free one. Rejects with SpoolUnavailable when an outage begins meanwhile, and then gives a
   * connection that is opened later to `discard`. While the database is lost, rejects at once unless it is time for a try.
   */
  connect<T>(open: () => Promise<T>, discard: Discard<T>): Promise<T> {
    return this.#fault === null ? this.#connect(open, discard) : this.#try(open, { discard, fault: this.#fault });
  }

  /** Runs statements on an open connection. Resolves and rejects as they do. */
  async observe<T>(run: () => Promise<T>): Promise<T> {
    const beganMs = this.#clock.monotonicMs();
    try {
      const value = await run();
      this.replied();
      return value;
    } catch (error) {
      if (isUnanswered(error)) this.#failed(error, beganMs);
      else if (isFromServer(error)) this.replied();
      throw error;
    }
  }

  /** The database has replied, on whichever connection. This ends an outage. */
  replied(): void {
    this.#repliedMs = this.#clock.monotonicMs();
    this.#fault = null;
  }

  /** A heartbeat has failed. */
  heartbeatFailed(error: unknown): void {
    if (!isUnanswered(error)) return;
    this.#doubtedMs = this.#clock.monotonicMs();
    this.#failed(error, this.#doubtedMs - SILENCE_MAX_MS);
  }

  /** A time for `mayBeDead`. */
  now(): number {
    return this.#clock.monotonicMs();
  }

  /**
   * Whether a connection that got its last reply at this time may be dead, because a heartbeat on another one got none since. A
   * network that was cut for some seconds may have forgotten the connections, and a statement on each would wait for its limit.
   */
  mayBeDead(repliedMs: number): boolean {
    return repliedMs <= this.#doubtedMs;
  }

  #connect<T>(open: () => Promise<T>, discard: Discard<T>): Promise<T> {
    let forget: () => void = () => {};
    const begun = new Promise<never>((_resolve, reject) => {
      forget = this.onBegin(reject);
    });
    return this.#open(open, { discard, abandoned: begun }).finally(forget);
  }

  async #try<T>(open: () => Promise<T>, { discard, fault }: Try<T>): Promise<T> {
    if (this.#isTrying || this.#clock.monotonicMs() < this.#nextTryMs) throw fault;
    this.#isTrying = true;
    let cancel: () => void = () => {};
    const late = new Promise<never>((_resolve, reject) => {
      cancel = this.#clock.after(TRY_MAX_MS, () =>
        reject(new NoReply("no connection to the database could be opened")),
      );
    });
    try {
      const connection = await this.#open(open, { discard, abandoned: late });
      this.replied();
      return connection;
    } finally {
      cancel();
      this.#nextTryMs = this.#clock.monotonicMs() + TRY_AFTER_MS;
      this.#isTrying = false;
    }
  }

  /** Opens a connection unless `abandoned` rejects before. */
  async #open<T>(open: () => Promise<T>, { discard, abandoned }: Opening<T>): Promise<T> {
    const beganMs = this.#clock.monotonicMs();
    const opening = open();
    try {
      return await Promise.race([opening, abandoned]);
    } catch (error) {
      opening.then(discard, () => {});
      this.#failed(error, beganMs);
      throw error;
    }
  }

  /** A call that began at this time has failed. It says nothing if another one has got a reply since. */
  #failed(error: unknown, beganMs: number): void {
    if (this.#repliedMs <= beganMs) this.#lost(error);
  }

  #lost(error: unknown): void {
    const fault = asSpoolError(error);
    if (!(fault instanceof SpoolUnavailable)) return;
    const begins = this.#fault === null;
    this.#fault = fault;
    if (!begins) return;
    this.#nextTryMs = this.#clock.monotonicMs();
    for (const listener of this.#listeners) listener(fault);
  }
}
