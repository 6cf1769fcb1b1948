/**
 * The dashboard's Koa application: the middleware in order, and the routes. Pages are in pages/.
 */
import Router from "@koa/router";
import Koa, { type Context, type Middleware } from "koa";
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
import { handleErrors, logRequest, setSecurityHeaders, takeAddressToken } from "./middleware.ts";
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
  app.use(setSecurityHeaders({ policy: POLICY, referrerPolicy: "same-origin" }));
  app.use(logRequest(parts));
  const errorFor = (error: unknown): PageError | null => pageErrorFor(error, parts.publicUrl);
  app.use(handleErrors({ log: parts.log, errorFor, render: renderError }));
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
];

/** Limits requests without a session cookie by client address. requireSession limits those with an invalid session. */
function limitAnonymousRequests({ addresses, memory }: DashboardParts): Middleware {
  return async (ctx, next) => {
    if (memory.isExhausted) throw new PageError("out_of_memory");
    if (!hasSessionCookie(ctx)) takeAddressToken(ctx, addresses);
    await next();
  };
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

function renderError(error: PageError | null, ctx: Context): string {
  const page = errorPage(error);
  const auth: AuthContext | undefined = ctx.state.auth;
  return auth === undefined ? signedOutPage(page) : signedInPage(auth, "none", page);
}

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
