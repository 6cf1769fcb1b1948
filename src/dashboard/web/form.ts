/**
 * Reads forms, within a size limit and only from the dashboard's own pages. Browsers send Origin or Sec-Fetch-Site with
 * every POST; a client that sends neither is not a browser and holds no user's cookies by accident.
 */
import type { Context, Middleware } from "koa";
import { readBody } from "../../lib/bounded-body.ts";
import { PageError } from "./page-error.ts";

const FORM_BYTES_MAX = 64 * 1024;

/** Middleware that reads the form of a POST into `ctx.state.form`. Throws a PageError for a form that it rejects. */
export function readForms(publicUrl: string): Middleware {
  const { host } = new URL(publicUrl);
  return async (ctx, next) => {
    if (ctx.method === "POST") {
      rejectCrossSite(ctx, host);
      ctx.state.form = await readForm(ctx);
    }
    await next();
  };
}

/** Returns a field of the request's form, trimmed; "" when it is missing. */
export function field(ctx: Context, name: string): string {
  return rawField(ctx, name).trim();
}

/** Returns all fields of a name, trimmed, such as those of several check boxes. */
export function fields(ctx: Context, name: string): string[] {
  return (ctx.state.form as URLSearchParams).getAll(name).map((value) => value.trim());
}

/** Returns a field as it was sent, for passwords. */
export function rawField(ctx: Context, name: string): string {
  return (ctx.state.form as URLSearchParams).get(name) ?? "";
}

function rejectCrossSite(ctx: Context, publicHost: string): void {
  const site = ctx.get("Sec-Fetch-Site");
  if (site !== "" && site !== "same-origin" && site !== "none") throw new PageError("cross_site");
  const origin = ctx.get("Origin");
  if (origin === "") return;
  const host = URL.canParse(origin) ? new URL(origin).host : null;
  if (host !== ctx.get("Host") && host !== publicHost) throw new PageError("cross_site");
}

/** Requires a Content-Length, so that an oversized form is rejected before it is read. */
async function readForm(ctx: Context): Promise<URLSearchParams> {
  if (ctx.is("application/x-www-form-urlencoded") === false) throw new PageError("not_a_form");
  if (ctx.get("Transfer-Encoding") !== "") throw new PageError("without_length");
  const body = await readBody(ctx.req, { bytesMax: FORM_BYTES_MAX });
  if (body.type === "read") return new URLSearchParams(body.bytes.toString("utf8"));
  if (body.type === "cut_off") throw new Error("form body ended before its Content-Length");
  throw new PageError("too_large");
}
