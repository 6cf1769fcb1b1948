/**
 * The shape of a page's routes. The router in dashboard.ts opens a session before it calls a page.
 */
import type { Context } from "koa";
import type { Visit } from "../auth/sessions.ts";

/** Handles one request of a signed-in visitor. Returns HTML, or sets the response on the context. */
export type Page = (ctx: Context, visit: Visit) => Promise<unknown>;

/** Pages by method and path below /dashboard, such as `GET /keys`. */
export type Pages = Record<string, Page>;
