/**
 * The windows of destinations whose mail leaves from several sending addresses: one window for each address, so that an address which a
 * receiver refuses is left out only there, and the pace at a receiver is that of each address. To the destination throttle they are one:
 * it is closed when all are, and has the capacity of all together. Without separate sending addresses, a destination has one window.
 *
 * Addresses are used in a fixed order for each receiver, the next one only where those before it are closed or full: receivers dislike a
 * message that is retried from ever new addresses.
 */
import { boundedMap } from "../../lib/bounded-map.ts";
import type { ClosedDestination, Trouble } from "../../message/result/closed-destination.ts";
import { withoutSource } from "../../receivers/names.ts";
import type { LoadSignal } from "./load-signal.ts";
import type { WarmUpQuota } from "./warm-up-quota.ts";
import type { WindowSlot, Windows } from "./windows.ts";

/** Destinations that were asked about, for what `elsewhere` returns. */
const DESTINATIONS_MAX = 10_000;

/**
 * Mail that was left to another node may have kept mail of another pool in the same queue from being claimed here: claims look again after
 * this time, when what was noted of the queue has ended (spool/engine/postgres/mail/domain-destinations.ts).
 */
const LEFT_AGAIN_MS = 1100;

export interface WindowNames {
  /** The names of a destination's windows on this node, the preferred one first; null for a destination with one window. */
  windowsOf: (destination: string) => readonly string[] | null;
  /** The names of those of other live nodes. */
  windowsElsewhere: (destination: string) => readonly string[];
  /** As Windows has it. */
  hasMixedQueues: (destination: string) => boolean;
  /** Whether a window is of no address, or of one that may be used. */
  isInUse: (window: string) => boolean;
}

/** Why mail for a destination is not tried: no live node has an address for it, or those that have one have sent all of today's messages. */
export type SourceObstacle = { type: "no_address" } | { type: "warm_up"; untilMs: number };

type WarmUp = Pick<
  WarmUpQuota,
  "left" | "begin" | "end" | "ready" | "isSpent" | "spent" | "accepted" | "isSpentElsewhere" | "nextDayMs"
>;

export interface SourceWindowsParts {
  windows: Windows;
  sources: WindowNames;
  warmUp: WarmUp;
  /** Reads the monotonic clock. */
  now: () => number;
}

export class SourceWindows implements Windows {
  readonly start: number;
  readonly #windows: Windows;
  readonly #sources: WindowNames;
  readonly #warmUp: WarmUp;
  readonly #now: () => number;
  /** Destinations by the names of their windows. */
  readonly #destinations = boundedMap<string>(DESTINATIONS_MAX);
  /** Destinations whose windows here were all closed when they were last asked about. */
  readonly #closed = boundedMap<number>(DESTINATIONS_MAX);
  /** Destinations without a window on this node. */
  readonly #windowless = boundedMap<number>(DESTINATIONS_MAX);

  constructor({ windows, sources, warmUp, now }: SourceWindowsParts) {
    this.#windows = windows;
    this.#sources = sources;
    this.#warmUp = warmUp;
    this.#now = now;
    this.start = windows.start;
  }

  /** Null where mail for the destination may be tried, by this node or another. */
  obstacle(destination: string): SourceObstacle | null {
    const names = this.#sources.windowsOf(destination);
    if (names === null || !names.every((name) => this.#warmUp.isSpent(name))) return null;
    const others = this.#sources.windowsElsewhere(destination);
    if (names.length === 0 && others.length === 0) return { type: "no_address" };
    // They decide about mail that leaves only from addresses of other nodes.
    if (names.length === 0 || !others.every((name) => this.#warmUp.isSpentElsewhere(name))) return null;
    return { type: "warm_up", untilMs: this.#warmUp.nextDayMs };
  }

  capacity(destination: string, nowMs: number): number {
    const names = this.#names(destination);
    if (names === null) return this.#windows.capacity(destination, nowMs);
    const capacity = names.reduce((sum, name) => sum + this.#capacity(name, nowMs), 0);
    // Claims return mail that cannot be tried, so that it is deferred with its reason, and expires.
    return capacity === 0 && this.obstacle(destination) !== null ? this.start : capacity;
  }

  retryAtMs(destination: string, nowMs: number): number | null {
    const names = this.#names(destination);
    if (names === null) return this.#windows.retryAtMs(destination, nowMs);
    if (names.length === 0) return nowMs + LEFT_AGAIN_MS;
    const moments = names.map((name) => this.#windows.retryAtMs(name, nowMs)).filter((ms) => ms !== null);
    return moments.length === 0 ? null : Math.min(...moments);
  }

  /** Where all addresses are refused, the one that is probed first. */
  closed(destination: string, nowMs: number): ClosedDestination | null {
    const names = this.#names(destination);
    if (names === null) return this.#windows.closed(destination, nowMs);
    const closed = names.filter((name) => !this.#warmUp.isSpent(name)).map((name) => this.#windows.closed(name, nowMs));
    if (closed.length === 0 || closed.includes(null)) return null;
    const [first = null] = closed.filter((each) => each !== null).sort((a, b) => a.probeAtMs - b.probeAtMs);
    this.#closed.set(destination, 1);
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
      const slot = this.#warmUp.left(name) === 0 ? null : this.#windows.acquire(name, nowMs, request);
      if (slot !== null) return this.#begun(destination, slot);
    }
    return null;
  }

  async waitFor(destination: string, request: string | null = null): Promise<WindowSlot | null> {
    const names = this.#names(destination);
    if (names === null) return this.#windows.waitFor(destination, request);
    if (names.some((name) => this.#warmUp.left(name) === 0)) {
      await Promise.all(names.map((name) => this.#warmUp.ready(name)));
      const slot = this.acquire(destination, this.#now(), request);
      if (slot !== null) return slot;
    }
    const nowMs = this.#now();
    // Beside other nodes, one that has room may have no slot of this node yet.
    const wanted =
      names.find((name) => this.#capacity(name, nowMs) > 0) ?? names.find((name) => this.#warmUp.left(name) > 0);
    const slot = wanted === undefined ? null : await this.#windows.waitFor(wanted, request);
    if (slot === null || this.#warmUp.left(slot.name) > 0) return slot && this.#begun(destination, slot);
    this.#windows.release(slot, "neutral", this.#now());
    return null;
  }

  release(slot: WindowSlot, signal: LoadSignal, nowMs: number, trouble: Trouble | null = null): void {
    const { window: name = slot.name, ...rest } = slot;
    this.#windows.release({ ...rest, name }, signal, nowMs, trouble);
    this.#warmUp.end(name);
  }

  /** The attempt that a slot was acquired for has recipients beyond its first one; to be ended by `ended`. */
  began(window: string, further: number): void {
    this.#warmUp.begin(window, further);
  }

  /** The attempt was accepted for recipients, by these hosts; null for one that is not known. */
  ended(window: string, { further, hosts }: { further: number; hosts: readonly (string | null)[] }): void {
    this.#warmUp.accepted(window, hosts);
    this.#warmUp.end(window, further);
  }

  hasMixedQueues(destination: string): boolean {
    return this.#sources.hasMixedQueues(destination);
  }

  elsewhere(nowMs: number): string[] {
    const names = new Set(this.#windows.elsewhere(nowMs));
    const found = [...names].filter((name) => withoutSource(name) === name);
    const destinations = new Set([...this.#windowless.keys(), ...this.#closed.keys()]);
    for (const name of [...names, ...this.#warmUp.spent()]) {
      const destination = this.#destinations.peek(name);
      if (destination !== undefined) destinations.add(destination);
    }
    for (const destination of destinations) {
      const windows = this.#sources.windowsOf(destination);
      if (this.closed(destination, nowMs) === null) this.#closed.delete(destination);
      // A window here is probed when that is due, whatever others have.
      const isWaiting = (name: string): boolean =>
        this.#windows.closed(name, nowMs) !== null &&
        this.#windows.capacity(name, nowMs) === 0 &&
        this.#sources.windowsElsewhere(destination).length > 0;
      const isElsewhere = (name: string): boolean => names.has(name) || this.#warmUp.isSpent(name) || isWaiting(name);
      if (windows?.every(isElsewhere) !== true) continue;
      // Mail that no node can send is deferred by whoever claims it.
      if (this.obstacle(destination) === null) found.push(destination);
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
      this.#windows.closed(name, nowMs) !== null && this.#capacity(name, nowMs) > 0;
    return [...names.filter(isDue), ...names.filter((name) => !isDue(name))];
  }

  #names(destination: string): readonly string[] | null {
    const names = this.#sources.windowsOf(destination);
    if (names === null) return null;
    for (const name of names) this.#destinations.set(name, destination);
    if (names.length === 0) this.#windowless.set(destination, 1);
    else if (this.#windowless.size > 0) this.#windowless.delete(destination);
    return names;
  }

  #capacity(name: string, nowMs: number): number {
    return Math.min(this.#windows.capacity(name, nowMs), this.#warmUp.left(name));
  }

  #begun(destination: string, slot: WindowSlot): WindowSlot {
    this.#warmUp.begin(slot.name);
    return { ...slot, name: destination, window: slot.name };
  }
}
