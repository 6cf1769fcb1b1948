/**
 * What a node beside others has at one destination: its slots, its attempts, those that wait for a slot, and what it has learnt since
 * its last exchange. Decides when it exchanges, which slots it asks for, and which it gives up. slot-exchange.ts decides which
 * it gets. Times are of the monotonic clock.
 */
import type { ClosedDestination } from "../../message/result/closed-destination.ts";
import type { LoadSignal } from "./load-signal.ts";
import { RecentPeak } from "./recent-peak.ts";
import type { SlotReply, SlotRequest } from "./slot-exchange.ts";
import { CLOSED_KEPT_MS, closedOf, mayAsk, slotsOf, type WindowResult, type WindowState } from "./window-state.ts";
import type { WindowSlot } from "./windows.ts";

/** Resolves a wait for a slot; null if there is none soon. */
export type Waiter = (slot: WindowSlot | null) => void;

/** While all slots are in use, a node asks for more of them this often. */
const GROW_EVERY_MS = 250;

/** Results of attempts are passed on after this time, refusals at once. */
const RESULTS_WAIT_MS = 500;

/** What is held is exchanged this often, to find out whether other nodes wait for it. */
const LOOK_EVERY_MS = 1000;

/**
 * A closed destination is exchanged this often: another node may have opened it, or its probe may have ended, while mail waits here.
 * Not for long after the last mail.
 */
const LOOK_CLOSED_EVERY_MS = 2000;
const LOOK_CLOSED_FOR_MS = 600_000;

/** How long mail is left to the nodes that have all slots, before another job asks for one. */
const ELSEWHERE_MS = 1000;

/** A destination without mail is forgotten after this time. */
const KEPT_MS = 10_000;

const ACCEPTED: ReadonlySet<LoadSignal> = new Set(["accepted", "neutral"]);

export class SlotHolding {
  readonly name: string;
  readonly #start: number;
  readonly #need: RecentPeak;
  #window: WindowState | null = null;
  #active = 0;
  /** Attempts that may be under way. */
  #held = 0;
  /** Slots of this node in the shared state. */
  #registered = 0;
  #waiters: Waiter[] = [];
  #results: WindowResult[] = [];
  #othersWait = false;
  /** An attempt has begun to wait since the last exchange. */
  #asks = false;
  /** A person's request for a probe, which the attempts that wait would serve; null for none. */
  #request: string | null = null;
  #elsewhereUntilMs = Number.NEGATIVE_INFINITY;
  #exchangedMs = Number.NEGATIVE_INFINITY;
  #usedMs: number;

  constructor(name: string, { start, nowMs }: { start: number; nowMs: number }) {
    this.name = name;
    this.#start = start;
    this.#need = new RecentPeak(nowMs);
    this.#usedMs = nowMs;
  }

  /** The window as of the last exchange; null before the first one. */
  get window(): WindowState | null {
    return this.#window;
  }

  /** Attempts under way. */
  get active(): number {
    return this.#active;
  }

  /** The most attempts that may be under way; those beyond it end without another one in their place. */
  get most(): number {
    return Math.max(this.#held, this.#active);
  }

  /** Takes over attempts that began while the node was alone. */
  adopt({ state, active }: { state: WindowState; active: number }, nowMs: number): void {
    this.#window = state;
    this.#active = active;
    this.#held = active;
    this.#need.set(active, nowMs);
  }

  /** The node is another one to the others, and has nothing registered. */
  unregister(): void {
    this.#registered = 0;
    this.#held = 0;
  }

  capacity(nowMs: number): number {
    const waiting = this.#waiters.length;
    if (this.#window !== null && this.#window.closure !== null) {
      const due = slotsOf(this.#window, { active: 0, nowMs });
      return Math.max(0, Math.max(due, this.#held - this.#active) - waiting);
    }
    if (this.isElsewhere(nowMs)) return 0;
    if (this.most > 0) return Math.max(0, this.#held - this.#active - waiting);
    // Without a slot, mail has to ask for one.
    const isContested = this.#othersWait || this.#elsewhereUntilMs > 0;
    return Math.max(0, (isContested ? 1 : this.#start) - waiting);
  }

  closed(nowMs: number): ClosedDestination | null {
    return this.#window === null ? null : closedOf(this.#window, nowMs);
  }

  mayAsk(request: string, nowMs: number): boolean {
    return this.#window !== null && mayAsk(this.#window, request, nowMs);
  }

  /** Whether other nodes have all slots, so that the mail is left to them. */
  isElsewhere(nowMs: number): boolean {
    return nowMs < this.#elsewhereUntilMs;
  }

  /** When mail may ask for a slot again; null unless it is left to other nodes. */
  retryAtMs(nowMs: number): number | null {
    return this.isElsewhere(nowMs) ? this.#elsewhereUntilMs : null;
  }

  /** Null if all slots are in use, or others wait for one. */
  begin(nowMs: number): WindowSlot | null {
    return this.#waiters.length > 0 ? null : this.#begin(nowMs);
  }

  end(result: WindowResult, nowMs: number): void {
    this.#change(nowMs, () => {
      this.#active -= 1;
    });
    this.#results.push(result);
  }

  wait(waiter: Waiter, nowMs: number, request: string | null = null): void {
    this.#request = request ?? this.#request;
    this.#change(nowMs, () => {
      this.#waiters.push(waiter);
    });
    this.#asks = true;
  }

  /** Ends a wait without a slot, if it has not ended. */
  giveUpWait(waiter: Waiter, nowMs: number): void {
    if (!this.#waiters.includes(waiter)) return;
    this.#change(nowMs, () => {
      this.#waiters = this.#waiters.filter((each) => each !== waiter);
    });
    if (this.most === 0 && this.#window?.closure === null) this.#elsewhereUntilMs = nowMs + ELSEWHERE_MS;
    waiter(null);
  }

  /** Ends all waits. */
  giveUpWaits(nowMs: number): void {
    for (const waiter of [...this.#waiters]) this.giveUpWait(waiter, nowMs);
  }

  /**
   * Gives up slots that were not needed lately, or that are more than this node's share. `connections` are open ones, idle ones
   * included. Returns how many idle ones are to be closed for it.
   */
  trim(connections: number, nowMs: number): number {
    const need = this.#need.at(nowMs);
    // An idle connection is worth its slot as long as no other node waits for it.
    this.#held = Math.min(this.#held, this.#othersWait ? need : Math.max(need, connections));
    return this.#othersWait ? Math.max(0, connections - this.most) : 0;
  }

  isDue(connections: number, nowMs: number): boolean {
    const elapsedMs = nowMs - this.#exchangedMs;
    if (this.#asks || this.#keep(connections) !== this.#registered) return true;
    if (this.#results.some(({ signal }) => !ACCEPTED.has(signal))) return true;
    if (this.#results.length > 0 && elapsedMs >= RESULTS_WAIT_MS) return true;
    if ((this.#isFull || this.#waiters.length > 0) && elapsedMs >= GROW_EVERY_MS) return true;
    if (this.#registered > 0) return elapsedMs >= LOOK_EVERY_MS;
    const isClosed = (this.#window?.closure ?? null) !== null;
    return isClosed && elapsedMs >= LOOK_CLOSED_EVERY_MS && nowMs - this.#usedMs < LOOK_CLOSED_FOR_MS;
  }

  request(connections: number, nowMs: number): Omit<SlotRequest, "known"> {
    this.#asks = false;
    const need = this.#need.at(nowMs);
    const isWaiting = this.#waiters.length > 0;
    const wanted = this.#isFull ? 2 * need : need;
    const asked = this.#request;
    this.#request = null;
    return { keep: this.#keep(connections), wanted, isWaiting, request: asked, results: [...this.#results] };
  }

  /** Takes in what the exchange of the request has returned. `window` is the reply's, with times of the monotonic clock. */
  settle(request: Pick<SlotRequest, "results">, { window, ...reply }: SlotReply, nowMs: number): void {
    const { slots, share, othersWait, isProbe } = reply;
    this.#results.splice(0, request.results.length);
    this.#exchangedMs = nowMs;
    this.#window = window;
    this.#registered = slots;
    this.#othersWait = othersWait;
    if (window.closure !== null) this.#held = isProbe ? this.#active + 1 : 0;
    else this.#held = othersWait ? Math.min(slots, share) : slots;
    if (this.#held > 0) this.#elsewhereUntilMs = Number.NEGATIVE_INFINITY;
    this.#serveWaiters(nowMs);
    const mayWait = window.closure === null ? Math.max(0, share - this.#active) : 0;
    for (const waiter of this.#waiters.slice(mayWait)) this.giveUpWait(waiter, nowMs);
  }

  /** Whether nothing of it is of use any more. */
  isForgettable(connections: number, nowMs: number): boolean {
    const isUsed = this.most + this.#registered + connections + this.#waiters.length + this.#results.length > 0;
    const keptMs = (this.#window?.closure ?? null) === null ? KEPT_MS : CLOSED_KEPT_MS;
    return !isUsed && nowMs - this.#usedMs >= keptMs;
  }

  get #isFull(): boolean {
    return this.#active > 0 && this.#active >= this.#held && (this.#window?.closure ?? null) === null;
  }

  #keep(connections: number): number {
    return Math.max(this.most, connections);
  }

  #begin(nowMs: number): WindowSlot | null {
    if (this.#active >= this.#held) return null;
    const { name } = this;
    const isProbe = (this.#window?.closure ?? null) !== null;
    this.#change(nowMs, () => {
      this.#active += 1;
    });
    // Another probe needs another exchange.
    if (isProbe) this.#held = 0;
    return { name, cuts: this.#window?.cuts ?? 0, isProbe, beganMs: nowMs };
  }

  #serveWaiters(nowMs: number): void {
    while (this.#waiters.length > 0) {
      const slot = this.#begin(nowMs);
      if (slot === null) return;
      this.#change(nowMs, () => this.#waiters.shift()?.(slot));
    }
  }

  #change(nowMs: number, change: () => void): void {
    change();
    this.#usedMs = nowMs;
    this.#need.set(this.#active + this.#waiters.length, nowMs);
  }
}
