/**
 * Numbers for messages: the column seq. A number begins with the time of acceptance, so the messages of a day are a range of
 * numbers. The lowest bits are the slot of the node that gives it, so that no two nodes give one number.
 */

import { randomInt } from "node:crypto";
import { DAY_MS } from "../../../../lib/units.ts";

/** Numbers of one millisecond. 2^53 suffices until the year 2248. */
const NUMBERS_PER_MS = 1024;

/** The most nodes that share a database at one time. Each holds a slot from 0. */
export const SLOTS = 64;

const PER_SLOT = NUMBERS_PER_MS / SLOTS;

/** The first number of a moment in milliseconds since the epoch. */
export const firstNumberAt = (timeMs: number): number => Math.trunc(timeMs) * NUMBERS_PER_MS;

/** The moment of acceptance that a number was given for, or shortly after it. */
export const timeOfNumber = (seq: number): number => Math.floor(seq / NUMBERS_PER_MS);

/** The UTC day of a number, in days since the epoch. */
export const dayOfNumber = (seq: number): number => Math.floor(timeOfNumber(seq) / DAY_MS);

/** The first number of a UTC day. */
export const firstNumberOfDay = (day: number): number => firstNumberAt(day * DAY_MS);

/** Two processes that skip seldom meet again. */
const SKIPPED_MS_MAX = 10_000;

/** A clock that was set back by more than this begins anew. Its numbers may be in use: see `skip`. */
const SET_BACK_MS = 60_000;

/** A number greater than those of all messages that were accepted before this moment: a node's may be ahead of the time. */
export const numberAfter = (timeMs: number): number => firstNumberAt(timeMs + SET_BACK_MS);

/** Gives numbers. A node that gives more than PER_SLOT in a millisecond runs ahead of the time. */
export class MessageNumbers {
  readonly #slot: number;
  #last = -1;

  constructor(slot: number) {
    this.#slot = slot;
  }

  /** Returns a number for a message; see `skip` if it is in use. */
  next(createdAtMs: number): number {
    const first = Math.trunc(createdAtMs) * PER_SLOT;
    this.#last = first < this.#last - SET_BACK_MS * PER_SLOT ? first : Math.max(this.#last + 1, first);
    return this.#last * SLOTS + this.#slot;
  }

  /** After a number turned out to be in use: continues some seconds later, not where another process in the same case does. */
  skip(): void {
    this.#last += randomInt(1, SKIPPED_MS_MAX) * PER_SLOT;
  }
}
