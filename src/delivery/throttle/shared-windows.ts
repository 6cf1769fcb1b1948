/**
 * The windows of a node beside others: each destination's window is shared, and a node begins an attempt only with a slot that it
 * holds. Slots are asked for and given up in exchanges, each for all destinations that need one. slot-holding.ts decides what the
 * node asks for, slot-exchange.ts what it gets.
 */
import { type BoundedMap, boundedMap } from "../../lib/bounded-map.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../lib/log.ts";
import type { ClosedDestination, Trouble } from "../../message/result/closed-destination.ts";
import type { DestinationSlots } from "../../spool/port/destination-slots.ts";
import { SpoolUnavailable } from "../../spool/port/errors.ts";
import { logClosing } from "./closing-log.ts";
import type { LoadSignal } from "./load-signal.ts";
import { exchangeSlots, type SlotReply, type SlotRequest } from "./slot-exchange.ts";
import { SlotHolding } from "./slot-holding.ts";
import { shifted, type WindowState } from "./window-state.ts";
import type { ConnectionLimit, KnownWindow, WindowSlot, Windows } from "./windows.ts";

/** How often a search runs for destinations that need an exchange. */
const TICK_MS = 100;

/** Between two exchanges, so that one serves all attempts that begin to wait meanwhile. */
const GAP_MS = 10;

/** After an exchange that failed. */
const RETRY_MS = 1000;

/** The longest wait for a slot. A job that waits longer is left to the nodes that have slots. */
const WAIT_MAX_MS = 1000;

/** Destinations of one exchange, whose states are locked meanwhile. */
const EXCHANGED_MAX = 200;

/** Windows remembered of destinations that this node does not use at the moment. */
const REMEMBERED_MAX = 10_000;

/** The open connections of this node. */
export interface ConnectionsInUse {
  count(destination: string): number;
  /** Closes up to this number of idle ones. */
  quitIdle(destination: string, count: number): void;
}

export interface SharedWindowsParts {
  slots: DestinationSlots;
  connections: ConnectionsInUse;
  limitOf: ConnectionLimit;
  start: number;
  clock: Clock;
  log: Logger;
  /** Attempts may begin that could not before. */
  onCapacity: () => void;
}

export class SharedWindows implements Windows {
  readonly start: number;
  readonly #parts: SharedWindowsParts;
  readonly #holdings = new Map<string, SlotHolding>();
  readonly #remembered: BoundedMap<WindowState> = boundedMap(REMEMBERED_MAX);
  #self: string;
  /** The node has to register what it uses, even if that is nothing. */
  #isRegistered = false;
  #isStopped = false;
  #cancelTimer: () => void = () => {};
  #dueMs = Number.POSITIVE_INFINITY;
  #isExchanging = false;
  #hasFailed = false;

  /** Takes over what the node knows and has under way, and registers it. */
  constructor(parts: SharedWindowsParts, known: readonly KnownWindow[]) {
    this.#parts = parts;
    this.start = parts.start;
    this.#self = parts.slots.self;
    const nowMs = parts.clock.monotonicMs();
    for (const { name, state, active } of known) {
      this.#remembered.set(name, state);
      if (active > 0) this.#of(name, nowMs).adopt({ state, active }, nowMs);
    }
    this.#exchangeIn(0);
  }

  capacity(name: string, nowMs: number): number {
    return this.#holdings.get(name)?.capacity(nowMs) ?? this.#startOf(name);
  }

  retryAtMs(name: string, nowMs: number): number | null {
    return this.#holdings.get(name)?.retryAtMs(nowMs) ?? null;
  }

  closed(name: string, nowMs: number): ClosedDestination | null {
    return this.#holdings.get(name)?.closed(nowMs) ?? null;
  }

  mayAsk(name: string, request: string, nowMs: number): boolean {
    return this.#holdings.get(name)?.mayAsk(request, nowMs) ?? false;
  }

  /** Also a probe that is asked for needs an exchange first: `waitFor` begins it. */
  acquire(name: string, nowMs: number): WindowSlot | null {
    if (this.#isStopped || !this.#mayUse()) return null;
    return this.#of(name, nowMs).begin(nowMs);
  }

  waitFor(name: string, request: string | null = null): Promise<WindowSlot | null> {
    if (this.#isStopped) return Promise.resolve(null);
    const { clock } = this.#parts;
    return new Promise((resolve) => {
      const nowMs = clock.monotonicMs();
      const holding = this.#of(name, nowMs);
      const waiter = (slot: WindowSlot | null): void => {
        cancel();
        resolve(slot);
      };
      const cancel = clock.after(WAIT_MAX_MS, () => holding.giveUpWait(waiter, clock.monotonicMs()));
      holding.wait(waiter, nowMs, request);
      this.#exchangeIn(0);
    });
  }

  release(
    { name, cuts, isProbe, beganMs }: WindowSlot,
    signal: LoadSignal,
    nowMs: number,
    trouble: Trouble | null = null,
  ): void {
    this.#of(name, nowMs).end({ cuts, isProbe, signal, trouble, tookMs: nowMs - beganMs }, nowMs);
  }

  elsewhere(nowMs: number): string[] {
    return [...this.#holdings.values()].filter((each) => each.isElsewhere(nowMs)).map(({ name }) => name);
  }

  /** The most attempts that may be under way at the destination now. */
  most(name: string): number {
    return this.#holdings.get(name)?.most ?? 0;
  }

  known(): KnownWindow[] {
    for (const { name, window } of this.#holdings.values()) if (window !== null) this.#remembered.set(name, window);
    return [...this.#remembered.entries()].map(([name, state]) => {
      return { name, state: shifted(state, 0), active: this.#holdings.get(name)?.active ?? 0 };
    });
  }

  /** Ends all waits and exchanges. Slots in use stay registered until the node ends. */
  stop(): void {
    this.#isStopped = true;
    this.#cancelTimer();
    const nowMs = this.#parts.clock.monotonicMs();
    for (const holding of this.#holdings.values()) holding.giveUpWaits(nowMs);
  }

  #of(name: string, nowMs: number): SlotHolding {
    const known = this.#holdings.get(name);
    if (known !== undefined) return known;
    const holding = new SlotHolding(name, { start: this.#startOf(name), nowMs });
    this.#holdings.set(name, holding);
    return holding;
  }

  #startOf(name: string): number {
    return Math.min(this.start, this.#parts.limitOf(name) ?? this.start);
  }

  /** Whether the node may use what it holds. */
  #mayUse(): boolean {
    const { slots } = this.#parts;
    if (slots.self !== this.#self) {
      this.#self = slots.self;
      this.#isRegistered = false;
      for (const holding of this.#holdings.values()) holding.unregister();
    }
    return slots.isCurrent();
  }

  #exchangeIn(delayMs: number): void {
    const { clock } = this.#parts;
    const dueMs = clock.monotonicMs() + delayMs;
    if (this.#isStopped || this.#isExchanging || dueMs >= this.#dueMs) return;
    this.#cancelTimer();
    this.#dueMs = dueMs;
    this.#cancelTimer = clock.after(delayMs, () => void this.#run());
  }

  async #run(): Promise<void> {
    this.#isExchanging = true;
    this.#dueMs = Number.POSITIVE_INFINITY;
    const isDone = await this.#exchange();
    this.#isExchanging = false;
    if (!isDone) this.#exchangeIn(RETRY_MS);
    else if (this.#isAnyDue()) this.#exchangeIn(GAP_MS);
    else if (this.#holdings.size > 0) this.#exchangeIn(TICK_MS);
  }

  #isAnyDue(): boolean {
    const nowMs = this.#parts.clock.monotonicMs();
    return [...this.#holdings.values()].some((each) => each.isDue(this.#connectionsTo(each), nowMs));
  }

  /** Returns whether it has succeeded. */
  async #exchange(): Promise<boolean> {
    const { clock, log } = this.#parts;
    this.#mayUse();
    const due = this.#trimAll(clock.monotonicMs());
    if (due.length === 0 && this.#isRegistered) return true;
    try {
      await this.#exchangeAll(due);
      if (this.#hasFailed) log.info("slots of destinations are exchanged again");
      this.#hasFailed = false;
      return true;
    } catch (error) {
      if (!(error instanceof SpoolUnavailable)) throw error;
      if (!this.#hasFailed) log.warn({ error: error.message }, "slots of destinations not exchanged");
      this.#hasFailed = true;
      return false;
    }
  }

  /** Gives up what is not needed, and returns the holdings that need an exchange. */
  #trimAll(nowMs: number): SlotHolding[] {
    const { connections, slots } = this.#parts;
    const due: SlotHolding[] = [];
    for (const holding of this.#holdings.values()) {
      const { name } = holding;
      const trimmed = holding.trim(this.#connectionsTo(holding), nowMs);
      // Others may use the slots soon.
      const surplus = slots.isCurrent() ? trimmed : this.#connectionsTo(holding);
      if (surplus > 0) connections.quitIdle(name, surplus);
      const open = this.#connectionsTo(holding);
      if (holding.isForgettable(open, nowMs)) this.#forget(holding);
      else if (holding.isDue(open, nowMs)) due.push(holding);
    }
    // What is still to be registered must not wait.
    return this.#isRegistered ? due.slice(0, EXCHANGED_MAX) : due;
  }

  async #exchangeAll(due: readonly SlotHolding[]): Promise<void> {
    const { slots, clock, onCapacity } = this.#parts;
    const nowMs = clock.monotonicMs();
    const requests = new Map(due.map((each) => [each.name, each.request(this.#connectionsTo(each), nowMs)] as const));
    const replies = new Map<string, SlotReply>();
    await slots.exchange([...requests.keys()], (shared) => {
      const { name } = shared;
      const toStore = shared.nowMs - nowMs;
      const request = this.#requestOf(name, requests.get(name), toStore);
      const { state, reply } = exchangeSlots(shared, request, { start: this.start, limit: this.#parts.limitOf(name) });
      replies.set(name, { ...reply, window: shifted(reply.window, -toStore) });
      return state;
    });
    this.#isRegistered = true;
    const doneMs = clock.monotonicMs();
    for (const holding of due) {
      const [request, reply] = [requests.get(holding.name), replies.get(holding.name)];
      if (request !== undefined && reply !== undefined) {
        const before = holding.closed(doneMs);
        holding.settle(request, reply, doneMs);
        logClosing(this.#parts, holding.name, { before, after: holding.closed(doneMs) });
      }
      this.#remembered.delete(holding.name);
    }
    if (!this.#isStopped) onCapacity();
  }

  #requestOf(name: string, request: Omit<SlotRequest, "known"> | undefined, toStore: number): SlotRequest {
    if (request === undefined)
      throw new Error(`the exchange has returned a destination that was not asked for: ${name}`);
    const remembered = this.#remembered.peek(name);
    return { ...request, known: remembered === undefined ? null : shifted(remembered, toStore) };
  }

  #forget(holding: SlotHolding): void {
    const { name, window } = holding;
    if (window !== null) this.#remembered.set(name, window);
    this.#holdings.delete(name);
  }

  #connectionsTo({ name }: SlotHolding): number {
    return this.#parts.connections.count(name);
  }
}
