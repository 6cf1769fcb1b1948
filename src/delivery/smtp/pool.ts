/**
 * Idle SMTP sessions, kept for a short time so that the next message to the same host needs no new connection. Decides how long and
 * how many; the number of connections to a destination is the throttle's decision. Not an LRU: at the limit the released session is
 * closed, not the oldest, and the most recently used one is taken first.
 */
import { type Clock, systemClock } from "../../lib/clock.ts";
import type { Session } from "./session.ts";

export interface PoolKey {
  mx: string;
  /** The IP address. */
  address: string;
  port: number;
  /** As Session's; null if absent. */
  localAddress?: string | null;
}

export interface PoolOptions {
  idleMs?: number;
  idlePerKeyMax?: number;
  idleMax?: number;
  /** A session with this many transactions is not kept. */
  transactionsMax?: number;
  clock?: Clock;
}

interface IdleSession {
  session: Session;
  /** The text form of its key. */
  name: string;
  /** Stops the idle timer and stops watching for the connection's end. */
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

  /** The most recently used idle session for which `accepts` is true, removed from the pool; or null. */
  acquire(key: PoolKey, accepts: (session: Session) => boolean = () => true): Session | null {
    const found = this.#idle.get(nameOf(key))?.findLast(({ session }) => session.usable && accepts(session));
    if (found === undefined) return null;
    this.#remove(found);
    return found.session;
  }

  /** Returns a session without an open transaction. One that cannot be used or kept is closed, with QUIT where possible. */
  release(session: Session): void {
    const { mx, ip: address, port, localAddress } = session;
    const name = nameOf({ mx, address, port, localAddress });
    if (this.#mayKeep(session, name)) this.#keep(session, name);
    else this.#quit(session);
  }

  /** Quits up to this number of idle sessions of a destination. */
  quitIdle(destination: string, count: number): void {
    const idle = [...this.#idle.values()].flat().filter(({ session }) => session.destination === destination);
    for (const surplus of idle.slice(0, count)) {
      this.#remove(surplus);
      this.#quit(surplus.session);
    }
  }

  /** Quits all idle sessions, and those released later; settles when the present ones are closed. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const idle of [...this.#idle.values()].flat()) {
      this.#remove(idle);
      this.#quit(idle.session);
    }
    await Promise.all(this.#quitting);
  }

  #mayKeep(session: Session, name: string): boolean {
    const full = this.#size >= this.#idleMax || (this.#idle.get(name)?.length ?? 0) >= this.#idlePerKeyMax;
    return session.usable && !this.#closed && !full && session.transactions < this.#transactionsMax;
  }

  #keep(session: Session, name: string): void {
    const idle: IdleSession = { session, name, release: () => {} };
    const cancelTimer = this.#clock.after(this.#idleMs, () => {
      this.#remove(idle);
      this.#quit(session);
    });
    session.connection.onEnd(() => this.#remove(idle));
    idle.release = () => {
      session.connection.onEnd(null);
      cancelTimer();
    };
    const alike = this.#idle.get(name);
    if (alike === undefined) this.#idle.set(name, [idle]);
    else alike.push(idle);
    this.#size += 1;
  }

  #remove(idle: IdleSession): void {
    idle.release();
    const alike = this.#idle.get(idle.name) ?? [];
    alike.splice(alike.lastIndexOf(idle), 1);
    if (alike.length === 0) this.#idle.delete(idle.name);
    this.#size -= 1;
  }

  #quit(session: Session): void {
    const quitting = session.quit().then(() => {
      this.#quitting.delete(quitting);
    });
    this.#quitting.add(quitting);
  }
}

function nameOf({ mx, address, port, localAddress = null }: PoolKey): string {
  const name = `${mx.toLowerCase()} ${address} ${port}`;
  return localAddress === null ? name : `${name} ${localAddress}`;
}
