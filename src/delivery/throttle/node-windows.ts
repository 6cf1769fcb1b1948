/**
 * The windows of a node, alone or beside others. Decides nothing but which of the two forms is in use, and hands over what is known
 * and under way when that changes.
 */
import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../lib/log.ts";
import { blockOf, type ClosedDestination, type Trouble } from "../../message/result/closed-destination.ts";
import type { DestinationSlots } from "../../spool/port/destination-slots.ts";
import { logClosing } from "./closing-log.ts";
import { CongestionWindows, type DestinationState } from "./congestion-window.ts";
import type { LoadSignal } from "./load-signal.ts";
import { type ConnectionsInUse, SharedWindows } from "./shared-windows.ts";
import { type Troubles, WINDOW_START } from "./window-state.ts";
import type { ConnectionLimit, KnownWindow, WindowSlot, Windows } from "./windows.ts";

export interface NodeWindowsParts {
  slots: DestinationSlots;
  connections: ConnectionsInUse;
  limitOf: ConnectionLimit;
  clock: Clock;
  log: Logger;
  /** A destination has closed after refusals of this server's address or name. */
  onBlocked?: (destination: string) => void;
}

const isBlock = (troubles: Troubles | undefined): boolean =>
  troubles !== undefined && blockOf({ last: troubles.last }) !== null;

export class NodeWindows implements Windows {
  readonly start = WINDOW_START;
  readonly #parts: NodeWindowsParts;
  #current: CongestionWindows | SharedWindows;
  #onCapacity: () => void = () => {};

  constructor(parts: NodeWindowsParts) {
    this.#parts = parts;
    this.#current = this.#alone([]);
    parts.slots.onSharing(() => this.#follow());
    this.#follow();
  }

  /** Sets the listener for the end of waits for other nodes: attempts may begin that could not before. */
  onCapacity(listener: () => void): void {
    this.#onCapacity = listener;
  }

  /** Attempts may begin that could not before, for another reason. */
  changed(): void {
    this.#onCapacity();
  }

  capacity(name: string, nowMs: number): number {
    return this.#current.capacity(name, nowMs);
  }

  retryAtMs(name: string, nowMs: number): number | null {
    return this.#current.retryAtMs(name, nowMs);
  }

  closed(name: string, nowMs: number): ClosedDestination | null {
    return this.#current.closed(name, nowMs);
  }

  mayAsk(name: string, request: string, nowMs: number): boolean {
    return this.#current.mayAsk(name, request, nowMs);
  }

  acquire(name: string, nowMs: number, request: string | null = null): WindowSlot | null {
    return this.#current.acquire(name, nowMs, request);
  }

  waitFor(name: string, request: string | null = null): Promise<WindowSlot | null> {
    return this.#current.waitFor(name, request);
  }

  release(slot: WindowSlot, signal: LoadSignal, nowMs: number, trouble: Trouble | null = null): void {
    const { name } = slot;
    const before = this.#current.closed(name, nowMs);
    this.#current.release(slot, signal, nowMs, trouble);
    // Beside others, an exchange closes it.
    if (this.#current instanceof CongestionWindows)
      logClosing(this.#parts, name, { before, after: this.#current.closed(name, nowMs) });
  }

  elsewhere(nowMs: number): string[] {
    return this.#current.elsewhere(nowMs);
  }

  /** The most connections that this node may have to the destination's hosts; null if no limit of theirs is known. */
  connectionsMax(name: string): number | null {
    const limit = this.#parts.limitOf(name);
    if (limit === null || this.#current instanceof CongestionWindows) return limit;
    return this.#current.most(name);
  }

  /** The limit of a destination's connections; null for none. */
  limitOf(name: string): number | null {
    return this.#parts.limitOf(name);
  }

  /** What is known of these destinations, and of all that are closed. Those that are as new are left out. */
  look(names: ReadonlySet<string>): KnownWindow[] {
    return this.#known().filter(({ name, state }) => names.has(name) || state.closure !== null);
  }

  /** Destinations with attempts under way. */
  get activeCount(): number {
    return this.#known().filter(({ active }) => active > 0).length;
  }

  /** Closed destinations. */
  get closedCount(): number {
    return this.#known().filter(({ state }) => state.closure !== null).length;
  }

  /** Those of them that have last refused this server's address or name. */
  get blocked(): string[] {
    return this.#known().flatMap(({ name, state }) =>
      state.closure !== null && isBlock(state.troubles) ? [name] : [],
    );
  }

  /** The states worth keeping across a restart. */
  states(nowMs: number): DestinationState[] {
    return this.#alone(this.#known()).states(nowMs);
  }

  /** To be called before the first attempt. */
  restore(states: DestinationState[], nowMs: number): void {
    const restored = this.#alone([]);
    restored.restore(states, nowMs);
    this.#replace(restored);
    this.#follow();
  }

  /** Ends the waits for slots. */
  stop(): void {
    if (this.#current instanceof SharedWindows) this.#current.stop();
  }

  #follow(): void {
    const { areShared } = this.#parts.slots;
    if (areShared === this.#current instanceof SharedWindows) return;
    const known = this.#known();
    this.#replace(areShared ? this.#shared(known) : this.#alone(known));
    this.#onCapacity();
  }

  #replace(next: CongestionWindows | SharedWindows): void {
    this.stop();
    this.#current = next;
  }

  #known(): KnownWindow[] {
    return this.#current.known(this.#parts.clock.monotonicMs());
  }

  #alone(known: readonly KnownWindow[]): CongestionWindows {
    const windows = new CongestionWindows(this.start, this.#parts.limitOf);
    windows.adopt(known);
    return windows;
  }

  #shared(known: readonly KnownWindow[]): SharedWindows {
    const onCapacity = (): void => this.#onCapacity();
    return new SharedWindows({ ...this.#parts, start: this.start, onCapacity }, known);
  }
}
