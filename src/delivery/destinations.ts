/**
 * How much a destination gets at once. A destination is a mail host, however many recipient domains it serves: a
 * thousand domains at one provider share one window. Windows grow on success and shrink on congestion, as TCP's do.
 */

import type { Outcome, Try } from "../message/outcome.ts";

export interface DestinationState {
  name: string;
  window: number;
  /** Below this the window doubles each round, above it grows by one. */
  threshold: number;
}

interface Destination extends DestinationState {
  busy: number;
  /** By the monotonic clock, as all times here. */
  shrunkAtMs: number;
}

/** A place in a destination's window; give it back with `leave`. */
export interface Slot {
  name: string;
  enteredAtMs: number;
}

/** `congested`: 421, a 4xx before MAIL, a timeout, no connection. `quiet`: it says nothing of the destination's load. */
export type Signal = "success" | "congested" | "quiet";

const WINDOW_START = 10;
const WINDOW_MAX = 100;

/** Idle destinations remembered; those whose window differs least from a new one's are forgotten first. */
const DESTINATIONS_MAX = 10_000;

export class Destinations {
  /** What a destination of which nothing is known may get. */
  readonly start: number;
  #destinations = new Map<string, Destination>();

  constructor(start = WINDOW_START) {
    this.start = start;
  }

  /** How many more may enter. */
  room(name: string): number {
    const destination = this.#destinations.get(name);
    if (destination === undefined) return this.start;
    return Math.max(0, Math.floor(destination.window) - destination.busy);
  }

  isIdle(name: string): boolean {
    return (this.#destinations.get(name)?.busy ?? 0) === 0;
  }

  /** A slot, or null when the window is full. */
  enter(name: string, nowMs: number): Slot | null {
    if (this.room(name) === 0) return null;
    this.#of(name).busy += 1;
    return { name, enteredAtMs: nowMs };
  }

  leave({ name, enteredAtMs }: Slot, signal: Signal, nowMs: number): void {
    const destination = this.#of(name);
    destination.busy -= 1;
    if (signal === "success") grow(destination);
    // What began before the last cut says nothing about the window after it.
    if (signal === "congested" && enteredAtMs >= destination.shrunkAtMs) shrink(destination, nowMs);
    if (this.#destinations.size > DESTINATIONS_MAX) this.#forget();
  }

  /** How many have attempts under way. */
  get busy(): number {
    return [...this.#destinations.values()].filter(({ busy }) => busy > 0).length;
  }

  /** What is worth keeping across a restart. */
  states(): DestinationState[] {
    return [...this.#destinations.values()].map(({ name, window, threshold }) => ({ name, window, threshold }));
  }

  restore(states: DestinationState[]): void {
    for (const state of states) this.#destinations.set(state.name, { ...state, busy: 0, shrunkAtMs: 0 });
  }

  #of(name: string): Destination {
    const known = this.#destinations.get(name);
    if (known !== undefined) return known;
    const fresh = { name, window: this.start, threshold: WINDOW_MAX, busy: 0, shrunkAtMs: 0 };
    this.#destinations.set(name, fresh);
    return fresh;
  }

  #forget(): void {
    const idle = [...this.#destinations.values()].filter(({ busy }) => busy === 0);
    idle.sort((a, b) => Math.abs(a.window - this.start) - Math.abs(b.window - this.start));
    for (const { name } of idle.slice(0, DESTINATIONS_MAX / 10)) this.#destinations.delete(name);
  }
}

function grow(destination: Destination): void {
  const step = destination.window < destination.threshold ? 1 : 1 / destination.window;
  destination.window = Math.min(WINDOW_MAX, destination.window + step);
}

function shrink(destination: Destination, nowMs: number): void {
  destination.window = Math.max(1, destination.window / 2);
  destination.threshold = destination.window;
  destination.shrunkAtMs = nowMs + 1;
}

/**
 * What an attempt's tries say of the destination's load; one that never left our own side says nothing. An address that
 * takes no connection counts only when no other answered: behind a dead first host, or a family of addresses that leads
 * nowhere, the others are not to be kept at one mail at a time.
 */
export function signalOf(outcomes: Outcome[]): Signal {
  const isAnswered = outcomes.some(({ tries }) => tries.some((t) => t.reply !== null));
  const isCongested = (t: Try): boolean => isCongestion(t) && !(isAnswered && t.stage === "connect");
  if (outcomes.some(({ tries }) => tries.some(isCongested))) return "congested";
  return isAnswered ? "success" : "quiet";
}

/** A peer that hangs up, falls silent or turns the whole session away; refusals of one mail are not its load. */
function isCongestion({ stage, reply, error, ip }: Try): boolean {
  if (reply !== null) return reply.code === 421 || (reply.code < 500 && OPENING.has(stage) && reply.code >= 400);
  return error !== null && ip !== null && stage !== "dns" && stage !== "starttls";
}

const OPENING: ReadonlySet<Try["stage"]> = new Set(["greeting", "ehlo"]);
