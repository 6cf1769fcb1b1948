/**
 * The state of one destination's congestion window, and how the results of attempts change it. Windows grow on accepted mail and
 * shrink on congestion, as TCP's do; a destination that keeps refusing is closed and probed. It does no I/O and reads no clock:
 * the times of one state are of one clock, of whichever the caller has. load-signal.ts decides the load signal of an attempt.
 */
import { HOUR_MS, MINUTE_MS } from "../../lib/units.ts";
import {
  blockOf,
  type ClosedDestination,
  type Trouble,
  type TroubleCause,
} from "../../message/result/closed-destination.ts";
import type { LoadSignal } from "./load-signal.ts";

/** A closed destination is probed by one attempt at a time, and by another one when a probe takes long. */
interface Closure {
  sinceMs: number;
  /** The pause after a refused probe; doubled each time. */
  gapMs: number;
  waitsFromMs: number;
  /** From `waitsFromMs` until the next probe; 0 when it may begin at once. */
  waitMs: number;
  /** The probe under way; absent while there is none. */
  probe?: "scheduled" | "asked";
  /** The last probe that a person asked for, and when it began. Absent before the first one. */
  asked?: { request: string; atMs: number };
  /** The wait that such a probe interrupts, which goes on after it. Absent while there is none. */
  interrupted?: Wait;
}

/** From `waitsFromMs` for `waitMs`. */
type Wait = Pick<Closure, "waitsFromMs" | "waitMs">;

/** What refused attempts met. */
export interface Troubles {
  /** Each one once, in the order of their first appearance. */
  causes: TroubleCause[];
  last: Trouble & { atMs: number };
}

/** Stored, where nodes share it. Optional fields are missing in states of earlier versions. */
export interface WindowState {
  window: number;
  /** Below this the window doubles each round, above it grows by one. */
  threshold: number;
  /** How many times the window was cut. */
  cuts: number;
  /** Consecutive attempts that were refused without anything being accepted. */
  refusals: number;
  closure: Closure | null;
  usedAtMs: number;
  /** How long recent attempts lasted, a moving average; absent before the first one. */
  attemptMs?: number;
  /** What refused attempts met since the last accepted message; absent before the first one. */
  troubles?: Troubles;
}

/** The result of an attempt, for the window that it began in. */
export interface WindowResult {
  /** The window's number of cuts when the attempt began. */
  cuts: number;
  isProbe: boolean;
  signal: LoadSignal;
  /** How long the attempt held its slot. */
  tookMs: number;
  /** What the attempt met, if it was refused; null if that is not known. */
  trouble: Trouble | null;
}

/** The window of a destination without known state. Postfix starts with the same one. */
export const WINDOW_START = 5;

/** Doubling each round, a new window reaches it after five. */
const WINDOW_MAX = 100;

/**
 * How many slots times how long an attempt lasts: a destination whose replies are slow has a small window, however often it
 * accepts, because its attempts hold connections and memory. 3 s for the scan of a content leave the window as it is, half a
 * minute leaves 10 slots, and five minutes leave one.
 */
const SLOT_MS_MAX = 300_000;

/** The weight of the last attempt in the moving average of how long they last. */
const ATTEMPT_WEIGHT = 1 / 8;

/** An unused window returns halfway to its start in this time. */
const HALF_LIFE_MS = 5 * MINUTE_MS;

/** After this many consecutive refused attempts the destination is closed. */
const REFUSALS_UNTIL_CLOSED = 5;
const GAP_FIRST_MS = 1000;
const GAP_MAX_MS = 300_000;
/** The same where the destination refuses this server's address: each probe there is one more refused message. */
const BLOCKED_GAP_MAX_MS = HOUR_MS;

/** A probe that takes longer, as at a slow host, no longer keeps another one from starting. */
const PROBE_LIMIT_MS = 60_000;

/**
 * Between two probes that persons ask for. They come beside those of the schedule, and anybody who sends can ask for them, so that they
 * must not become a load.
 */
const ASKED_GAP_MS = 10_000;

/** A closed destination without mail is forgotten after this time, or this long after a longer pause. */
export const CLOSED_KEPT_MS = HOUR_MS;

const keptMs = ({ waitMs }: Closure): number => CLOSED_KEPT_MS + Math.max(0, waitMs - GAP_MAX_MS);

/** The state of a destination of which nothing is known. */
export function newWindow(start: number, nowMs: number): WindowState {
  return { window: start, threshold: WINDOW_MAX, cuts: 0, refusals: 0, closure: null, usedAtMs: nowMs };
}

/** How many attempts may be under way, of which `active` are: with a closed destination, one more when a probe is due. */
export function slotsOf(
  { window, closure, attemptMs = 0 }: WindowState,
  { active, nowMs }: { active: number; nowMs: number },
): number {
  if (closure === null) return Math.floor(Math.min(window, Math.max(1, SLOT_MS_MAX / attemptMs)));
  return waitLeftMs(closure, nowMs) > 0 ? active : active + 1;
}

/** Null while the destination is open. */
export function closedOf({ closure, troubles }: WindowState, nowMs: number): ClosedDestination | null {
  if (closure === null) return null;
  const { sinceMs } = closure;
  return {
    sinceMs,
    probeAtMs: nowMs + waitLeftMs(closure, nowMs),
    isProbing: isProbing(closure, nowMs),
    causes: [...(troubles?.causes ?? [])],
    last: troubles?.last ?? null,
  };
}

/** Notes that a probe of a closed destination begins. `request` is a person's that it serves; null for none. */
export function beginProbe(state: WindowState, nowMs: number, request: string | null = null): void {
  const { closure } = state;
  if (closure === null) return;
  const { waitsFromMs, waitMs } = closure;
  closure.probe = request === null ? "scheduled" : "asked";
  delete closure.interrupted;
  if (request !== null) {
    closure.asked = { request, atMs: nowMs };
    closure.interrupted = { waitsFromMs, waitMs };
  }
  Object.assign(closure, { waitsFromMs: nowMs, waitMs: PROBE_LIMIT_MS });
}

/**
 * Whether a person's request allows a probe before its time: one for each request, not beside another one, and some time after the
 * last that was asked for.
 */
export function mayAsk({ closure }: WindowState, request: string, nowMs: number): boolean {
  if (closure === null || isProbing(closure, nowMs)) return false;
  const { asked } = closure;
  return asked === undefined || (asked.request !== request && nowMs >= asked.atMs + ASKED_GAP_MS);
}

/** Applies the result of an attempt. */
export function applyResult(
  state: WindowState,
  result: WindowResult,
  { start, nowMs }: { start: number; nowMs: number },
): void {
  state.usedAtMs = nowMs;
  noteDuration(state, result);
  switch (result.signal) {
    case "accepted":
      reopen(state);
      grow(state);
      break;
    case "strained":
      reopen(state);
      shrink(state, result);
      break;
    case "refused":
      shrink(state, result);
      state.refusals += 1;
      noteTrouble(state, result, nowMs);
      close(state, result, nowMs);
      break;
    case "sender_refused":
      // Refusals of one sender leave the others the window of a new destination.
      shrink(state, result, start);
      endProbeWait(state, result);
      break;
    case "unreachable":
      shrink(state, result);
      if (!result.isProbe) break;
      noteTrouble(state, result, nowMs);
      close(state, result, nowMs);
      break;
    case "neutral":
      endProbeWait(state, result);
  }
}

/** Applies the effect of idle time; returns whether the state is the same as a new one's, so that it can be dropped. */
export function applyIdleTime(state: WindowState, { start, nowMs }: { start: number; nowMs: number }): boolean {
  const idleMs = Math.max(0, nowMs - state.usedAtMs);
  if (state.closure !== null) return idleMs >= keptMs(state.closure);
  const halves = Math.floor(idleMs / HALF_LIFE_MS);
  if (halves === 0) return false;
  state.usedAtMs += halves * HALF_LIFE_MS;
  state.window = start + (state.window - start) / 2 ** halves;
  return Math.abs(state.window - start) < 0.5;
}

/** The state with times that are `shiftMs` later: those of another clock. */
export function shifted(state: WindowState, shiftMs: number): WindowState {
  const { closure, usedAtMs, troubles } = state;
  const moved = closure && {
    ...closure,
    sinceMs: closure.sinceMs + shiftMs,
    waitsFromMs: closure.waitsFromMs + shiftMs,
    ...(closure.asked && { asked: { ...closure.asked, atMs: closure.asked.atMs + shiftMs } }),
    ...(closure.interrupted && {
      interrupted: { ...closure.interrupted, waitsFromMs: closure.interrupted.waitsFromMs + shiftMs },
    }),
  };
  const met = troubles && { ...troubles, last: { ...troubles.last, atMs: troubles.last.atMs + shiftMs } };
  return { ...state, closure: moved, usedAtMs: usedAtMs + shiftMs, ...(met && { troubles: met }) };
}

/** A connection that is refused at once shows nothing of how long a host takes. */
function noteDuration(state: WindowState, { signal, tookMs }: WindowResult): void {
  if (signal === "unreachable") return;
  const { attemptMs = tookMs } = state;
  state.attemptMs = Math.round(attemptMs + (tookMs - attemptMs) * ATTEMPT_WEIGHT);
}

function grow(state: WindowState): void {
  const step = state.window < state.threshold ? 1 : 1 / state.window;
  state.window = Math.min(WINDOW_MAX, state.window + step);
}

/** An attempt that began before the last cut says nothing about the window after it. */
function shrink(state: WindowState, { cuts }: WindowResult, least = 1): void {
  if (cuts !== state.cuts || state.window <= least) return;
  state.cuts += 1;
  state.window = Math.max(least, state.window / 2);
  state.threshold = state.window;
}

function reopen(state: WindowState): void {
  state.refusals = 0;
  state.closure = null;
  delete state.troubles;
}

function noteTrouble(state: WindowState, { trouble }: WindowResult, nowMs: number): void {
  if (trouble === null) return;
  const causes = new Set(state.troubles?.causes).add(trouble.cause);
  state.troubles = { causes: [...causes], last: { ...trouble, atMs: nowMs } };
}

/** Closes the destination after too many refusals, or one that asks for a pause, and for longer after each probe that is refused. */
function close(state: WindowState, { isProbe, trouble }: WindowResult, nowMs: number): void {
  const { closure, refusals } = state;
  const pause = trouble?.pause ?? { ms: 0, atOnce: false };
  if (closure === null && refusals < REFUSALS_UNTIL_CLOSED && !pause.atOnce) return;
  // Attempts that began together fail together: only a probe shows that the destination still refuses.
  if (closure !== null && (!isProbe || resumeWait(closure))) return;
  const sinceMs = closure?.sinceMs ?? nowMs;
  const gapMs = Math.max(pause.ms, gapAfter(closure, trouble));
  const asked = closure?.asked;
  state.closure = { sinceMs, gapMs, waitsFromMs: nowMs, waitMs: gapMs, ...(asked && { asked }) };
}

/** The pause after a refusal that does not ask for one. */
function gapAfter(closure: Closure | null, trouble: Trouble | null): number {
  const mostMs = blockOf({ last: trouble }) === null ? GAP_MAX_MS : BLOCKED_GAP_MAX_MS;
  return closure === null ? GAP_FIRST_MS : Math.min(mostMs, 2 * closure.gapMs);
}

/** Ends the wait after a probe whose mail was neither accepted nor refused for the load. */
function endProbeWait({ closure }: WindowState, { isProbe }: WindowResult): void {
  if (!isProbe || closure === null || resumeWait(closure)) return;
  closure.waitMs = 0;
  delete closure.probe;
}

/**
 * Ends a probe that a person asked for, if that is the one under way: the schedule goes on as if there had been none. Somebody who
 * asks often, with a message that is always refused, must neither delay the probes of others' mail nor bring them forward.
 */
function resumeWait(closure: Closure): boolean {
  if (closure.interrupted === undefined) return false;
  Object.assign(closure, closure.interrupted);
  delete closure.interrupted;
  delete closure.probe;
  return true;
}

/** A probe that takes longer than its limit is not waited for. */
const isProbing = (closure: Closure, nowMs: number): boolean =>
  closure.probe !== undefined && waitLeftMs(closure, nowMs) > 0;

/** A wait is never longer than it was set: a clock that was set back does not prolong it. */
function waitLeftMs({ waitsFromMs, waitMs }: Closure, nowMs: number): number {
  return Math.min(waitMs, Math.max(0, waitsFromMs + waitMs - nowMs));
}
