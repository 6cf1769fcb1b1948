/**
 * Limits long sends and the memory that they hold. A send with a Content-Length waits, before its body is read, for all the
 * memory that it will need (lib/memory-queue.ts), so it is not rejected later. A send without one reserves memory while
 * its body arrives, and is rejected if none is free.
 */

import { setImmediate } from "node:timers/promises";
import type { Context } from "koa";
import type { Clock } from "../../lib/clock.ts";
import type { FairQueueLimits } from "../../lib/fair-queue.ts";
import { MemoryQueue, MemoryRefused } from "../../lib/memory-queue.ts";
import { SharedBudget } from "../../lib/shared-budget.ts";
import { MIB } from "../../lib/units.ts";
import { engineUnavailable, Problem } from "../response/problems.ts";
import { ACCOUNT_SHARE, type ConcurrencyLimits, limitReached, requireReserved } from "./concurrency-limiter.ts";

export interface LongSendLimits extends ConcurrencyLimits {
  waiting: FairQueueLimits;
  waitMs: number;
}

/**
 * One send of 10 MB of an account runs at a time: two would add 60 MB to the resident memory and not be faster, because
 * composing and storing are one at a time anyway. Waiting sends hold the start of the body, two reads of 64 KiB, seldom
 * three. They wait for less than the 60 s after which a proxy gives up by default.
 */
export const LONG_SENDS: LongSendLimits = {
  requests: 1000,
  bytes: 64 * MIB,
  waiting: { ownerMax: 250, totalMax: 500 },
  waitMs: 45_000,
};

/**
 * The memory of a send for each byte of its body. First only the body, then the message and its copy on the way to the
 * writer; a message has at most 1.4 times the bytes of its body. The memory of composing is the thread's, one at a time.
 */
const BYTES_PER_BODY_BYTE = 3;
/** For header fields that a message has beyond its request. */
const EXTRA_BYTES = 64 * 1024;

/** Less than Node buffers of a body that is not read. */
const BEGUN_BYTES = 8 * 1024;
/** How often the arrival of those bytes is checked: an event for it would start reading the body. */
const LOOK_MS = { least: 5, most: 250 };

export class LongSendLimiter {
  readonly #requests: SharedBudget;
  readonly #memory: MemoryQueue;
  readonly #clock: Clock;

  constructor({ requests, ...memory }: LongSendLimits, clock: Clock) {
    this.#clock = clock;
    this.#requests = new SharedBudget({ max: requests, share: ACCOUNT_SHARE });
    this.#memory = new MemoryQueue({ ...memory, share: ACCOUNT_SHARE, clock });
  }

  /** Runs one send. Throws as ConcurrencyLimiter does. */
  async run<T>(ctx: Context, accountId: string, send: () => Promise<T>): Promise<T> {
    requireReserved(this.#requests.reserve(accountId, 1));
    let bytes = 0;
    /** Memory that the send has waited for and not used. */
    let spareBytes = 0;
    ctx.state.reserveMemory = (sizeBytes: number): void => {
      const more = Math.max(0, sizeBytes - spareBytes);
      if (more > 0) requireReserved(this.#memory.reserve(accountId, more));
      bytes += more;
      spareBytes -= sizeBytes - more;
    };
    ctx.state.waitForMemory = async (sizeBytes: number): Promise<void> => {
      const gone = goneSignal(ctx);
      await bodyBegun(ctx, gone, this.#clock);
      bytes += await this.#memory.wait(accountId, sizeBytes, gone).catch(throwProblem);
      spareBytes += sizeBytes;
    };
    try {
      return await send();
    } finally {
      this.#requests.release(accountId, 1);
      this.#memory.release(accountId, bytes);
    }
  }

  /** Rejects the sends that wait for memory. */
  clear(): void {
    this.#memory.clear();
  }
}

function throwProblem(error: unknown): never {
  if (!(error instanceof MemoryRefused)) throw error;
  switch (error.reason) {
    case "gone":
      throw new Problem("invalid_request", "The client closed the connection before its body was read.");
    case "stopping":
      throw engineUnavailable("The service is stopping. Retry with the same Idempotency-Key.");
    default:
      throw limitReached(error.reason);
  }
}

/**
 * Resolves once the start of the body has arrived, or the client has gone. A client that announces a long body but sends only
 * a few bytes at a time therefore reserves no memory, and other sends of its account do not wait for it.
 */
async function bodyBegun({ req, request }: Context, gone: AbortSignal, clock: Clock): Promise<void> {
  // A client that waits for permission sends nothing before it gets it.
  const begunBytes = req.headers.expect === undefined ? Math.min(BEGUN_BYTES, request.length ?? 0) : 0;
  // The rest of the read that contains the header is parsed in this turn of the event loop.
  await setImmediate();
  for (let delayMs = LOOK_MS.least; req.readableLength < begunBytes && !gone.aborted; ) {
    await new Promise<void>((resolve) => void clock.after(delayMs, resolve));
    delayMs = Math.min(2 * delayMs, LOOK_MS.most);
  }
}

/** Aborts when the connection closes, or the response has ended. The reason is given: Node would build an exception each time. */
function goneSignal({ req, res }: Context): AbortSignal {
  const gone = new AbortController();
  if (req.socket.destroyed) gone.abort("closed");
  else res.once("close", () => gone.abort("closed"));
  return gone.signal;
}

/**
 * Waits for the memory of a body that is announced, and of the message built from it. Null where there is nothing to wait for:
 * a short send, or one of unknown length. Rejects like MemoryQueue.wait.
 */
export function waitForMemory({ state, request }: Context): Promise<void> | null {
  const wait = state.waitForMemory as ((sizeBytes: number) => Promise<void>) | undefined;
  if (wait === undefined || request.length === undefined) return null;
  return wait(BYTES_PER_BODY_BYTE * request.length + EXTRA_BYTES);
}
