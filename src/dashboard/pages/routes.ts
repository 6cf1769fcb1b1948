/**
 * The types of a page group's routes. The router in dashboard.ts authenticates the request before it calls a page.
 */
import type { Context } from "koa";
import type { AuthContext } from "../auth/sessions.ts";

/** Handles a request of a signed-in user. Returns HTML, or sets the response on the context. */
export type Page = (ctx: Context, auth: AuthContext) => Promise<unknown>;

/** Pages by method and path below /dashboard, such as `GET /keys`. */
export type Pages = Record<string, Page>;
