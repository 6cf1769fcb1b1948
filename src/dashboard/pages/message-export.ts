/**
 * The download of a search as comma-separated values. It is read and sent page by page, so its memory does not grow with its
 * length. A client that stops reading ends it.
 */

import { Readable } from "node:stream";
import type { Context } from "koa";
import { exportMessages } from "../../app/send/message-export.ts";
import { reserveForResponse } from "../../lib/response-memory.ts";
import { SharedBudget } from "../../lib/shared-budget.ts";
import { MIB } from "../../lib/units.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { PageError } from "../web/page-error.ts";
import type { DashboardParts } from "../web/parts.ts";
import type { Search } from "./message-search.ts";

/** Exports at one time: one of each account. */
const EXPORTS_MAX = 4;

/** Memory of an export: the page that is sent, the next one, and the buffers of the connection. */
const EXPORT_BYTES = 2 * MIB;

/** How long a client may leave a page unread. */
const STALLED_MS = 60_000;

export type ExportParts = Pick<DashboardParts, "reports" | "registry" | "responses" | "clock" | "log">;

export class MessageExports {
  readonly #parts: ExportParts;
  readonly #stalledMs: number;
  readonly #running = new SharedBudget({ max: EXPORTS_MAX, share: 1 / EXPORTS_MAX });

  constructor(parts: ExportParts, stalledMs = STALLED_MS) {
    this.#parts = parts;
    this.#stalledMs = stalledMs;
  }

  /** Begins the download. Throws a PageError while the account, or too many others, have one. */
  async send(ctx: Context, auth: AuthContext, { filter }: Pick<Search, "filter">): Promise<void> {
    if (ctx.res.closed) return;
    const { registry, reports, clock } = this.#parts;
    const accountId = auth.account.id;
    this.#reserve(ctx, accountId);
    const names = new Map((await registry.keys(accountId)).map(({ id, name }) => [id, name]));
    const keyName = (keyId: string): string => names.get(keyId) ?? keyId;
    const parts = exportMessages(reports, { filter: { ...filter, accountId }, keyName });
    // An error before the first part gets an error page.
    const first = await parts.next();
    const day = new Date(clock.now()).toISOString().slice(0, 10);
    ctx.set("Content-Type", "text/csv; charset=utf-8");
    ctx.set("Content-Disposition", `attachment; filename="messages-${day}.csv"`);
    ctx.body = this.#stream(ctx, first, parts);
  }

  /** The response must be open. */
  #reserve(ctx: Context, accountId: string): void {
    if (this.#running.reserve(accountId, 1) !== "reserved") throw new PageError("too_many_waiting", BUSY);
    ctx.res.once("close", () => this.#running.release(accountId, 1));
    const { responses } = this.#parts;
    const held = reserveForResponse(responses, ctx.res, { holder: accountId, sizeBytes: EXPORT_BYTES });
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
