/**
 * Signals between the nodes by LISTEN and NOTIFY, so that one reacts at once to what another has committed. A signal is a hint: it
 * may be missed, and nothing is stored by it. While the connection is lost, listeners are called every second instead, as if
 * anything had changed.
 *
 * A transaction that notifies commits under a lock that all such transactions of the server share, so NOTIFY has a connection of
 * its own, never runs in a transaction that stores something, and does not wait for the disk.
 */
import { randomBytes } from "node:crypto";
import type { ClientConfig } from "pg";
import type { Clock } from "../../../../lib/clock.ts";
import { errorText } from "../../../../lib/error-text.ts";
import type { Logger } from "../../../../lib/log.ts";
import { OwnConnection } from "../connection/own-connection.ts";
import { type Session, statement } from "../connection/statement.ts";
import { decodeSignals, type Names, SIGNAL_KINDS, SignalBatch, type SignalKind } from "./signal-batch.ts";

/** The shortest time between two NOTIFY of this node. */
const NOTIFY_EVERY_MS = 100;

/** How often listeners are called without a connection. */
const POLL_EVERY_MS = 1000;

/** A cut connection is noticed after this time and REPLY_MAX_MS. */
const PROBE_EVERY_MS = 2000;

/** After a NOTIFY that failed. */
const NOTIFY_AGAIN_AFTER_MS = 1000;

const RETRY_MIN_MS = 250;
const RETRY_MAX_MS = 4000;

const doNotWait = statement("SELECT set_config('synchronous_commit', 'off', false)");
const listen = statement("LISTEN postrider");
const notify = statement("SELECT pg_notify('postrider', $1)");
const probe = statement("SELECT 1");

export interface SignalsOptions {
  config: ClientConfig;
  clock: Clock;
  log: Logger;
}

type Listener = (names: Names) => void;

export class Signals {
  readonly #options: SignalsOptions;
  readonly #connection: OwnConnection;
  readonly #sender = randomBytes(9).toString("base64url");
  readonly #listeners = new Map<SignalKind, Set<Listener>>(SIGNAL_KINDS.map((kind) => [kind, new Set()]));
  #waiting = new SignalBatch();
  #isListening = false;
  #isStopped = false;
  #retryMs = RETRY_MIN_MS;
  #cancelProbe: () => void = () => {};
  #cancelPoll: () => void = () => {};
  /** When the next NOTIFY may be sent, by the monotonic clock. */
  #nextNotifyMs = 0;
  #isNotifyScheduled = false;
  #cancelNotify: () => void = () => {};

  constructor(options: SignalsOptions) {
    this.#options = options;
    this.#connection = new OwnConnection({
      ...options,
      prepare: (session) => this.#prepare(session),
      onLost: () => this.#lost(),
      onNotification: (payload) => this.#receive(payload),
    });
  }

  /**
   * Begins to listen; resolves after the first try. Until a connection listens, and whenever it does not, listeners are called every
   * second. Signals can be sent without.
   */
  start(): Promise<void> {
    this.#pollLater();
    return this.#probe();
  }

  /** Calls `listener` for signals of other nodes. It must not throw. Returns a function that removes it. */
  on(kind: SignalKind, listener: Listener): () => void {
    this.#listeners.get(kind)?.add(listener);
    return () => void this.#listeners.get(kind)?.delete(listener);
  }

  /** Signals to the other nodes what this node has committed. Signals of NOTIFY_EVERY_MS share a NOTIFY. */
  send(kind: SignalKind, names: Iterable<string> | "any"): void {
    this.#waiting.add(kind, names);
    this.#notifyLater();
  }

  /** Sends what waits, and closes the connection. Never rejects. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelProbe();
    this.#cancelPoll();
    this.#cancelNotify();
    await this.#notify();
    await this.#connection.close();
  }

  async #prepare(session: Session): Promise<void> {
    await session.run(doNotWait);
    await session.run(listen);
  }

  #probeAfter(delayMs: number): void {
    if (this.#isStopped) return;
    this.#cancelProbe();
    this.#cancelProbe = this.#options.clock.after(delayMs, () => void this.#probe());
  }

  /** Opens the connection if it was lost, and notices if it is cut. */
  async #probe(): Promise<void> {
    try {
      await this.#connection.run(probe);
      this.#connected();
      this.#probeAfter(PROBE_EVERY_MS);
    } catch (error) {
      this.#lost();
      if (this.#retryMs === RETRY_MIN_MS) this.#options.log.warn({ error: errorText(error) }, "signals not received");
      this.#probeAfter(this.#retryMs);
      this.#retryMs = Math.min(2 * this.#retryMs, RETRY_MAX_MS);
    }
  }

  #connected(): void {
    this.#retryMs = RETRY_MIN_MS;
    if (this.#isListening || this.#isStopped) return;
    this.#isListening = true;
    this.#cancelPoll();
    // Signals may have been missed.
    this.#callAll();
    if (!this.#waiting.isEmpty) this.#notifyLater();
  }

  #lost(): void {
    if (!this.#isListening || this.#isStopped) return;
    this.#isListening = false;
    this.#pollLater();
    this.#probeAfter(0);
  }

  #pollLater(): void {
    this.#cancelPoll = this.#options.clock.after(POLL_EVERY_MS, () => {
      this.#callAll();
      this.#pollLater();
    });
  }

  #callAll(): void {
    for (const kind of SIGNAL_KINDS) this.#call(kind, "any");
  }

  #call(kind: SignalKind, names: Names): void {
    for (const listener of this.#listeners.get(kind) ?? []) listener(names);
  }

  #receive(payload: string): void {
    for (const [kind, names] of decodeSignals(payload, this.#sender) ?? []) this.#call(kind, names);
  }

  #notifyLater(): void {
    if (this.#isNotifyScheduled || !this.#isListening || this.#isStopped) return;
    this.#isNotifyScheduled = true;
    const { clock } = this.#options;
    this.#cancelNotify = clock.after(this.#nextNotifyMs - clock.monotonicMs(), async () => {
      await this.#notify();
      this.#isNotifyScheduled = false;
      if (!this.#waiting.isEmpty) this.#notifyLater();
    });
  }

  /** Keeps what could not be sent until the connection is back. */
  async #notify(): Promise<void> {
    if (this.#waiting.isEmpty) return;
    const batch = this.#waiting;
    this.#waiting = new SignalBatch();
    const sentMs = this.#options.clock.monotonicMs();
    this.#nextNotifyMs = sentMs + NOTIFY_EVERY_MS;
    try {
      await this.#connection.run(notify, [batch.encode(this.#sender)]);
    } catch (error) {
      this.#waiting.merge(batch);
      this.#nextNotifyMs = sentMs + NOTIFY_AGAIN_AFTER_MS;
      this.#options.log.warn({ error: errorText(error) }, "signals not sent");
    }
  }
}
