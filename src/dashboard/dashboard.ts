/**
 * The dashboard's Koa application: the middleware in order, and the routes. Pages are in pages/.
 */
import Router from "@koa/router";
import Koa, { type Context, type Middleware } from "koa";
import { compressResponses } from "../lib/compression.ts";
import { isResourceShortage } from "../lib/resource-shortage.ts";
import { reserveForResponse } from "../lib/response-memory.ts";
import { TooManyWaiting } from "../lib/serial-queues.ts";
import { SpoolUnavailable } from "../spool/port/errors.ts";
import { TooManyReports } from "../spool/port/reports.ts";
import { Credentials } from "./auth/credentials.ts";
import { rejectPlainHttp } from "./auth/insecure-transport.ts";
import { KeptForms, typedForm } from "./auth/kept-form.ts";
import { type Access, hasAccess, isStopped, mayRequest, requiredAccess } from "./auth/roles.ts";
import {
  type AuthContext,
  authenticate,
  hasSessionCookie,
  isOfSession,
  requireFormToken,
  requireSameAccount,
} from "./auth/sessions.ts";
import { handleErrors, logRequest, setSecurityHeaders, takeAddressToken } from "./middleware.ts";
import { createAccountDeletion } from "./pages/account-deletion.tsx";
import { createApiPages } from "./pages/api-pages.ts";
import { createAuditRoutes } from "./pages/audit-routes.ts";
import { createBulkRoutes } from "./pages/bulk-routes.ts";
import { createDocsPages } from "./pages/docs-pages.tsx";
import { createDomainReportPages } from "./pages/domain-reports.tsx";
import { createDomainRoutes } from "./pages/domain-routes.ts";
import { endedSession, formPage, type IsPage } from "./pages/ended-session.ts";
import { errorPage } from "./pages/error-page.tsx";
import { createInvitationPages, createJoinRoutes } from "./pages/invitation-pages.tsx";
import { createKeyRoutes } from "./pages/key-routes.ts";
import { createLinkPages } from "./pages/link-pages.tsx";
import { createMessageListRoutes } from "./pages/message-list-routes.ts";
import { createMessageRoutes } from "./pages/message-routes.ts";
import { createNoticeRoutes } from "./pages/notice-routes.ts";
import { createOperatorRoutes } from "./pages/operator-routes.ts";
import { createOverviewPages } from "./pages/overview-pages.tsx";
import { createProfileRoutes } from "./pages/profile-routes.ts";
import { createProviderPages, RETURN_ROUTE } from "./pages/provider-pages.ts";
import { createRequestRoutes } from "./pages/request-routes.ts";
import type { Page, Pages } from "./pages/routes.ts";
import { createSetup } from "./pages/setup-page.tsx";
import { createSignIn } from "./pages/sign-in-page.tsx";
import { createStartPages } from "./pages/start-pages.tsx";
import { createSuppressedPages } from "./pages/suppressed-pages.ts";
import { createUserRoutes } from "./pages/user-routes.ts";
import { createWebhookRoutes } from "./pages/webhook-routes.ts";
import { publicPage, signedInPage } from "./views/layout.tsx";
import { sendAsset } from "./web/assets.ts";
import { readForms } from "./web/form.ts";
import { notFound, PageError } from "./web/page-error.ts";
import type { DashboardParts } from "./web/parts.ts";
import { actorOf } from "./web/request-actor.ts";

export interface Dashboard {
  app: Koa;
  /** All routes below /dashboard, such as `POST /keys`, with what they need. */
  routes: readonly DashboardRoute[];
  /** Returns a link that creates the first user, once; null when a user exists. */
  setupUrl(): Promise<string | null>;
}

/** The form that may have a file. */
const UPLOAD_PATH = "/dashboard/suppressed/add";

export interface DashboardRoute {
  route: string;
  access: Access | "public";
}

/** Creates the application for /dashboard. It does not listen. */
export function createDashboard(parts: DashboardParts): Dashboard {
  const credentials = new Credentials(parts);
  const setup = createSetup(parts, credentials);
  const app = new Koa();
  app.silent = true;
  app.use(compressResponses(isOfOwnPage));
  app.use(setSecurityHeaders({ policy: POLICY, referrerPolicy: "same-origin" }));
  app.use(logRequest(parts));
  const errorFor = (error: unknown): PageError | null => pageErrorFor(error, parts.publicUrl);
  app.use(handleErrors({ log: parts.log, errorFor, render: renderError }));
  app.use(limitAnonymousRequests(parts));
  app.use(limitUnreadResponses(parts));
  app.use(rejectPlainHttp(parts));
  app.use(identifyOnError(parts));
  const authorizeUpload = async (ctx: Context): Promise<string> => {
    if (ctx.path !== UPLOAD_PATH) throw new PageError("not_a_form");
    const auth = await authenticate(ctx, parts);
    if (auth === null) throw new PageError("form_expired");
    if (!mayRequest(auth, `POST ${UPLOAD_PATH}`)) throw new PageError("forbidden");
    return auth.account.id;
  };
  app.use(readForms({ publicUrl: parts.publicUrl, clock: parts.clock, authorizeUpload }));
  const router = new Router({ prefix: "/dashboard" });
  const routes = addRoutes(router, parts, credentials);
  app.use(router.routes());
  app.use(() => {
    throw notFound();
  });
  return { app, routes, setupUrl: setup.url };
}

function addRoutes(router: Router, parts: DashboardParts, credentials: Credentials): DashboardRoute[] {
  const userPages: Pages = pagesOf<Page>(userGroups(credentials), parts);
  const isPage: IsPage = (path) => {
    const route = router.match(path, "GET").pathAndMethod.at(-1)?.path;
    return typeof route === "string" && `GET ${route.replace("/dashboard", "")}` in userPages;
  };
  const publicPages = pagesOf<Handler>(publicGroups(credentials, isPage), parts);
  const sessionParts = { parts, keptForms: new KeptForms(parts), isPage };
  router.get("/assets/:version/:name", (ctx) => sendAsset(ctx, ctx.params.name ?? ""));
  for (const [route, page] of Object.entries(publicPages)) add(router, route, countUnknownSessions(page, parts));
  for (const [route, page] of Object.entries(userPages)) {
    add(router, route, requireSession(requireAccess(route, page), sessionParts));
  }
  return [
    ...Object.keys(publicPages).map((route) => ({ route, access: "public" as const })),
    ...Object.keys(userPages).map((route) => ({ route, access: requiredAccess(route) })),
  ];
}

/** Handles a request. Returns HTML, or sets the response on the context. */
type Handler = (ctx: Context) => Promise<unknown>;

/** Creates the pages of a group. A group has no state of its own. */
type Group<Handled> = (parts: DashboardParts) => Record<string, Handled>;

const publicGroups = (credentials: Credentials, isPage: IsPage): Group<Handler>[] => [
  (parts) => createSignIn(parts, credentials),
  (parts) => createProviderPages({ parts, credentials, isPage }),
  (parts) => createSetup(parts, credentials).pages,
  (parts) => createLinkPages(parts, credentials),
  (parts) => createInvitationPages(parts, credentials),
  createApiPages,
  createDocsPages,
];

const userGroups = (credentials: Credentials): Group<Page>[] => [
  createOverviewPages,
  createAuditRoutes,
  createNoticeRoutes,
  createStartPages,
  createDomainRoutes,
  createDomainReportPages,
  createKeyRoutes,
  createRequestRoutes,
  createWebhookRoutes,
  createMessageListRoutes,
  createBulkRoutes,
  createMessageRoutes,
  createSuppressedPages,
  (parts) => createProfileRoutes(parts, credentials),
  (parts) => createUserRoutes(parts, credentials),
  createJoinRoutes,
  (parts) => createAccountDeletion(parts, credentials),
  (parts) => createOperatorRoutes(parts, credentials),
];

/** What may change something: forms, and the return from the identity provider, which begins a session. */
const isChange = (route: string): boolean => !route.startsWith("GET ") || route === RETURN_ROUTE;

/** The pages of all groups. A form has its own pages, whose parts record in the audit trail what its sender changes. */
function pagesOf<Handled extends Page | Handler>(
  groups: readonly Group<Handled>[],
  parts: DashboardParts,
): Record<string, Handled> {
  const pages: Record<string, Handled> = {};
  for (const group of groups) {
    for (const [route, shared] of Object.entries(group(parts))) {
      const acting = (ctx: Context, auth?: AuthContext): unknown => {
        const own = group({ ...parts, ...parts.actingAs(actorOf(ctx, parts, auth)) })[route];
        return (own as (ctx: Context, auth?: AuthContext) => unknown)(ctx, auth);
      };
      pages[route] = isChange(route) ? (acting as Handled) : shared;
    }
  }
  return pages;
}

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

interface SessionParts {
  parts: DashboardParts;
  keptForms: KeptForms;
  isPage: IsPage;
}

/** Leads to the sign-in page without a session. A form must also carry the session's token and its account. */
function requireSession(page: Page, { parts, keptForms, isPage }: SessionParts): Handler {
  return async (ctx) => {
    const auth = await authenticate(ctx, parts);
    if (auth === null) {
      if (hasSessionCookie(ctx)) takeAddressToken(ctx, parts.addresses);
      return endedSession(ctx, parts, isPage);
    }
    ctx.state.auth = auth;
    if (!(await parts.pace.ready(auth.account.id))) throw new PageError("too_many_waiting");
    if (ctx.method === "POST") {
      const form = isOfSession(ctx, auth) ? null : typedForm(ctx, parts, formPage(ctx, isPage));
      if (form?.userId === auth.user.id && form.accountId === auth.account.id) {
        // Of an earlier session of the user, who has signed in again elsewhere.
        return ctx.redirect(await keptForms.hold(form));
      }
      requireFormToken(ctx, auth);
      requireSameAccount(ctx, auth);
    }
    auth.keptForm = await keptForms.take(ctx, auth);
    return page(ctx, auth);
  };
}

/** Throws `forbidden` if the user's role does not suffice for the route, and `not_found` if only operators know it. */
function requireAccess(route: string, page: Page): Page {
  const access = requiredAccess(route);
  return async (ctx, auth) => {
    if (!hasAccess(auth, access)) throw access === "operator" ? notFound() : new PageError("forbidden");
    if (isStopped(auth, route)) throw new PageError("account_deleted");
    return page(ctx, auth);
  };
}

/**
 * Whether a page of this service, or its user, makes the request. Another site could have a browser request pages again and again with
 * a text of its choice in them, and conclude from the sizes of the compressed pages what else they contain (BREACH).
 */
const isOfOwnPage = (ctx: Context): boolean => ["", "none", "same-origin"].includes(ctx.get("Sec-Fetch-Site"));

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

/** A cookie without a session is no user's: its requests for public pages count for the client address, as those without a cookie do. */
function countUnknownSessions(page: Handler, parts: DashboardParts): Handler {
  return async (ctx) => {
    if (hasSessionCookie(ctx) && (await authenticate(ctx, parts)) === null) takeAddressToken(ctx, parts.addresses);
    return page(ctx);
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

/**
 * Looks up the session where a request fails before its route has done so, such as at an unknown path or with a form that is
 * too large: its error page then keeps the navigation. Throws the error.
 */
function identifyOnError(parts: DashboardParts): Middleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      // Requests with an invalid session that are over their limit cause no further look-up.
      const isLimited = error instanceof PageError && error.code === "too_many_requests";
      if (ctx.state.auth === undefined && hasSessionCookie(ctx) && !isLimited) await identify(ctx, parts);
      throw error;
    }
  };
}

async function identify(ctx: Context, parts: DashboardParts): Promise<void> {
  // While the spool is unavailable, so is the session.
  const auth = await authenticate(ctx, parts).catch(() => null);
  if (auth === null) takeAddressToken(ctx, parts.addresses);
  else ctx.state.auth = auth;
}

function renderError(error: PageError | null, ctx: Context): string {
  const auth: AuthContext | undefined = ctx.state.auth;
  const page = errorPage(error, { auth: auth ?? null, requestId: String(ctx.state.requestId) });
  return auth === undefined ? publicPage(page) : signedInPage(auth, "none", page);
}

/** Maps an error to a PageError; null for an internal error. */
function pageErrorFor(error: unknown, publicUrl: string): PageError | null {
  if (error instanceof PageError && error.code === "cross_site") {
    const advice = `This dashboard is at ${publicUrl}. Use that address, or set PUBLIC_URL to the one that you use.`;
    return new PageError("cross_site", `${error.message} ${advice}`);
  }
  if (error instanceof PageError) return error;
  if (error instanceof TooManyReports) return new PageError("too_many_reports");
  if (error instanceof TooManyWaiting) return new PageError("too_many_waiting", error.message);
  if (error instanceof SpoolUnavailable || isResourceShortage(error)) return new PageError("unavailable");
  return null;
}
