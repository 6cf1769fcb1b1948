/**
 * How a message's HTML is shown: as a document of its own that may do nothing. The sandbox takes scripts, forms and
 * navigation away, the policy every request; the tags that act before either is asked are made harmless.
 */
import type { Context } from "koa";

const POLICY = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  "img-src data:",
  "frame-ancestors 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "sandbox",
].join("; ");

/** A policy does not hold these back: a refresh, and connections that are opened beforehand. */
const ACTING_TAGS = /<(?=(?:link|meta|base)[\s/>])/gi;

export function sendHtmlFrame(ctx: Context, html: string): void {
  ctx.set("Content-Security-Policy", POLICY);
  ctx.set("X-Frame-Options", "SAMEORIGIN");
  ctx.set("X-DNS-Prefetch-Control", "off");
  ctx.set("Referrer-Policy", "no-referrer");
  ctx.set("Content-Type", "text/html; charset=utf-8");
  ctx.body = `<!doctype html><meta name="color-scheme" content="light">${html.replace(ACTING_TAGS, "<x-")}`;
}
