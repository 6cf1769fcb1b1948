/**
 * Rejects forms that reach an HTTPS dashboard over plain HTTP: the browser would drop the Secure session cookie and show
 * the sign-in page again without an explanation.
 */
import type { Middleware } from "koa";
import { isLoopbackName } from "../../lib/loopback-name.ts";
import { PageError } from "../web/page-error.ts";
import type { DashboardParts } from "../web/parts.ts";

/**
 * Throws `over_http` for a POST from a page that was loaded over plain HTTP, where `secure` requires HTTPS. Browsers keep Secure
 * cookies from loopback without HTTPS, so a tunnel to the host works.
 */
export function rejectPlainHttp({ secure, publicUrl }: Pick<DashboardParts, "secure" | "publicUrl">): Middleware {
  return async (ctx, next) => {
    // Behind a proxy that ends TLS, only the page's origin shows the scheme.
    const origin = ctx.get("Origin");
    if (secure && ctx.method === "POST" && URL.canParse(origin)) {
      const { protocol, hostname } = new URL(origin);
      if (protocol === "http:" && !isLoopbackName(hostname))
        throw new PageError("over_http", overHttpMessage(publicUrl));
    }
    await next();
  };
}

const overHttpMessage = (publicUrl: string): string =>
  `You opened this page over plain HTTP, but signing in requires HTTPS. Open ${publicUrl}/dashboard instead, or set PUBLIC_URL to the address that you use.`;
