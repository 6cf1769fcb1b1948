/**
 * Downloads of files that are read and sent part by part, so their memory does not grow with their length. A client that stops
 * reading ends one.
 */

import { Readable } from "node:stream";
import type { Context } from "koa";
import { reserveForResponse } from "../../lib/response-memory.ts";
import { SharedBudget } from "../../lib/shared-budget.ts";
import { MIB } from "../../lib/units.ts";
import { PageError } from "../web/page-error.ts";
import type { DashboardParts } from "../web/parts.ts";

/** Downloads at one time: one of each account. */
const DOWNLOADS_MAX = 4;

/** Memory of a download: the part that is sent, the next one, and the buffers of the connection. */
const DOWNLOAD_BYTES = 2 * MIB;

/** How long a client may leave a part unread. */
const STALLED_MS = 60_000;

export type DownloadParts = Pick<DashboardParts, "responses" | "clock" | "log">;

export interface Download {
  accountId: string;
  /** The name of the file, before the day. */
  name: string;
  /** Begins to read. */
  open: () => Promise<AsyncGenerator<string, void>>;
}

export class Downloads {
  readonly #parts: DownloadParts;
  readonly #stalledMs: number;
  readonly #running = new SharedBudget({ max: DOWNLOADS_MAX, share: 1 / DOWNLOADS_MAX });

  constructor(parts: DownloadParts, stalledMs = STALLED_MS) {
    this.#parts = parts;
    this.#stalledMs = stalledMs;
  }

  /** Begins to send comma-separated values. Throws a PageError while the account, or too many others, have a download. */
  async send(ctx: Context, { accountId, name, open }: Download): Promise<void> {
    if (ctx.res.closed) return;
    this.#reserve(ctx, accountId);
    const parts = await open();
    // An error before the first part gets an error page.
    const first = await parts.next();
    const day = new Date(this.#parts.clock.now()).toISOString().slice(0, 10);
    ctx.set("Content-Type", "text/csv; charset=utf-8");
    ctx.set("Content-Disposition", `attachment; filename="${name}-${day}.csv"`);
    ctx.body = this.#stream(ctx, first, parts);
  }

  /** The response must be open. */
  #reserve(ctx: Context, accountId: string): void {
    if (this.#running.reserve(accountId, 1) !== "reserved") throw new PageError("too_many_waiting", BUSY);
    ctx.res.once("close", () => this.#running.release(accountId, 1));
    const { responses } = this.#parts;
    const held = reserveForResponse(responses, ctx.res, { holder: accountId, sizeBytes: DOWNLOAD_BYTES });
    if (held !== "reserved") throw new PageError("too_many_unread");
  }

  #stream(ctx: Context, first: IteratorResult<string, void>, rest: AsyncGenerator<string, void>): Readable {
    const stalled = () => stream.destroy(new Error("the client does not read"));
    const limitMs = this.#stalledMs;
    let timer = setTimeout(stalled, limitMs);
    async function* watched(): AsyncGenerator<string, void> {
      try {
        for (let next = first; !next.done; next = await rest.next()) {
          clearTimeout(timer);
          timer = setTimeout(stalled, limitMs);
          yield next.value;
        }
      } finally {
        clearTimeout(timer);
        await rest.return();
      }
    }
    const stream = Readable.from(watched(), { highWaterMark: 1 });
    // What was sent looks like a whole file unless the connection breaks.
    stream.once("error", (error) => {
      this.#parts.log.warn({ requestId: ctx.state.requestId, err: error }, "export ended early");
      ctx.res.destroy();
    });
    return stream;
  }
}

const BUSY =
  "Another export is being downloaded by this account, or too many are by others. Try again when yours is complete.";
