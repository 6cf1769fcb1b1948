/**
 * The windows of destinations whose mail leaves from several sending addresses: one window for each address, so that an address which a
 * receiver refuses is left out there alone, and the pace at a receiver is that of each address. To the destination throttle they are one:
 * it is closed when all are, and has the capacity of all together. Without sending addresses of its own, a destination has one window.
 *
 * Addresses are used in a fixed order for each receiver, the next one only where those before it are closed or full: receivers dislike a
 * message that is retried from ever new addresses.
 */
import { boundedMap } from "../../lib/bounded-map.ts";
import type { ClosedDestination, Trouble } from "../../message/result/closed-destination.ts";
import { withoutSource } from "../../receivers/names.ts";
import type { LoadSignal } from "./load-signal.ts";
import type { WindowSlot, Windows } from "./windows.ts";

/** Destinations that were asked about, for what `elsewhere` returns. */
const DESTINATIONS_MAX = 10_000;

export interface WindowNames {
  /** The names of a destination's windows on this node, the preferred one first; null for a destination with one window. */
  windowsOf: (destination: string) => readonly string[] | null;
  /** Whether no live node has an address for the destination. */
  isMissing: (destination: string) => boolean;
  /** As Windows has it. */
  hasMixedQueues: (destination: string) => boolean;
  /** Whether a window is of no address, or of one that may be used. */
  isInUse: (window: string) => boolean;
}

export class SourceWindows implements Windows {
  readonly start: number;
  readonly #windows: Windows;
  readonly #sources: WindowNames;
  readonly #now: () => number;
  /** Destinations with windows by address. */
  readonly #known = boundedMap<number>(DESTINATIONS_MAX);

  /** `now` reads the monotonic clock. */
  constructor(windows: Windows, sources: WindowNames, now: () => number) {
    this.#windows = windows;
    this.#sources = sources;
    this.#now = now;
    this.start = windows.start;
  }

  capacity(destination: string, nowMs: number): number {
    const names = this.#names(destination);
    if (names === null) return this.#windows.capacity(destination, nowMs);
    // Claims return such mail, so that it is deferred with its reason, and expires.
    if (names.length === 0 && this.#sources.isMissing(destination)) return this.start;
    return names.reduce((sum, name) => sum + this.#windows.capacity(name, nowMs), 0);
  }

  retryAtMs(destination: string, nowMs: number): number | null {
    const names = this.#names(destination);
    if (names === null) return this.#windows.retryAtMs(destination, nowMs);
    const moments = names.map((name) => this.#windows.retryAtMs(name, nowMs)).filter((ms) => ms !== null);
    return moments.length === 0 ? null : Math.min(...moments);
  }

  /** Where all addresses are refused, the one that is probed first. */
  closed(destination: string, nowMs: number): ClosedDestination | null {
    const names = this.#names(destination);
    if (names === null) return this.#windows.closed(destination, nowMs);
    const closed = names.map((name) => this.#windows.closed(name, nowMs));
    if (closed.length === 0 || closed.includes(null)) return null;
    const [first = null] = closed.filter((each) => each !== null).sort((a, b) => a.probeAtMs - b.probeAtMs);
    return first;
  }

  mayAsk(destination: string, request: string, nowMs: number): boolean {
    const names = this.#names(destination);
    if (names === null) return this.#windows.mayAsk(destination, request, nowMs);
    return names.some((name) => this.#windows.mayAsk(name, request, nowMs));
  }

  acquire(destination: string, nowMs: number, request: string | null = null): WindowSlot | null {
    const names = this.#names(destination);
    if (names === null) return this.#windows.acquire(destination, nowMs, request);
    for (const name of this.#inTurn(names, nowMs)) {
      const slot = this.#windows.acquire(name, nowMs, request);
      if (slot !== null) return { ...slot, name: destination, window: slot.name };
    }
    return null;
  }

  async waitFor(destination: string, request: string | null = null): Promise<WindowSlot | null> {
    const names = this.#names(destination);
    if (names === null) return this.#windows.waitFor(destination, request);
    const nowMs = this.#now();
    // Beside other nodes, one that has room may have no slot of this node yet.
    const wanted = names.find((name) => this.#windows.capacity(name, nowMs) > 0) ?? names[0];
    const slot = wanted === undefined ? null : await this.#windows.waitFor(wanted, request);
    return slot && { ...slot, name: destination, window: slot.name };
  }

  release(slot: WindowSlot, signal: LoadSignal, nowMs: number, trouble: Trouble | null = null): void {
    const { window: name = slot.name, ...rest } = slot;
    this.#windows.release({ ...rest, name }, signal, nowMs, trouble);
  }

  hasMixedQueues(destination: string): boolean {
    return this.#sources.hasMixedQueues(destination);
  }

  elsewhere(nowMs: number): string[] {
    const names = new Set(this.#windows.elsewhere(nowMs));
    const found = [...names].filter((name) => withoutSource(name) === name);
    for (const [destination] of this.#known.entries()) {
      const windows = this.#sources.windowsOf(destination);
      // Mail that no node can send is deferred by whoever claims it.
      if (windows?.every((name) => names.has(name)) && !this.#sources.isMissing(destination)) found.push(destination);
    }
    return found;
  }

  /** The windows of these destinations. */
  windowsOf(destinations: Iterable<string>): Set<string> {
    return new Set([...destinations].flatMap((name) => this.#sources.windowsOf(name) ?? [name]));
  }

  /** Whether mail may leave through a window: not if its address was removed or paused since. */
  isInUse(window: string): boolean {
    return this.#sources.isInUse(window);
  }

  /** A closed window whose probe is due comes first: otherwise it would be probed only where the others have no room. */
  #inTurn(names: readonly string[], nowMs: number): string[] {
    const isDue = (name: string): boolean =>
      this.#windows.closed(name, nowMs) !== null && this.#windows.capacity(name, nowMs) > 0;
    return [...names.filter(isDue), ...names.filter((name) => !isDue(name))];
  }

  #names(destination: string): readonly string[] | null {
    const names = this.#sources.windowsOf(destination);
    if (names !== null) this.#known.set(destination, 1);
    return names;
  }
}
