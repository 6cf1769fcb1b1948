/**
 * How many sends may be under way at once, and how much of their bodies may lie in memory: in all, so that a flood or a crowd
 * of slow clients cannot take the process down, and for one key, so that it cannot take the room from the others.
 */
import type { Context } from "koa";
import { engineUnavailable, Problem } from "./problems.ts";

export interface Room {
  sends: number;
  bodyBytes: number;
}

/** Far above what a busy service has under way: a send takes milliseconds. */
const ROOM: Room = { sends: 2000, bodyBytes: 64 * 1024 * 1024 };

/** The part of it that one key may have. */
const KEY_SHARE = 0.5;

const RETRY_S = 2;

export class Admission {
  readonly #room: Room;
  readonly #all: Room = { sends: 0, bodyBytes: 0 };
  readonly #keys = new Map<string, Room>();

  constructor(room: Room = ROOM) {
    this.#room = room;
  }

  /** Runs one send of a key, unless too many are under way: throws 503, or 429 where this key has its share. */
  async run<T>(ctx: Context, keyId: string, send: () => Promise<T>): Promise<T> {
    const own = this.#keys.get(keyId) ?? { sends: 0, bodyBytes: 0 };
    this.#admit(own, { sends: 1, bodyBytes: 0 });
    this.#keys.set(keyId, own);
    let bodyBytes = 0;
    ctx.state.takeBodyBytes = (sizeBytes: number): void => {
      this.#admit(own, { sends: 0, bodyBytes: sizeBytes });
      bodyBytes += sizeBytes;
    };
    try {
      return await send();
    } finally {
      this.#add(own, { sends: -1, bodyBytes: -bodyBytes });
      if (own.sends === 0) this.#keys.delete(keyId);
    }
  }

  #admit(own: Room, more: Room): void {
    if (exceeds(this.#all, more, this.#room)) {
      throw engineUnavailable("Too many requests are under way. Retry with the same Idempotency-Key.");
    }
    const share = { sends: this.#room.sends * KEY_SHARE, bodyBytes: this.#room.bodyBytes * KEY_SHARE };
    if (exceeds(own, more, share)) {
      throw new Problem("rate_limit_exceeded", "Too many requests of this key are under way.", {
        retryAfterS: RETRY_S,
      });
    }
    this.#add(own, more);
  }

  #add(own: Room, more: Room): void {
    for (const room of [own, this.#all]) {
      room.sends += more.sends;
      room.bodyBytes += more.bodyBytes;
    }
  }
}

/** Counts room for the bytes of a body as they come; released when its send ends. Throws as Admission does. */
export function takeBodyBytes({ state }: Context, sizeBytes: number): void {
  (state.takeBodyBytes as ((sizeBytes: number) => void) | undefined)?.(sizeBytes);
}

function exceeds(used: Room, more: Room, most: Room): boolean {
  return used.sends + more.sends > most.sends || used.bodyBytes + more.bodyBytes > most.bodyBytes;
}
