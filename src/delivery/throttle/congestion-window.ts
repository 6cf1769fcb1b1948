/**
 * The congestion windows of a node that is alone: they are in its memory. window-state.ts decides what the results of attempts do
 * to a window, shared-windows.ts what nodes share that deliver side by side.
 */
import type { ClosedDestination, Trouble } from "../../message/result/closed-destination.ts";
import type { LoadSignal } from "./load-signal.ts";
import {
  applyIdleTime,
  applyResult,
  beginProbe,
  closedOf,
  mayAsk,
  newWindow,
  slotsOf,
  type Troubles,
  WINDOW_START,
  type WindowState,
} from "./window-state.ts";
import { type ConnectionLimit, type KnownWindow, noLimit, type WindowSlot, type Windows } from "./windows.ts";

/** The state that survives a restart. */
export interface DestinationState {
  name: string;
  window: number;
  threshold: number;
  /** Of a closed destination: how long it has been closed, how long the last pause was, and what it did, `lastForMs` ago. */
  closed?: { forMs: number; gapMs: number; troubles?: Troubles; lastForMs?: number };
}

interface Destination {
  state: WindowState;
  active: number;
}

/**
 * Destinations kept; those whose window differs least from a new one's are dropped first. An LRU would drop the small windows of
 * destinations that are rarely used, which are the ones worth keeping.
 */
const DESTINATIONS_MAX = 10_000;

export class CongestionWindows implements Windows {
  readonly start: number;
  readonly #limitOf: ConnectionLimit;
  #destinations = new Map<string, Destination>();

  constructor(start = WINDOW_START, limitOf = noLimit) {
    this.start = start;
    this.#limitOf = limitOf;
  }

  capacity(name: string, nowMs: number): number {
    const limit = this.#limitOf(name) ?? Number.POSITIVE_INFINITY;
    const destination = this.#known(name, nowMs);
    if (destination === undefined) return Math.min(this.start, limit);
    const { state, active } = destination;
    return Math.max(0, Math.min(slotsOf(state, { active, nowMs }), limit) - active);
  }

  retryAtMs(): null {
    return null;
  }

  closed(name: string, nowMs: number): ClosedDestination | null {
    const destination = this.#known(name, nowMs);
    return destination === undefined ? null : closedOf(destination.state, nowMs);
  }

  mayAsk(name: string, request: string, nowMs: number): boolean {
    const destination = this.#known(name, nowMs);
    if (destination === undefined || destination.active >= (this.#limitOf(name) ?? Number.POSITIVE_INFINITY))
      return false;
    return mayAsk(destination.state, request, nowMs);
  }

  acquire(name: string, nowMs: number, request: string | null = null): WindowSlot | null {
    const isAsked = request !== null && this.mayAsk(name, request, nowMs);
    if (!isAsked && this.capacity(name, nowMs) === 0) return null;
    const destination = this.#of(name, nowMs);
    const { cuts, closure } = destination.state;
    destination.active += 1;
    beginProbe(destination.state, nowMs, isAsked ? request : null);
    return { name, cuts, isProbe: closure !== null, beganMs: nowMs };
  }

  /** A slot becomes free only by the end of an attempt. */
  waitFor(): Promise<null> {
    return Promise.resolve(null);
  }

  release(
    { name, cuts, isProbe, beganMs }: WindowSlot,
    signal: LoadSignal,
    nowMs: number,
    trouble: Trouble | null = null,
  ): void {
    const destination = this.#of(name, nowMs);
    destination.active -= 1;
    const result = { cuts, isProbe, signal, trouble, tookMs: nowMs - beganMs };
    applyResult(destination.state, result, { start: this.start, nowMs });
    if (this.#destinations.size > DESTINATIONS_MAX) this.#evict();
  }

  elsewhere(): string[] {
    return [];
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
    return this.known(nowMs).map(({ name, state: { window, threshold, closure, troubles } }) => {
      if (closure === null) return { name, window, threshold };
      const met = troubles && { troubles, lastForMs: nowMs - troubles.last.atMs };
      return { name, window, threshold, closed: { forMs: nowMs - closure.sinceMs, gapMs: closure.gapMs, ...met } };
    });
  }

  /** A destination that was closed is probed at once. */
  restore(states: DestinationState[], nowMs: number): void {
    for (const { name, window, threshold, closed } of states) {
      const closure =
        closed === undefined
          ? null
          : { sinceMs: nowMs - closed.forMs, gapMs: closed.gapMs, waitsFromMs: nowMs, waitMs: 0 };
      const state = { ...newWindow(this.start, nowMs), window, threshold, closure, ...troublesOf(closed, nowMs) };
      this.#destinations.set(name, { state, active: 0 });
    }
  }

  /** All destinations with state. */
  known(nowMs: number): KnownWindow[] {
    const known: KnownWindow[] = [];
    for (const name of [...this.#destinations.keys()]) {
      const destination = this.#known(name, nowMs);
      if (destination !== undefined) known.push({ name, ...destination });
    }
    return known;
  }

  /** Replaces all destinations. */
  adopt(known: readonly KnownWindow[]): void {
    this.#destinations = new Map(known.map(({ name, state, active }) => [name, { state, active }]));
  }

  #of(name: string, nowMs: number): Destination {
    const known = this.#known(name, nowMs);
    if (known !== undefined) return known;
    const fresh = { state: newWindow(this.start, nowMs), active: 0 };
    this.#destinations.set(name, fresh);
    return fresh;
  }

  /** A destination's state after the effect of its idle time; undefined when it is the same as a new one's. */
  #known(name: string, nowMs: number): Destination | undefined {
    const destination = this.#destinations.get(name);
    if (destination === undefined || destination.active > 0) return destination;
    if (!applyIdleTime(destination.state, { start: this.start, nowMs })) return destination;
    this.#destinations.delete(name);
    return undefined;
  }

  #evict(): void {
    const difference = ({ state }: Destination): number => Math.abs(state.window - this.start);
    const idle = [...this.#destinations].filter(([, { active }]) => active === 0);
    idle.sort(([, a], [, b]) => difference(a) - difference(b));
    for (const [name] of idle.slice(0, DESTINATIONS_MAX / 10)) this.#destinations.delete(name);
  }
}

function troublesOf(closed: DestinationState["closed"], nowMs: number): { troubles?: Troubles } {
  if (closed?.troubles === undefined) return {};
  const { causes, last } = closed.troubles;
  return { troubles: { causes, last: { ...last, atMs: nowMs - (closed.lastForMs ?? 0) } } };
}
