/** Responses and bodies of operations that are not one JSON document, and how many there may be at a time. */
import { Readable } from "node:stream";
import type { Context } from "koa";
import { SharedBudget } from "../../lib/shared-budget.ts";
import { Problem } from "../response/problems.ts";

/** A response of parts, which an operation resolves with instead of a JSON body. */
export class Streamed {
  /** A media type. */
  readonly type: string;
  readonly parts: AsyncIterable<string>;

  constructor(type: string, parts: AsyncIterable<string>) {
    this.type = type;
    this.parts = parts;
  }
}

/** Requests of these kinds at a time: an account may have the share of them. */
const LIMITS = {
  /** Reads the list of an account page by page. */
  export: { max: 4, share: 0.25 },
  /** Writes rows that the writes of messages wait for. */
  import: { max: 2, share: 0.5 },
  /** May go on for hours. */
  command: { max: 40, share: 0.25 },
} as const;

export type SlotKind = keyof typeof LIMITS;

/** A client that takes none of the response for this long counts as disconnected. */
const STALLED_MS = 60_000;
const RETRY_S = 5;

export class Slots {
  readonly #budgets = {
    export: new SharedBudget(LIMITS.export),
    import: new SharedBudget(LIMITS.import),
    command: new SharedBudget(LIMITS.command),
  };

  /** Takes a slot until the response is closed. Throws the 429 problem. */
  take(ctx: Context, kind: SlotKind, accountId: string): void {
    const budget = this.#budgets[kind];
    if (ctx.res.closed || budget.reserve(accountId, 1) !== "reserved") {
      throw new Problem("rate_limit_exceeded", "Too many requests of this kind are in progress.", {
        retryAfterS: RETRY_S,
      });
    }
    ctx.res.once("close", () => budget.release(accountId, 1));
  }
}

/** Responds with the parts. The response is cut where the client does not read it. */
export function respondWith(ctx: Context, { type, parts }: Streamed): void {
  ctx.type = type;
  // nginx would buffer the parts until it has many.
  ctx.set("X-Accel-Buffering", "no");
  ctx.body = Readable.from(watched(ctx, parts), { objectMode: false });
}

async function* watched(ctx: Context, parts: AsyncIterable<string>): AsyncGenerator<string, void> {
  const stalled = (): void => void ctx.res.destroy(new Error("the client does not read"));
  let timer = setTimeout(stalled, STALLED_MS);
  try {
    for await (const part of parts) {
      // The wait for the client begins with the part, and does not run while there is none.
      clearTimeout(timer);
      timer = setTimeout(stalled, STALLED_MS);
      yield part;
      clearTimeout(timer);
    }
  } finally {
    clearTimeout(timer);
  }
}
