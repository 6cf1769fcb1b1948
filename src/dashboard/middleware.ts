/** Middleware that the dashboard shares with the public pages: security headers, the log of requests, error pages. */
import type { Context, Middleware } from "koa";
import type { Logger } from "../lib/log.ts";
import { newRequestId } from "../lib/request-id.ts";
import type { AuthContext } from "./auth/sessions.ts";
import { PageError } from "./web/page-error.ts";
import type { DashboardParts } from "./web/parts.ts";

export interface SecurityHeaders {
  /** The directives of the Content-Security-Policy. */
  policy: readonly string[];
  referrerPolicy: "same-origin" | "no-referrer";
}

/** The directives of a public page without scripts. */
export const PUBLIC_POLICY: readonly string[] = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
];

export function setSecurityHeaders({ policy, referrerPolicy }: SecurityHeaders): Middleware {
  return async (ctx, next) => {
    ctx.set("Content-Security-Policy", policy.join("; "));
    ctx.set("X-Content-Type-Options", "nosniff");
    ctx.set("X-Frame-Options", "DENY");
    ctx.set("Referrer-Policy", referrerPolicy);
    ctx.set("Cross-Origin-Opener-Policy", "same-origin");
    ctx.set("Cache-Control", "no-store");
    await next();
  };
}

export function logRequest({ log }: { log: Logger }): Middleware {
  return async (ctx, next) => {
    const startMs = performance.now();
    const requestId = newRequestId();
    ctx.state.requestId = requestId;
    ctx.set("X-Request-Id", requestId);
    await next();
    const durationMs = Math.round((performance.now() - startMs) * 10) / 10;
    // The route instead of the path: the paths of the setup link and of unsubscribe links are secrets.
    const path = (ctx as { _matchedRoute?: unknown })._matchedRoute ?? "unknown";
    const userId = (ctx.state.auth as AuthContext | undefined)?.user.id;
    const { messageId } = ctx.state;
    const fields = { requestId, method: ctx.method, path, status: ctx.status, durationMs, userId, messageId };
    // Open pages send a GET every few seconds, so only actions are logged at info.
    if (ctx.method === "POST") log.info(fields, "request");
    else log.debug(fields, "request");
  };
}

export interface ErrorPages {
  log: Logger;
  /** Maps an error to a PageError; null for an internal error. */
  errorFor: (error: unknown) => PageError | null;
  /** Renders the page of an error; null stands for an internal error. */
  render: (error: PageError | null, ctx: Context) => string;
}

export function handleErrors({ log, errorFor, render }: ErrorPages): Middleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      const pageError = errorFor(error);
      if (pageError === null && isAborted(ctx)) return log.debug("client aborted the request");
      if (pageError === null) log.error({ requestId: ctx.state.requestId, err: error }, "page failed");
      ctx.status = pageError?.status ?? 500;
      ctx.type = "html";
      ctx.body = render(pageError, ctx);
    }
  };
}

/** Whether the client has closed the connection before the request was complete. */
const isAborted = ({ req }: Context): boolean => req.destroyed && !req.complete;

/** Counts a request against the rate of its client's address. Throws a PageError where that is used up. */
export function takeAddressToken(ctx: Context, addresses: DashboardParts["addresses"]): void {
  const token = addresses.take(ctx.req);
  if (token.allowed) return;
  ctx.set("Retry-After", String(token.retryAfterS));
  throw new PageError("too_many_requests");
}
