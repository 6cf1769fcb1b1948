/**
 * Serves a message's HTML as a separate, inert document. The sandbox blocks scripts, forms and navigation, and the policy
 * blocks every request. message/reading/readable-content.ts removes the tags that act before either applies.
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

const HEAD = Buffer.from('<!doctype html><meta name="color-scheme" content="light">');

/** Responds with `html`, which must come from the reports, without the tags that act before the policy applies. */
export function sendHtmlFrame(ctx: Context, html: Buffer): void {
  ctx.set("Content-Security-Policy", POLICY);
  ctx.set("X-Frame-Options", "SAMEORIGIN");
  ctx.set("X-DNS-Prefetch-Control", "off");
  ctx.set("Referrer-Policy", "no-referrer");
  ctx.set("Content-Type", "text/html; charset=utf-8");
  ctx.body = Buffer.concat([HEAD, html]);
}
