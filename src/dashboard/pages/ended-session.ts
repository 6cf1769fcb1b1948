/**
 * What a request gets whose session has ended: scripts a status, pages the sign-in page, and forms that page with the form kept. After
 * the sign-in, the form is filled in again on its page (views/kept-form.tsx).
 */
import type { Context } from "koa";
import { sealedForm, typedForm } from "../auth/kept-form.ts";
import { hasSessionCookie } from "../auth/sessions.ts";
import type { DashboardParts } from "../web/parts.ts";
import { dashboardPath, SESSION_ENDED, signInPage } from "./sign-in-page.tsx";

/** Whether there is a page at this path for a signed-in user. */
export type IsPage = (path: string) => boolean;

/** Returns the sign-in page, or sets the response. */
export function endedSession(ctx: Context, parts: DashboardParts, isPage: IsPage): unknown {
  // live.js asks for nothing else.
  if (ctx.get("Accept") === "application/json") {
    ctx.status = 401;
    ctx.body = { session: "ended" };
    return undefined;
  }
  if (ctx.method !== "POST") return redirectToSignIn(ctx);
  const page = formPage(ctx, isPage);
  const form = typedForm(ctx, parts, page);
  if (form === null) return redirectToSignIn(ctx);
  ctx.status = 401;
  const notice = `${SESSION_ENDED} What you typed is then in the form again.`;
  return signInPage(parts, { next: page, email: "", kept: sealedForm(parts, form), notice });
}

function redirectToSignIn(ctx: Context): void {
  const query = new URLSearchParams();
  if (hasSessionCookie(ctx)) query.set("done", "ended");
  if (ctx.method === "GET" && ctx.path !== "/dashboard") query.set("next", ctx.url);
  ctx.redirect(`/dashboard/sign-in${query.size === 0 ? "" : `?${query}`}`);
}

/** The path of the page with the form that was sent: the one that the browser names, else the nearest above the form's own path. */
export function formPage(ctx: Context, isPage: IsPage): string {
  const referrer = URL.canParse(ctx.get("Referer")) ? new URL(ctx.get("Referer")) : null;
  const named = referrer === null ? "" : `${referrer.pathname}${withoutTicket(referrer.search)}`;
  if (named !== "" && dashboardPath(named) === named && isPage(referrer?.pathname ?? "")) return named;
  for (let path = ctx.path; path.length > "/dashboard".length; path = path.slice(0, path.lastIndexOf("/"))) {
    if (isPage(path)) return path;
  }
  return "/dashboard";
}

function withoutTicket(search: string): string {
  const query = new URLSearchParams(search);
  query.delete("kept");
  query.delete("done");
  return query.size === 0 ? "" : `?${query}`;
}
