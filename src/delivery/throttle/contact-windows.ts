/**
 * How many first contacts each account may begin at once: attempts at destinations that are not known to answer promptly. Hosts
 * that hang by the hundred must not take all places within a second, and ordinary new hosts, which answer, must not be slowed
 * down. So the number grows with each contact that is answered soon, and is halved by those that are not, as a congestion window.
 * It also follows what is left of the pool: the fewer places, the slower they are used, so that some are left when the first
 * hosts have been given up.
 */
import { boundedMap } from "../../lib/bounded-map.ts";

const WINDOW_START = 16;
const WINDOW_MAX = 128;

/** A window of an account is at least one for so many places that are left to it, and at most one for so many. */
const PLACES_FOR_ONE_MIN = 250;
const PLACES_FOR_ONE_MAX = 4;

/** How long a contact counts for the window, and at most, where few places are left. After that, it only holds a place. */
const COUNTS_MS = 250;
const COUNTS_MAX_MS = 10_000;

/** Accounts remembered. */
const ACCOUNTS_MAX = 1000;

/** How many attempts at fresh domains an account begins at once, at most; one for so many places that are left to it. */
const FRESH_AT_ONCE = 16;
const PLACES_FOR_ONE_FRESH = 16;

/** How long one of them counts. */
export const FRESH_COUNTS_MS = 250;

/** As `ContactWindows.size`, for fresh domains: these must not be slowed down by those that hang. */
export const freshSize = (places: number): number => Math.min(FRESH_AT_ONCE, Math.ceil(places / PLACES_FOR_ONE_FRESH));

interface ContactWindow {
  size: number;
  cutMs: number;
}

export class ContactWindows {
  readonly #windows = boundedMap<ContactWindow>(ACCOUNTS_MAX);

  /** The most contacts at once, with so many places left to the account; null for an account of which nothing is known. */
  size(accountId: string | null, places: number): number {
    const known = accountId === null ? undefined : this.#windows.peek(accountId);
    const least = Math.ceil(places / PLACES_FOR_ONE_MIN);
    return Math.min(Math.max(known?.size ?? WINDOW_START, least), Math.ceil(places / PLACES_FOR_ONE_MAX));
  }

  /** How long a contact counts that begins with so many places left: places are used the more slowly, the fewer they are. */
  countsMs(places: number): number {
    return Math.min(COUNTS_MAX_MS, COUNTS_MS * Math.max(1, PLACES_FOR_ONE_MIN / places));
  }

  /** A contact was answered soon. */
  grow(accountId: string): void {
    const { size, cutMs } = this.#of(accountId);
    this.#windows.set(accountId, { size: Math.min(WINDOW_MAX, size + 1), cutMs });
  }

  /** A contact that began at this moment is not answered soon. What began before the last cut says nothing about the window after it. */
  shrink(accountId: string, { beganMs, nowMs }: { beganMs: number; nowMs: number }): void {
    const { size, cutMs } = this.#of(accountId);
    if (beganMs >= cutMs) this.#windows.set(accountId, { size: Math.max(1, Math.floor(size / 2)), cutMs: nowMs });
  }

  #of(accountId: string): ContactWindow {
    return this.#windows.peek(accountId) ?? { size: WINDOW_START, cutMs: Number.NEGATIVE_INFINITY };
  }
}
