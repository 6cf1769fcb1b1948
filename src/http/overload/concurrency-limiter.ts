/**
 * How many requests of a kind may be under way at once, and how much memory they may hold: in all, so that a flood or a crowd
 * of slow clients cannot take the process down, and for one account, however many keys it has, so that it cannot take the
 * room from the others.
 */
import type { Context } from "koa";
import { SharedBudget } from "../../lib/shared-budget.ts";
import { engineUnavailable, Problem } from "../response/problems.ts";

export interface Room {
  requests: number;
  /** For bodies, and for the messages built of them until they are stored. */
  bytes: number;
}

/** For short sends. Far above what a busy service has under way: one takes milliseconds. */
export const SENDS: Room = { requests: 2000, bytes: 32 * 1024 * 1024 };

/** For long sends, and those of unknown length: however many of them stall, short ones go on. */
export const LONG_SENDS: Room = { requests: 1000, bytes: 64 * 1024 * 1024 };

/** For lookups that are held until there is a result: each holds a connection. */
export const WAITS: Room = { requests: 2000, bytes: 0 };

/** The part of it that one account may have. */
const ACCOUNT_SHARE = 0.5;

const RETRY_S = 2;

export class ConcurrencyLimiter {
  readonly #requests: SharedBudget;
  readonly #bytes: SharedBudget;

  constructor(room: Room) {
    this.#requests = new SharedBudget({ max: room.requests, share: ACCOUNT_SHARE });
    this.#bytes = new SharedBudget({ max: room.bytes, share: ACCOUNT_SHARE });
  }

  /** Runs one request of an account, unless too many are under way: throws 503, or 429 where this account has its share. */
  async run<T>(ctx: Context, accountId: string, request: () => Promise<T>): Promise<T> {
    admit(this.#requests, accountId, 1);
    let bytes = 0;
    ctx.state.reserveMemory = (sizeBytes: number): void => {
      admit(this.#bytes, accountId, sizeBytes);
      bytes += sizeBytes;
    };
    try {
      return await request();
    } finally {
      this.#requests.release(accountId, 1);
      if (bytes > 0) this.#bytes.release(accountId, bytes);
    }
  }
}

function admit(room: SharedBudget, accountId: string, more: number): void {
  const reserved = room.reserve(accountId, more);
  if (reserved === "full") {
    throw engineUnavailable("Too many requests are under way; a send is retried with the same Idempotency-Key.");
  }
  if (reserved === "share_full") {
    throw new Problem("rate_limit_exceeded", "Too many requests of this account are under way.", {
      retryAfterS: RETRY_S,
    });
  }
}

/** Reserves memory for a request until it ends. Throws as Admission does. */
export function reserveMemory({ state }: Context, sizeBytes: number): void {
  (state.reserveMemory as ((sizeBytes: number) => void) | undefined)?.(sizeBytes);
}
