/** The URLs of searches: a form sends its empty fields too, and a bookmark or a shared link is better off without them. */
import type { Context } from "koa";
import type { Page } from "./routes.ts";

/** A page with a search form. Redirects from a URL with empty parameters to the one without them, which selects the same. */
export function withShortUrl(page: Page): Page {
  return async (ctx, auth) => {
    const short = shortUrl(ctx);
    return short === null ? page(ctx, auth) : ctx.redirect(short);
  };
}

/** Null if there is no empty parameter, so that no redirect follows another. */
function shortUrl({ path, querystring }: Pick<Context, "path" | "querystring">): string | null {
  const given = [...new URLSearchParams(querystring)];
  const kept = given.filter(([, value]) => value.trim() !== "");
  if (kept.length === given.length) return null;
  return kept.length === 0 ? path : `${path}?${new URLSearchParams(kept)}`;
}
