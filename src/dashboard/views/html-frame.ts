/**
 * How a message's HTML is shown: as a document of its own that may do nothing. The sandbox takes scripts, forms and
 * navigation away, the policy every request; message/readable-content.ts disarms the tags that act before either.
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

/** `html` as the reports give it, without tags that act before the policy is asked. */
export function sendHtmlFrame(ctx: Context, html: Buffer): void {
  ctx.set("Content-Security-Policy", POLICY);
  ctx.set("X-Frame-Options", "SAMEORIGIN");
  ctx.set("X-DNS-Prefetch-Control", "off");
  ctx.set("Referrer-Policy", "no-referrer");
  ctx.set("Content-Type", "text/html; charset=utf-8");
  ctx.body = Buffer.concat([HEAD, html]);
}
