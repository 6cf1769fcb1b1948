/**
 * How many attempts each destination gets at once, as the destination throttle sees it: on a node that is alone
 * (congestion-window.ts), and beside others (shared-windows.ts). A destination is a receiver (route.ts): a thousand recipient domains at
 * one provider share one window. Times are of the monotonic clock.
 */
import type { ClosedDestination, Trouble } from "../../message/result/closed-destination.ts";
import type { LoadSignal } from "./load-signal.ts";
import type { WindowState } from "./window-state.ts";

/** A slot in a destination's window; to be returned with `release`. */
export interface WindowSlot {
  name: string;
  /** The window of one sending address (source-windows.ts); absent where the destination has one window. */
  window?: string;
  /** The window's number of cuts when the attempt began. */
  cuts: number;
  isProbe: boolean;
  beganMs: number;
}

export interface Windows {
  /** The window of a destination without known state. */
  readonly start: number;
  /** How many more attempts may begin. */
  capacity(name: string, nowMs: number): number;
  /** When there may be capacity without the end of an attempt, beside the probes of a closed destination; null for never. */
  retryAtMs(name: string, nowMs: number): number | null;
  /** Null while the destination is open. */
  closed(name: string, nowMs: number): ClosedDestination | null;
  /** Whether a person's request allows a probe of the closed destination before its time. */
  mayAsk(name: string, request: string, nowMs: number): boolean;
  /** A slot, or null when there is none free or the destination is closed. `request` is a person's for a probe; none if absent. */
  acquire(name: string, nowMs: number, request?: string | null): WindowSlot | null;
  /** After `acquire` has returned null: resolves with a slot that other nodes leave to this one soon, or with null. */
  waitFor(name: string, request?: string | null): Promise<WindowSlot | null>;
  /** `trouble` is what the attempt met, if it was refused. */
  release(slot: WindowSlot, signal: LoadSignal, nowMs: number, trouble?: Trouble | null): void;
  /** Whether a queue of the destination's mail may have mail of another destination; false if absent. */
  hasMixedQueues?(name: string): boolean;
  /** Open destinations at which other nodes have all slots. */
  elsewhere(nowMs: number): string[];
}

/** What a node knows of a destination, to be handed over between forms of the windows. */
export interface KnownWindow {
  name: string;
  state: WindowState;
  /** Attempts under way. */
  active: number;
}

/** How many connections a destination's hosts allow at one time, as far as that is known; null if it is not. */
export type ConnectionLimit = (name: string) => number | null;

export const noLimit: ConnectionLimit = () => null;
