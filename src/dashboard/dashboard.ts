/**
 * The dashboard: every middleware in its order, every route. What a page shows and does is in its own file.
 */
import Router from "@koa/router";
import Koa, { type Context, type Middleware } from "koa";
import { holdResponse } from "../lib/held-response.ts";
import { newRequestId } from "../lib/request-id.ts";
import { SpoolUnavailable } from "../spool/port/errors.ts";
import { TooManyReports } from "../spool/port/reports.ts";
import { createCredentials } from "./auth/credentials.ts";
import { refuseOverHttp } from "./auth/insecure-transport.ts";
import { hasSessionCookie, requireFormToken, requireSameAccount, type Visit, visitOf } from "./auth/sessions.ts";
import { createApiPages } from "./pages/api-page.tsx";
import { createDomainPages } from "./pages/domain-pages.tsx";
import { refusalPage } from "./pages/error-page.tsx";
import { createKeyPages } from "./pages/key-pages.tsx";
import { createMessagePages } from "./pages/message-pages.ts";
import { createOperatorPages } from "./pages/operator-pages.ts";
import { createOverviewPages } from "./pages/overview-pages.tsx";
import { createYouPages } from "./pages/profile-pages.tsx";
import type { Page, Pages } from "./pages/routes.ts";
import { createSetup } from "./pages/setup-page.tsx";
import { createSignIn } from "./pages/sign-in-page.tsx";
import { createStartPages } from "./pages/start-pages.tsx";
import { createSuppressedPages } from "./pages/suppression-pages.tsx";
import { openPage, signedInPage } from "./views/layout.tsx";
import { sendAsset } from "./web/assets.ts";
import { readForms } from "./web/form.ts";
import { notFound, PageRefusal } from "./web/page-error.ts";
import type { DashboardParts } from "./web/parts.ts";

export interface Dashboard {
  app: Koa;
  /** A link that makes the first user, once; null when there is one already. */
  setupUrl(): Promise<string | null>;
}

/** The Koa application for /dashboard. It listens nowhere by itself. */
export function createDashboard(parts: DashboardParts): Dashboard {
  const credentials = createCredentials(parts);
  const setup = createSetup(parts, credentials);
  const router = new Router({ prefix: "/dashboard" });
  const open: Record<string, (ctx: Context) => Promise<unknown>> = {
    ...createSignIn(parts, credentials),
    ...setup.pages,
    ...createApiPages(parts),
  };
  const pages: Pages = {
    ...createOverviewPages(parts),
    ...createStartPages(parts),
    ...createDomainPages(parts),
    ...createKeyPages(parts),
    ...createMessagePages(parts),
    ...createSuppressedPages(parts),
    ...createYouPages(parts, credentials),
  };
  router.get("/assets/:version/:name", (ctx) => sendAsset(ctx, ctx.params.name ?? ""));
  for (const [route, page] of Object.entries(open)) add(router, route, (ctx) => page(ctx));
  for (const [route, page] of Object.entries(pages)) add(router, route, forVisitor(page, parts));
  for (const [route, page] of Object.entries(createOperatorPages(parts, credentials))) {
    add(router, route, forVisitor(forOperator(page), parts));
  }

  const app = new Koa();
  app.silent = true;
  app.use(setSecurityHeaders);
  app.use(logRequest(parts));
  app.use(answerRefusals(parts));
  app.use(boundStrangers(parts));
  app.use(boundResponses(parts));
  app.use(refuseOverHttp(parts));
  app.use(readForms(parts.publicUrl));
  app.use(router.routes());
  app.use(() => {
    throw notFound();
  });
  return { app, setupUrl: setup.url };
}

function add(router: Router, route: string, answer: (ctx: Context) => Promise<unknown>): void {
  const [method, path = ""] = route.split(" ");
  const middleware = async (ctx: Context): Promise<void> => {
    const html = await answer(ctx);
    if (typeof html !== "string") return;
    ctx.type = "html";
    ctx.body = html;
  };
  if (method === "POST") router.post(path, middleware);
  else router.get(path, middleware);
}

/** Nothing is shown and nothing done but for a session; a form must carry its session's token and account besides. */
function forVisitor(page: Page, parts: DashboardParts): (ctx: Context) => Promise<unknown> {
  return async (ctx) => {
    const visit = await visitOf(ctx, parts);
    if (visit === null) {
      if (hasSessionCookie(ctx)) takeStrangersToken(ctx, parts.addresses);
      const next = ctx.method === "GET" && ctx.path !== "/dashboard" ? `?next=${encodeURIComponent(ctx.url)}` : "";
      return ctx.redirect(`/dashboard/sign-in${next}`);
    }
    ctx.state.visit = visit;
    if (!(await parts.pace.ready(visit.account.id))) throw new PageRefusal("too_many_waiting");
    if (ctx.method === "POST") {
      requireFormToken(ctx, visit);
      requireSameAccount(ctx, visit);
    }
    return page(ctx, visit);
  };
}

/** To others the operator's pages are not there. */
const forOperator =
  (page: Page): Page =>
  async (ctx, visit) => {
    if (!visit.user.operator) throw notFound();
    return page(ctx, visit);
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
    // The route, not the path: the path of the setup link is a secret.
    const path = (ctx as { _matchedRoute?: unknown })._matchedRoute ?? "unknown";
    const userId = (ctx.state.visit as Visit | undefined)?.user.id;
    const { messageId } = ctx.state;
    const line = { requestId, method: ctx.method, path, status: ctx.status, durationMs, userId, messageId };
    // Pages look at themselves every few seconds; what somebody does is worth a line.
    if (ctx.method === "POST") log.info(line, "request");
    else log.debug(line, "request");
  };
}

/** Whoever brings no session is served at the rate of the client's address; of those who bring one, forVisitor sees to it. */
function boundStrangers({ addresses, memory }: DashboardParts): Middleware {
  return async (ctx, next) => {
    if (memory.isExhausted) throw new PageRefusal("out_of_memory");
    if (!hasSessionCookie(ctx)) takeStrangersToken(ctx, addresses);
    await next();
  };
}

function takeStrangersToken(ctx: Context, addresses: DashboardParts["addresses"]): void {
  const taken = addresses.take(ctx.req);
  if (taken.allowed) return;
  ctx.set("Retry-After", String(taken.retryAfterS));
  throw new PageRefusal("too_many_requests");
}

/** A page that is not read yet holds memory of its account's, or of its address's, share. */
function boundResponses({ responses, addresses, pace }: DashboardParts): Middleware {
  return async (ctx, next) => {
    await next();
    const visit: Visit | undefined = ctx.state.visit;
    if (visit !== undefined) pace.responded(visit.account.id, ctx.length ?? 0);
    const holder = visit?.account.id ?? addresses.nameOf(ctx.req);
    const held = holdResponse(responses, ctx.res, { holder, sizeBytes: ctx.length ?? 0 });
    if (held !== "reserved") throw new PageRefusal("too_many_unread");
  };
}

function answerRefusals({ log, publicUrl }: DashboardParts): Middleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      const refusal = refusalFor(error, publicUrl);
      if (refusal === null && isBrokenOff(ctx)) return log.debug("a client broke its request off");
      if (refusal === null) log.error({ requestId: ctx.state.requestId, err: error }, "page failed");
      ctx.status = refusal?.status ?? 500;
      const page = refusalPage(refusal);
      const visit: Visit | undefined = ctx.state.visit;
      ctx.type = "html";
      ctx.body = visit === undefined ? openPage(page) : signedInPage(visit, "none", page);
    }
  };
}

/** Nobody is there to be answered, and nothing went wrong here. */
const isBrokenOff = ({ req }: Context): boolean => req.destroyed && !req.complete;

/** Null for what should not have happened. */
function refusalFor(error: unknown, publicUrl: string): PageRefusal | null {
  if (error instanceof PageRefusal && error.code === "cross_site") {
    const advice = `This dashboard is at ${publicUrl}: go on there, or set PUBLIC_URL to the address that you use.`;
    return new PageRefusal("cross_site", `${error.message} ${advice}`);
  }
  if (error instanceof PageRefusal) return error;
  if (error instanceof TooManyReports) return new PageRefusal("too_many_reports");
  if (error instanceof SpoolUnavailable) return new PageRefusal("unavailable");
  return null;
}
