/**
 * The memory of messages that arrive at a listener. A short one is read at once, within a budget. A longer one waits, unread, until
 * there is memory for all of it (lib/memory-queue.ts), so that it is not rejected after it has been sent. Holders (accounts, or
 * networks of clients) share each budget.
 */

import type { Clock } from "../lib/clock.ts";
import { MemoryQueue } from "../lib/memory-queue.ts";
import { SharedBudget } from "../lib/shared-budget.ts";
import { MIB } from "../lib/units.ts";
import { outOfMemory } from "./rejection.ts";

/** Octets of a message that counts as short. */
export const SHORT_OCTETS_MAX = 64 * 1024;

/** A message as it arrives, as it is stored, and its copy on the way to the spool. */
const COPIES = 3;
/** Of short messages, and of longer ones. */
const BUDGETS: MemoryBudgets = { shortBytes: 32 * MIB, longBytes: 64 * MIB };
/** Less than the ten minutes that a client waits for the reply to its content (RFC 5321 §4.5.3.2.6). */
const WAIT_MS = 120_000;
const WAITING = { ownerMax: 250, totalMax: 500 };
const HOLDER_SHARE = 0.5;

export interface MemoryBudgets {
  shortBytes: number;
  longBytes: number;
}

export class MessageMemory {
  readonly #short: SharedBudget;
  readonly #long: MemoryQueue;

  constructor(clock: Clock, { shortBytes, longBytes }: MemoryBudgets = BUDGETS) {
    this.#short = new SharedBudget({ max: shortBytes, share: HOLDER_SHARE });
    this.#long = new MemoryQueue({ bytes: longBytes, share: HOLDER_SHARE, waiting: WAITING, waitMs: WAIT_MS, clock });
  }

  /** For one message of a holder. `gone` aborts when its connection closes. */
  forMessage(holder: string, gone: AbortSignal): Reservation {
    return new Reservation(holder, { short: this.#short, long: this.#long, gone });
  }

  /** Rejects the messages that wait, because the service stops. */
  clear(): void {
    this.#long.clear();
  }
}

interface Budgets {
  short: SharedBudget;
  long: MemoryQueue;
  gone: AbortSignal;
}

export class Reservation {
  readonly #holder: string;
  readonly #budgets: Budgets;
  #shortBytes = 0;
  #longBytes = 0;

  constructor(holder: string, budgets: Budgets) {
    this.#holder = holder;
    this.#budgets = budgets;
  }

  /** Reserves the memory of a short message. Throws the reply if there is none. */
  takeShort(octets: number): void {
    const bytes = COPIES * octets;
    if (this.#budgets.short.reserve(this.#holder, bytes) !== "reserved") throw outOfMemory();
    this.#shortBytes += bytes;
  }

  /** Waits for the memory of a long message of at most this number of octets. Rejects with MemoryRefused. */
  async waitLong(octets: number): Promise<void> {
    this.#longBytes += await this.#budgets.long.wait(this.#holder, COPIES * octets, this.#budgets.gone);
  }

  /** Releases what is reserved, once. */
  release(): void {
    const { short, long } = this.#budgets;
    const [shortBytes, longBytes] = [this.#shortBytes, this.#longBytes];
    this.#shortBytes = 0;
    this.#longBytes = 0;
    if (shortBytes > 0) short.release(this.#holder, shortBytes);
    if (longBytes > 0) long.release(this.#holder, longBytes);
  }
}
