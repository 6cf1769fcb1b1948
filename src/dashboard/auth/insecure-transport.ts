/**
 * Browsers that reach a dashboard for HTTPS without it: they would drop the session's cookie, which is for HTTPS only,
 * and come back to the sign-in page without a word.
 */
import type { Middleware } from "koa";
import { PageRefusal } from "../web/page-error.ts";
import type { DashboardParts } from "../web/parts.ts";

/** Browsers keep such cookies from here without HTTPS too: a tunnel to the host works. */
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/** Refuses a form that a browser sent from a page that came over plain HTTP, where HTTPS is needed. */
export function refuseOverHttp({ secure, publicUrl }: Pick<DashboardParts, "secure" | "publicUrl">): Middleware {
  return async (ctx, next) => {
    // Behind a proxy that ends TLS the request itself does not tell; the page's own origin does.
    const origin = ctx.get("Origin");
    if (secure && ctx.method === "POST" && URL.canParse(origin)) {
      const { protocol, hostname } = new URL(origin);
      if (protocol === "http:" && !LOOPBACK.test(hostname))
        throw new PageRefusal("over_http", overHttpSentence(publicUrl));
    }
    await next();
  };
}

const overHttpSentence = (publicUrl: string): string =>
  `You came over plain HTTP, but sessions here are for HTTPS only, so signing in cannot work. Open ${publicUrl}/dashboard instead, or set PUBLIC_URL to the address that you use.`;
