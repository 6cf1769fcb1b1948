/**
 * How many requests of a kind may be under way at once, and how much of their bodies may lie in memory: in all, so that a flood
 * or a crowd of slow clients cannot take the process down, and for one account, however many keys it has, so that it cannot
 * take the room from the others.
 */
import type { Context } from "koa";
import { engineUnavailable, Problem } from "./problems.ts";

export interface Room {
  requests: number;
  bodyBytes: number;
}

/** For sends. Far above what a busy service has under way: one takes milliseconds. */
export const SENDS: Room = { requests: 2000, bodyBytes: 64 * 1024 * 1024 };

/** For lookups that are held until there is a result: each holds a connection. */
export const WAITS: Room = { requests: 2000, bodyBytes: 0 };

/** The part of it that one account may have. */
const ACCOUNT_SHARE = 0.5;

const RETRY_S = 2;

export class Admission {
  readonly #room: Room;
  readonly #all: Room = { requests: 0, bodyBytes: 0 };
  readonly #accounts = new Map<string, Room>();

  constructor(room: Room) {
    this.#room = room;
  }

  /** Runs one request of an account, unless too many are under way: throws 503, or 429 where this account has its share. */
  async run<T>(ctx: Context, accountId: string, request: () => Promise<T>): Promise<T> {
    const own = this.#accounts.get(accountId) ?? { requests: 0, bodyBytes: 0 };
    this.#admit(own, { requests: 1, bodyBytes: 0 });
    this.#accounts.set(accountId, own);
    let bodyBytes = 0;
    ctx.state.takeBodyBytes = (sizeBytes: number): void => {
      this.#admit(own, { requests: 0, bodyBytes: sizeBytes });
      bodyBytes += sizeBytes;
    };
    try {
      return await request();
    } finally {
      this.#add(own, { requests: -1, bodyBytes: -bodyBytes });
      if (own.requests === 0) this.#accounts.delete(accountId);
    }
  }

  #admit(own: Room, more: Room): void {
    if (exceeds(this.#all, more, this.#room)) {
      throw engineUnavailable("Too many requests are under way; a send is retried with the same Idempotency-Key.");
    }
    const share = { requests: this.#room.requests * ACCOUNT_SHARE, bodyBytes: this.#room.bodyBytes * ACCOUNT_SHARE };
    if (exceeds(own, more, share)) {
      throw new Problem("rate_limit_exceeded", "Too many requests of this account are under way.", {
        retryAfterS: RETRY_S,
      });
    }
    this.#add(own, more);
  }

  #add(own: Room, more: Room): void {
    for (const room of [own, this.#all]) {
      room.requests += more.requests;
      room.bodyBytes += more.bodyBytes;
    }
  }
}

/** Counts room for the bytes of a body as they come; released when its request ends. Throws as Admission does. */
export function takeBodyBytes({ state }: Context, sizeBytes: number): void {
  (state.takeBodyBytes as ((sizeBytes: number) => void) | undefined)?.(sizeBytes);
}

function exceeds(used: Room, more: Room, most: Room): boolean {
  return used.requests + more.requests > most.requests || used.bodyBytes + more.bodyBytes > most.bodyBytes;
}
