/**
 * How many attempts each destination gets at once, and when none. A destination is the operator of mail hosts (route.ts): a
 * thousand recipient domains at one provider share one window. Windows grow on accepted mail and shrink on congestion, as TCP's
 * do; a destination that keeps refusing is closed and probed. load-signal.ts decides the load signal of an attempt. Times
 * are of the monotonic clock.
 */
import type { LoadSignal } from "./load-signal.ts";

/** The state that survives a restart. */
export interface DestinationState {
  name: string;
  window: number;
  /** Below this the window doubles each round, above it grows by one. */
  threshold: number;
  /** Of a closed destination: how long it has been closed, and how long the last pause was. */
  closed?: { forMs: number; gapMs: number };
}

/** A closed destination is probed by one attempt at a time, and by another one when a probe takes long. */
interface ClosedState {
  sinceMs: number;
  /** The pause after a refused probe; doubled each time. */
  gapMs: number;
  waitsFromMs: number;
  /** From `waitsFromMs` until the next probe; 0 when it may begin at once. */
  waitMs: number;
}

interface Destination {
  name: string;
  window: number;
  threshold: number;
  active: number;
  /** How many times the window was cut. */
  cuts: number;
  /** Consecutive attempts that were refused without anything being accepted. */
  refusals: number;
  closure: ClosedState | null;
  usedAtMs: number;
}

/** A slot in a destination's window; to be returned with `release`. */
export interface WindowSlot {
  name: string;
  /** The window's number of cuts when the attempt began. */
  cuts: number;
  isProbe: boolean;
}

/** A destination that accepts nothing at the moment. */
export interface Closed {
  sinceMs: number;
  /** When the next probe may begin. */
  probeAtMs: number;
  /** Whether the pauses have grown so long that mail should not wait for a probe. */
  isLong: boolean;
}

/** Postfix starts with the same window. Doubling each round, it reaches the maximum after five. */
const WINDOW_START = 5;
const WINDOW_MAX = 100;

/** An unused window returns halfway to its start in this time. */
const HALF_LIFE_MS = 5 * 60_000;

/** After this many consecutive refused attempts the destination is closed. */
const REFUSALS_UNTIL_CLOSED = 5;
const GAP_FIRST_MS = 1000;
const GAP_MAX_MS = 300_000;

/** A probe that takes longer, as at a slow host, no longer keeps another one from starting. */
const PROBE_LIMIT_MS = 60_000;

/** A closed destination without mail is forgotten after this time. */
const CLOSED_KEPT_MS = 3_600_000;

/**
 * Destinations kept; those whose window differs least from a new one's are dropped first. An LRU would drop the small windows of
 * destinations that are rarely used, which are the ones worth keeping.
 */
const DESTINATIONS_MAX = 10_000;

export class CongestionWindows {
  /** The window of a destination without known state. */
  readonly start: number;
  #destinations = new Map<string, Destination>();

  constructor(start = WINDOW_START) {
    this.start = start;
  }

  /** How many more attempts may begin. */
  capacity(name: string, nowMs: number): number {
    const destination = this.#known(name, nowMs);
    if (destination === undefined) return this.start;
    const { window, active, closure } = destination;
    if (closure !== null) return waitLeftMs(closure, nowMs) > 0 ? 0 : 1;
    return Math.max(0, Math.floor(window) - active);
  }

  /** Null while the destination is open. */
  closed(name: string, nowMs: number): Closed | null {
    const closure = this.#known(name, nowMs)?.closure ?? null;
    if (closure === null) return null;
    const { sinceMs, gapMs } = closure;
    return { sinceMs, probeAtMs: nowMs + waitLeftMs(closure, nowMs), isLong: gapMs === GAP_MAX_MS };
  }

  /** A slot, or null when the window is full or the destination is closed. */
  acquire(name: string, nowMs: number): WindowSlot | null {
    if (this.capacity(name, nowMs) === 0) return null;
    const destination = this.#of(name, nowMs);
    const { cuts, closure } = destination;
    destination.active += 1;
    if (closure !== null) Object.assign(closure, { waitsFromMs: nowMs, waitMs: PROBE_LIMIT_MS });
    return { name, cuts, isProbe: closure !== null };
  }

  release(slot: WindowSlot, signal: LoadSignal, nowMs: number): void {
    const destination = this.#of(slot.name, nowMs);
    destination.active -= 1;
    destination.usedAtMs = nowMs;
    this.#apply(destination, { slot, signal, nowMs });
    if (this.#destinations.size > DESTINATIONS_MAX) this.#evict();
  }

  #apply(
    destination: Destination,
    { slot, signal, nowMs }: { slot: WindowSlot; signal: LoadSignal; nowMs: number },
  ): void {
    switch (signal) {
      case "accepted":
        reopen(destination);
        grow(destination);
        break;
      case "strained":
        reopen(destination);
        shrink(destination, slot);
        break;
      case "refused":
        shrink(destination, slot);
        destination.refusals += 1;
        close(destination, slot, nowMs);
        break;
      case "sender_refused":
        // Refusals of one sender leave the others the window of a new destination.
        shrink(destination, slot, this.start);
        endProbeWait(destination, slot);
        break;
      case "unreachable":
        shrink(destination, slot);
        if (slot.isProbe) close(destination, slot, nowMs);
        break;
      case "neutral":
        endProbeWait(destination, slot);
    }
  }

  /** Destinations with attempts under way. */
  get activeCount(): number {
    return [...this.#destinations.values()].filter(({ active }) => active > 0).length;
  }

  /** Closed destinations. */
  closedCount(nowMs: number): number {
    return [...this.#destinations.keys()].filter((name) => this.closed(name, nowMs) !== null).length;
  }

  /** The states worth keeping across a restart. */
  states(nowMs: number): DestinationState[] {
    const states: DestinationState[] = [];
    for (const name of [...this.#destinations.keys()]) {
      const known = this.#known(name, nowMs);
      if (known === undefined) continue;
      const { window, threshold, closure } = known;
      const closed = closure === null ? {} : { closed: { forMs: nowMs - closure.sinceMs, gapMs: closure.gapMs } };
      states.push({ name, window, threshold, ...closed });
    }
    return states;
  }

  /** A destination that was closed is probed at once. */
  restore(states: DestinationState[], nowMs: number): void {
    for (const { name, window, threshold, closed } of states) {
      const closure = closed === undefined ? null : closureFrom(closed, nowMs);
      this.#destinations.set(name, { ...this.#fresh(name, nowMs), window, threshold, closure });
    }
  }

  #fresh(name: string, nowMs: number): Destination {
    const [window, threshold] = [this.start, WINDOW_MAX];
    return { name, window, threshold, active: 0, cuts: 0, refusals: 0, closure: null, usedAtMs: nowMs };
  }

  #of(name: string, nowMs: number): Destination {
    const known = this.#known(name, nowMs);
    if (known !== undefined) return known;
    const fresh = this.#fresh(name, nowMs);
    this.#destinations.set(name, fresh);
    return fresh;
  }

  /** A destination's state after the effect of its idle time; undefined when it is the same as a new one's. */
  #known(name: string, nowMs: number): Destination | undefined {
    const destination = this.#destinations.get(name);
    if (destination === undefined || destination.active > 0) return destination;
    if (!this.#isOutdated(destination, nowMs)) return destination;
    this.#destinations.delete(name);
    return undefined;
  }

  /** Applies the effect of idle time; returns whether no useful state is left. */
  #isOutdated(destination: Destination, nowMs: number): boolean {
    const idleMs = Math.max(0, nowMs - destination.usedAtMs);
    if (destination.closure !== null) return idleMs >= CLOSED_KEPT_MS;
    const halves = Math.floor(idleMs / HALF_LIFE_MS);
    if (halves === 0) return false;
    destination.usedAtMs += halves * HALF_LIFE_MS;
    destination.window = this.start + (destination.window - this.start) / 2 ** halves;
    return Math.abs(destination.window - this.start) < 0.5;
  }

  #evict(): void {
    const idle = [...this.#destinations.values()].filter(({ active }) => active === 0);
    idle.sort((a, b) => Math.abs(a.window - this.start) - Math.abs(b.window - this.start));
    for (const { name } of idle.slice(0, DESTINATIONS_MAX / 10)) this.#destinations.delete(name);
  }
}

function grow(destination: Destination): void {
  const step = destination.window < destination.threshold ? 1 : 1 / destination.window;
  destination.window = Math.min(WINDOW_MAX, destination.window + step);
}

/** An attempt that began before the last cut says nothing about the window after it. */
function shrink(destination: Destination, { cuts }: WindowSlot, least = 1): void {
  if (cuts !== destination.cuts || destination.window <= least) return;
  destination.cuts += 1;
  destination.window = Math.max(least, destination.window / 2);
  destination.threshold = destination.window;
}

function reopen(destination: Destination): void {
  destination.refusals = 0;
  destination.closure = null;
}

/** Closes the destination after too many refusals, and for longer after each probe that is refused. */
function close(destination: Destination, { isProbe }: WindowSlot, nowMs: number): void {
  const { closure, refusals } = destination;
  if (closure === null && refusals < REFUSALS_UNTIL_CLOSED) return;
  // Attempts that began together fail together: only a probe shows that the destination still refuses.
  if (closure !== null && !isProbe) return;
  const sinceMs = closure?.sinceMs ?? nowMs;
  const gapMs = closure === null ? GAP_FIRST_MS : Math.min(GAP_MAX_MS, 2 * closure.gapMs);
  destination.closure = { sinceMs, gapMs, waitsFromMs: nowMs, waitMs: gapMs };
}

/** Ends the wait after a probe whose mail was neither accepted nor refused for the load. */
function endProbeWait({ closure }: Destination, { isProbe }: WindowSlot): void {
  if (isProbe && closure !== null) closure.waitMs = 0;
}

/** The closure after a restart: the next probe may begin at once. */
function closureFrom({ forMs, gapMs }: { forMs: number; gapMs: number }, nowMs: number): ClosedState {
  return { sinceMs: nowMs - forMs, gapMs, waitsFromMs: nowMs, waitMs: 0 };
}

function waitLeftMs({ waitsFromMs, waitMs }: ClosedState, nowMs: number): number {
  return Math.max(0, waitsFromMs + waitMs - nowMs);
}
