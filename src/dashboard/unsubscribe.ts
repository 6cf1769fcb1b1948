/**
 * The public pages of unsubscribe links (RFC 8058), outside /dashboard. GET asks, and POST unsubscribes: mail programs and their
 * filters open links, so a GET changes nothing. A POST needs no session, cookie or origin, because the token of the link is the
 * whole proof; the same POST again changes nothing.
 */
import Router from "@koa/router";
import Koa, { type Context } from "koa";
import { readBody } from "../lib/bounded-body.ts";
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/log.ts";
import { type Rate, TokenBuckets } from "../lib/token-buckets.ts";
import { ONE_CLICK } from "../message/send-request/unsubscribe-fields.ts";
import { readUnsubscribeToken, type UnsubscribeTarget } from "../message/unsubscribe-token.ts";
import { MessageDamaged, SpoolUnavailable } from "../spool/port/errors.ts";
import type { Incoming } from "../spool/port/incoming.ts";
import type { Results } from "../spool/port/results.ts";
import { handleErrors, logRequest, PUBLIC_POLICY, setSecurityHeaders, takeAddressToken } from "./middleware.ts";
import { unsubscribedPage, unsubscribeErrorPage, unsubscribePage } from "./pages/unsubscribe-page.tsx";
import { PageError } from "./web/page-error.ts";
import type { DashboardParts } from "./web/parts.ts";

export interface UnsubscribeParts extends Pick<DashboardParts, "memory" | "addresses"> {
  /** The key of the tokens. */
  key: Buffer;
  spool: Pick<Results, "report"> & Pick<Incoming, "recordUnsubscribed">;
  clock: Clock;
  log: Logger;
}

/** A one-click body is 26 bytes, or some hundred in a multipart form. */
const FORM_BYTES_MAX = 8 * 1024;

/** Requests for one message. The providers of mailboxes send those of many recipients from few addresses, so these are not counted. */
const RATE: Rate = { perSecond: 1, burst: 20 };

const BAD_LINK = "This link is not valid. It may be incomplete: copy it again from the message.";
const NOT_STORED = "Your request could not be stored. Try again in a moment.";

/** Creates the application for /unsubscribe/. It does not listen. */
export function createUnsubscribe(parts: UnsubscribeParts): Koa {
  const links = new UnsubscribeRequests(parts);
  const router = new Router();
  router.get("/unsubscribe/:token", async (ctx) => {
    ctx.body = unsubscribePage(await links.stateOf(links.target(ctx)));
  });
  router.post("/unsubscribe/:token", async (ctx) => {
    const target = links.target(ctx);
    await requireOneClick(ctx);
    await links.unsubscribe(target);
    ctx.body = unsubscribedPage(await links.stateOf(target));
  });
  const app = new Koa();
  app.silent = true;
  app.use(setSecurityHeaders({ policy: PUBLIC_POLICY, referrerPolicy: "no-referrer" }));
  app.use((ctx, next) => {
    ctx.set("X-Robots-Tag", "noindex, nofollow");
    ctx.type = "html";
    return next();
  });
  app.use(logRequest(parts));
  app.use(handleErrors({ log: parts.log, errorFor, render: unsubscribeErrorPage }));
  app.use(router.routes());
  app.use((ctx) => {
    takeAddressToken(ctx, parts.addresses);
    throw new PageError("not_found", BAD_LINK);
  });
  return app;
}

class UnsubscribeRequests {
  readonly #parts: UnsubscribeParts;
  readonly #buckets = new TokenBuckets(RATE);

  constructor(parts: UnsubscribeParts) {
    this.#parts = parts;
  }

  /** Returns what the link of a request names. Throws a PageError for one that is not valid, or is used too often. */
  target(ctx: Context): UnsubscribeTarget {
    const { memory, addresses, key } = this.#parts;
    if (memory.isExhausted) throw new PageError("out_of_memory", NOT_STORED);
    const target = readUnsubscribeToken(ctx.params.token ?? "", key);
    if (target === null) {
      takeAddressToken(ctx, addresses);
      throw new PageError("not_found", BAD_LINK);
    }
    this.#count(ctx, target.messageId);
    ctx.state.messageId = target.messageId;
    return target;
  }

  #count(ctx: Context, messageId: string): void {
    const nowMs = this.#parts.clock.monotonicMs();
    const waitS = this.#buckets.secondsToToken(messageId, nowMs);
    if (waitS > 0) {
      ctx.set("Retry-After", String(Math.max(1, Math.ceil(waitS))));
      throw new PageError("too_many_requests");
    }
    this.#buckets.take(messageId, nowMs);
  }

  async unsubscribe(target: UnsubscribeTarget): Promise<void> {
    const { spool, clock } = this.#parts;
    await spool.recordUnsubscribed({ ...target, atMs: clock.now() });
  }

  /** Returns what the pages show. The message may have been deleted since; where it cannot be read, its sender is not shown. */
  async stateOf({ accountId, messageId, email }: UnsubscribeTarget): Promise<{ email: string; sender: string | null }> {
    const report = await this.#parts.spool.report(messageId, accountId).catch((error: unknown) => {
      if (error instanceof MessageDamaged || error instanceof SpoolUnavailable) return null;
      throw error;
    });
    return { email, sender: report === null ? null : report.from.slice(report.from.lastIndexOf("@") + 1) };
  }
}

/** Throws a PageError unless the body is that of a one-click POST (RFC 8058 §3.1), in either form. */
async function requireOneClick(ctx: Context): Promise<void> {
  const body = await readBody(ctx.req, { bytesMax: FORM_BYTES_MAX });
  if (body.type === "cut_off") throw new Error("form body ended before its Content-Length");
  if (body.type !== "read") throw new PageError("too_large");
  const headers = { "Content-Type": ctx.get("Content-Type") };
  const form = await new Response(Uint8Array.from(body.bytes), { headers }).formData().catch(() => null);
  if (form?.get(ONE_CLICK.name) !== ONE_CLICK.value) throw new PageError("not_one_click");
}

function errorFor(error: unknown): PageError | null {
  if (error instanceof PageError) return error;
  return error instanceof SpoolUnavailable ? new PageError("unavailable", NOT_STORED) : null;
}
