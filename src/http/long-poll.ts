/**
 * Long polls: requests that are held until there is something to respond with, their time is over, the client disconnects or
 * the service stops. The endpoint decides what they wait for and what the response is.
 */
import { setMaxListeners } from "node:events";
import type { Context } from "koa";
import type { Clock } from "../lib/clock.ts";
import { ConcurrencyLimiter, type ConcurrencyLimits, WAITS } from "./overload/concurrency-limiter.ts";
import type { ParameterSchema } from "./request/query.ts";

const WAIT_MAX_S = 60;

/** The query parameter `wait`. */
export const WAIT_PARAMETER = {
  type: "integer",
  minimum: 0,
  maximum: WAIT_MAX_S,
  default: 0,
  description: `a whole number of seconds from 0 to ${WAIT_MAX_S}`,
} as const satisfies ParameterSchema;

/** `again`: there is more to look at, whether or not anything changes. */
export type Look = "found" | "nothing" | "again";

export interface Poll {
  accountId: string;
  waitS: number;
  /** Calls `changed` whenever a look may find something new. Returns a function that ends the calls. */
  watch(changed: () => void): () => void;
  /** Looks for what the request waits for. Only one look runs at a time. */
  look(): Promise<Look>;
  /** The least time from the end of a look to the next one. */
  pauseMs(): number;
}

export interface LongPollParts {
  clock: Clock;
  /** Aborts shortly before the service stops. */
  longPollsEnd: AbortSignal;
}

/** Holds the requests of several endpoints under one limit, since each holds a connection. */
export class LongPolls {
  readonly #parts: LongPollParts;
  readonly #waits: ConcurrencyLimiter;

  constructor(parts: LongPollParts, limits: ConcurrencyLimits = WAITS) {
    this.#parts = parts;
    this.#waits = new ConcurrencyLimiter(limits);
    // The limiter bounds the number of held requests.
    setMaxListeners(0, parts.longPollsEnd);
  }

  /** Resolves when a look has found something or the wait is over. Rejects with the error of a look, and at the limit with a Problem. */
  hold(ctx: Context, poll: Poll): Promise<void> {
    return this.#waits.run(ctx, poll.accountId, () => held(ctx, poll, this.#parts));
  }
}

function held(ctx: Context, poll: Poll, { clock, longPollsEnd }: LongPollParts): Promise<void> {
  return new Promise((resolve, reject) => {
    const { socket } = ctx.req;
    const end = (): void => {
      looks.stop();
      cancel();
      socket.off("close", end);
      longPollsEnd.removeEventListener("abort", end);
      resolve();
    };
    const looks = new Looks(poll, clock, {
      found: end,
      failed(error) {
        reject(error);
        end();
      },
    });
    const cancel = clock.after(poll.waitS * 1000, end);
    // Requests that are pipelined on one connection wait together.
    setMaxListeners(0, socket);
    socket.once("close", end);
    longPollsEnd.addEventListener("abort", end);
    if (longPollsEnd.aborted || socket.destroyed) end();
    else looks.start();
  });
}

interface Outcome {
  found(): void;
  failed(error: unknown): void;
}

/** Looks after each change, one look at a time and with pauses. */
class Looks {
  readonly #poll: Poll;
  readonly #clock: Clock;
  readonly #outcome: Outcome;
  #unwatch = () => {};
  #cancelPause = () => {};
  /** During a look and the pause after it. */
  #isBusy = false;
  #isChanged = false;
  #isStopped = false;

  constructor(poll: Poll, clock: Clock, outcome: Outcome) {
    this.#poll = poll;
    this.#clock = clock;
    this.#outcome = outcome;
  }

  start(): void {
    this.#unwatch = this.#poll.watch(() => this.#change());
    // Something may have changed between the endpoint's own reading and the watch.
    this.#change();
  }

  stop(): void {
    this.#isStopped = true;
    this.#unwatch();
    this.#cancelPause();
  }

  #change(): void {
    this.#isChanged = true;
    if (!this.#isBusy) this.#look();
  }

  #look(): void {
    this.#isBusy = true;
    this.#isChanged = false;
    this.#poll.look().then(
      (look) => this.#looked(look),
      (error: unknown) => {
        if (!this.#isStopped) this.#outcome.failed(error);
      },
    );
  }

  #looked(look: Look): void {
    if (this.#isStopped) return;
    if (look === "found") this.#outcome.found();
    else this.#pause({ isMore: look === "again" });
  }

  #pause({ isMore }: { isMore: boolean }): void {
    this.#cancelPause = this.#clock.after(this.#poll.pauseMs(), () => {
      this.#isBusy = false;
      if (isMore || this.#isChanged) this.#look();
    });
  }
}
