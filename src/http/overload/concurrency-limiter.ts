/**
 * Limits the requests of one kind that run at once and the memory that they hold: in total, so that a flood or many slow
 * clients cannot exhaust the process, and for each account, whatever its number of keys, so that it cannot starve others.
 * Long sends have a separate limiter (long-send-limiter.ts).
 */

import type { Context } from "koa";
import { type ReserveResult, SharedBudget } from "../../lib/shared-budget.ts";
import { MIB } from "../../lib/units.ts";
import { engineUnavailable, Problem } from "../response/problems.ts";

export interface ConcurrencyLimits {
  requests: number;
  /** Memory of bodies, and of the messages built from them until they are stored. */
  bytes: number;
}

/** Short sends. A send takes milliseconds, so even a busy service stays far below. */
export const SENDS: ConcurrencyLimits = { requests: 2000, bytes: 32 * MIB };

/** Requests that are held until there is a result or an event. Each holds a connection. */
export const WAITS: ConcurrencyLimits = { requests: 2000, bytes: 0 };

/** Requests of status pages that are held. Lookups have a separate limit, so that readers of status pages delay no account. */
export const PAGE_WAITS: ConcurrencyLimits = { requests: 1000, bytes: 0 };

/** The share of each limit that one account may use. */
export const ACCOUNT_SHARE = 0.5;

const RETRY_S = 2;

export class ConcurrencyLimiter {
  readonly #requests: SharedBudget;
  readonly #bytes: SharedBudget;

  constructor({ requests, bytes }: ConcurrencyLimits) {
    this.#requests = new SharedBudget({ max: requests, share: ACCOUNT_SHARE });
    this.#bytes = new SharedBudget({ max: bytes, share: ACCOUNT_SHARE });
  }

  /** Runs one request of an account. Throws a 503 Problem at the limit, and 429 where the account has used its share. */
  async run<T>(ctx: Context, accountId: string, request: () => Promise<T>): Promise<T> {
    requireReserved(this.#requests.reserve(accountId, 1));
    let bytes = 0;
    ctx.state.reserveMemory = (sizeBytes: number): void => {
      requireReserved(this.#bytes.reserve(accountId, sizeBytes));
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

/** Throws the Problem of a reservation that failed. */
export function requireReserved(result: ReserveResult): void {
  if (result !== "reserved") throw limitReached(result);
}

export function limitReached(limit: Exclude<ReserveResult, "reserved">): Problem {
  if (limit === "full") {
    return engineUnavailable("Too many requests are running. Retry a send with the same Idempotency-Key.");
  }
  return new Problem("rate_limit_exceeded", "Too many requests of this account are running.", { retryAfterS: RETRY_S });
}

/** Reserves memory for a request until it ends. Throws as ConcurrencyLimiter does. */
export function reserveMemory({ state }: Context, sizeBytes: number): void {
  (state.reserveMemory as ((sizeBytes: number) => void) | undefined)?.(sizeBytes);
}
