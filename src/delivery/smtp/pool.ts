/**
 * Idle SMTP sessions, kept for a short while so that the next message to the same host needs no new connection.
 * Decides how long and how many; which destination gets how many connections is decided elsewhere.
 */
import { type Clock, systemClock } from "../../clock.ts";
import type { Session } from "./session.ts";

export interface PoolKey {
  mx: string;
  /** The IP address. */
  address: string;
  port: number;
}

export interface PoolOptions {
  idleMs?: number;
  idlePerKeyMax?: number;
  idleMax?: number;
  /** A session with as many transactions is not kept. */
  transactionsMax?: number;
  clock?: Clock;
}

interface IdleSession {
  session: Session;
  /** Stops the idle timer and the watch for the connection's end. */
  release: () => void;
}

export class SessionPool {
  readonly #idle = new Map<string, IdleSession[]>();
  readonly #idleMs: number;
  readonly #idlePerKeyMax: number;
  readonly #idleMax: number;
  readonly #transactionsMax: number;
  readonly #clock: Clock;
  readonly #quitting = new Set<Promise<void>>();
  #size = 0;
  #closed = false;

  constructor(options: PoolOptions = {}) {
    this.#idleMs = options.idleMs ?? 5_000;
    this.#idlePerKeyMax = options.idlePerKeyMax ?? 100;
    this.#idleMax = options.idleMax ?? 500;
    this.#transactionsMax = options.transactionsMax ?? 100;
    this.#clock = options.clock ?? systemClock;
  }

  /** Idle sessions at this moment. */
  get size(): number {
    return this.#size;
  }

  /** The most recently used idle session that `accepts` agrees to, no longer in the pool; or null. */
  take(key: PoolKey, accepts: (session: Session) => boolean = () => true): Session | null {
    const found = this.#idle.get(nameOf(key))?.findLast(({ session }) => session.usable && accepts(session));
    if (found === undefined) return null;
    this.#remove(found);
    return found.session;
  }

  /** Keeps a session that has no transaction open; one that cannot be used or kept is closed, politely where possible. */
  give(session: Session): void {
    if (this.#mayKeep(session)) this.#keep(session);
    else this.#quit(session);
  }

  /** Quits all idle sessions, and those given later; settles when those here now are closed. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const idle of [...this.#idle.values()].flat()) {
      this.#remove(idle);
      this.#quit(idle.session);
    }
    await Promise.all(this.#quitting);
  }

  #mayKeep(session: Session): boolean {
    const full = this.#size >= this.#idleMax || this.#idleOf(session).length >= this.#idlePerKeyMax;
    return session.usable && !this.#closed && !full && session.transactions < this.#transactionsMax;
  }

  #keep(session: Session): void {
    const idle: IdleSession = { session, release: () => {} };
    const stopWatching = session.connection.onEnd(() => this.#remove(idle));
    const cancelTimer = this.#clock.after(this.#idleMs, () => {
      this.#remove(idle);
      this.#quit(session);
    });
    idle.release = () => {
      stopWatching();
      cancelTimer();
    };
    this.#idle.set(keyOf(session), [...this.#idleOf(session), idle]);
    this.#size += 1;
  }

  #remove(idle: IdleSession): void {
    idle.release();
    const left = this.#idleOf(idle.session).filter((other) => other !== idle);
    if (left.length > 0) this.#idle.set(keyOf(idle.session), left);
    else this.#idle.delete(keyOf(idle.session));
    this.#size -= 1;
  }

  #idleOf(session: Session): IdleSession[] {
    return this.#idle.get(keyOf(session)) ?? [];
  }

  #quit(session: Session): void {
    const quitting = session.quit().then(() => {
      this.#quitting.delete(quitting);
    });
    this.#quitting.add(quitting);
  }
}

function keyOf({ mx, ip, port }: Session): string {
  return nameOf({ mx, address: ip, port });
}

function nameOf({ mx, address, port }: PoolKey): string {
  return `${mx.toLowerCase()} ${address} ${port}`;
}
