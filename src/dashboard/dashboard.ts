/**
 * The dashboard's Koa application: the middleware in order, and the routes. Pages are in pages/.
 */
import Router from "@koa/router";
import Koa, { type Context, type Middleware } from "koa";
import { newRequestId } from "../lib/request-id.ts";
import { reserveForResponse } from "../lib/response-memory.ts";
import { SpoolUnavailable } from "../spool/port/errors.ts";
import { TooManyReports } from "../spool/port/reports.ts";
import { Credentials } from "./auth/credentials.ts";
import { rejectPlainHttp } from "./auth/insecure-transport.ts";
import {
  type AuthContext,
  authenticate,
  hasSessionCookie,
  requireFormToken,
  requireSameAccount,
} from "./auth/sessions.ts";
import { createApiPages } from "./pages/api-page.tsx";
import { createDomainReportPages } from "./pages/domain-reports.tsx";
import { createDomainRoutes } from "./pages/domain-routes.ts";
import { errorPage } from "./pages/error-page.tsx";
import { createKeyRoutes } from "./pages/key-routes.ts";
import { createMessageRoutes } from "./pages/message-routes.ts";
import { createOperatorRoutes } from "./pages/operator-routes.ts";
import { createOverviewPages } from "./pages/overview-pages.tsx";
import { createProfileRoutes } from "./pages/profile-routes.ts";
import { createRequestRoutes } from "./pages/request-routes.ts";
import type { Page, Pages } from "./pages/routes.ts";
import { createSetup, type Setup } from "./pages/setup-page.tsx";
import { createSignIn } from "./pages/sign-in-page.tsx";
import { createStartPages } from "./pages/start-pages.tsx";
import { createSuppressedPages } from "./pages/suppressed-pages.tsx";
import { createWebhookRoutes } from "./pages/webhook-routes.ts";
import { signedInPage, signedOutPage } from "./views/layout.tsx";
import { sendAsset } from "./web/assets.ts";
import { readForms } from "./web/form.ts";
import { notFound, PageError } from "./web/page-error.ts";
import type { DashboardParts } from "./web/parts.ts";

export interface Dashboard {
  app: Koa;
  /** Returns a link that creates the first user, once; null when a user exists. */
  setupUrl(): Promise<string | null>;
}

/** Creates the application for /dashboard. It does not listen. */
export function createDashboard(parts: DashboardParts): Dashboard {
  const credentials = new Credentials(parts);
  const setup = createSetup(parts, credentials);
  const app = new Koa();
  app.silent = true;
  app.use(setSecurityHeaders);
  app.use(logRequest(parts));
  app.use(handleErrors(parts));
  app.use(limitAnonymousRequests(parts));
  app.use(limitUnreadResponses(parts));
  app.use(rejectPlainHttp(parts));
  app.use(readForms(parts.publicUrl));
  app.use(createRouter(parts, credentials, setup).routes());
  app.use(() => {
    throw notFound();
  });
  return { app, setupUrl: setup.url };
}

function createRouter(parts: DashboardParts, credentials: Credentials, setup: Setup): Router {
  const router = new Router({ prefix: "/dashboard" });
  const publicPages: Record<string, Handler> = {
    ...createSignIn(parts, credentials),
    ...setup.pages,
    ...createApiPages(parts),
  };
  const userPages: Pages = {
    ...createOverviewPages(parts),
    ...createStartPages(parts),
    ...createDomainRoutes(parts),
    ...createDomainReportPages(parts),
    ...createKeyRoutes(parts),
    ...createRequestRoutes(parts),
    ...createWebhookRoutes(parts),
    ...createMessageRoutes(parts),
    ...createSuppressedPages(parts),
    ...createProfileRoutes(parts, credentials),
  };
  router.get("/assets/:version/:name", (ctx) => sendAsset(ctx, ctx.params.name ?? ""));
  for (const [route, page] of Object.entries(publicPages)) add(router, route, page);
  for (const [route, page] of Object.entries(userPages)) add(router, route, requireSession(page, parts));
  for (const [route, page] of Object.entries(createOperatorRoutes(parts, credentials))) {
    add(router, route, requireSession(requireOperator(page), parts));
  }
  return router;
}

/** Handles a request. Returns HTML, or sets the response on the context. */
type Handler = (ctx: Context) => Promise<unknown>;

function add(router: Router, route: string, handler: Handler): void {
  const [method, path = ""] = route.split(" ");
  const middleware = async (ctx: Context): Promise<void> => {
    const html = await handler(ctx);
    if (typeof html !== "string") return;
    ctx.type = "html";
    ctx.body = html;
  };
  if (method === "POST") router.post(path, middleware);
  else router.get(path, middleware);
}

/** Redirects to the sign-in page without a session. A form must also carry the session's token and its account. */
function requireSession(page: Page, parts: DashboardParts): Handler {
  return async (ctx) => {
    const auth = await authenticate(ctx, parts);
    if (auth === null) {
      if (hasSessionCookie(ctx)) takeAddressToken(ctx, parts.addresses);
      const next = ctx.method === "GET" && ctx.path !== "/dashboard" ? `?next=${encodeURIComponent(ctx.url)}` : "";
      return ctx.redirect(`/dashboard/sign-in${next}`);
    }
    ctx.state.auth = auth;
    if (!(await parts.pace.ready(auth.account.id))) throw new PageError("too_many_waiting");
    if (ctx.method === "POST") {
      requireFormToken(ctx, auth);
      requireSameAccount(ctx, auth);
    }
    return page(ctx, auth);
  };
}

/** Throws `not_found` for users who are not operators. */
const requireOperator =
  (page: Page): Page =>
  async (ctx, auth) => {
    if (!auth.user.operator) throw notFound();
    return page(ctx, auth);
  };

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join("; ");

const setSecurityHeaders: Middleware = async (ctx, next) => {
  ctx.set("Content-Security-Policy", POLICY);
  ctx.set("X-Content-Type-Options", "nosniff");
  ctx.set("X-Frame-Options", "DENY");
  ctx.set("Referrer-Policy", "same-origin");
  ctx.set("Cross-Origin-Opener-Policy", "same-origin");
  ctx.set("Cache-Control", "no-store");
  await next();
};

function logRequest({ log }: DashboardParts): Middleware {
  return async (ctx, next) => {
    const startMs = performance.now();
    const requestId = newRequestId();
    ctx.state.requestId = requestId;
    ctx.set("X-Request-Id", requestId);
    await next();
    const durationMs = Math.round((performance.now() - startMs) * 10) / 10;
    // The route instead of the path: the path of the setup link is a secret.
    const path = (ctx as { _matchedRoute?: unknown })._matchedRoute ?? "unknown";
    const userId = (ctx.state.auth as AuthContext | undefined)?.user.id;
    const { messageId } = ctx.state;
    const fields = { requestId, method: ctx.method, path, status: ctx.status, durationMs, userId, messageId };
    // Open pages send a GET every few seconds, so only actions are logged at info.
    if (ctx.method === "POST") log.info(fields, "request");
    else log.debug(fields, "request");
  };
}

/** Limits requests without a session cookie by client address. requireSession limits those with an invalid session. */
function limitAnonymousRequests({ addresses, memory }: DashboardParts): Middleware {
  return async (ctx, next) => {
    if (memory.isExhausted) throw new PageError("out_of_memory");
    if (!hasSessionCookie(ctx)) takeAddressToken(ctx, addresses);
    await next();
  };
}

function takeAddressToken(ctx: Context, addresses: DashboardParts["addresses"]): void {
  const token = addresses.take(ctx.req);
  if (token.allowed) return;
  ctx.set("Retry-After", String(token.retryAfterS));
  throw new PageError("too_many_requests");
}

/** Charges an unread response to the memory share of its account, or of its client address without a session. */
function limitUnreadResponses({ responses, addresses, pace }: DashboardParts): Middleware {
  return async (ctx, next) => {
    await next();
    const auth: AuthContext | undefined = ctx.state.auth;
    if (auth !== undefined) pace.recordResponse(auth.account.id, ctx.length ?? 0);
    const holder = auth?.account.id ?? addresses.keyOf(ctx.req);
    const held = reserveForResponse(responses, ctx.res, { holder, sizeBytes: ctx.length ?? 0 });
    if (held !== "reserved") throw new PageError("too_many_unread");
  };
}

function handleErrors({ log, publicUrl }: DashboardParts): Middleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      const pageError = pageErrorFor(error, publicUrl);
      if (pageError === null && isAborted(ctx)) return log.debug("client aborted the request");
      if (pageError === null) log.error({ requestId: ctx.state.requestId, err: error }, "page failed");
      ctx.status = pageError?.status ?? 500;
      const page = errorPage(pageError);
      const auth: AuthContext | undefined = ctx.state.auth;
      ctx.type = "html";
      ctx.body = auth === undefined ? signedOutPage(page) : signedInPage(auth, "none", page);
    }
  };
}

/** Whether the client has closed the connection before the request was complete. */
const isAborted = ({ req }: Context): boolean => req.destroyed && !req.complete;

/** Maps an error to a PageError; null for an internal error. */
function pageErrorFor(error: unknown, publicUrl: string): PageError | null {
  if (error instanceof PageError && error.code === "cross_site") {
    const advice = `This dashboard is at ${publicUrl}. Use that address, or set PUBLIC_URL to the one that you use.`;
    return new PageError("cross_site", `${error.message} ${advice}`);
  }
  if (error instanceof PageError) return error;
  if (error instanceof TooManyReports) return new PageError("too_many_reports");
  if (error instanceof SpoolUnavailable) return new PageError("unavailable");
  return null;
}
