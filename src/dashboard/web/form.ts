/**
 * Forms as browsers send them: read within a bound, and only from our own pages. A browser says on a POST where it
 * comes from; what does not say so is no browser and carries nobody's cookies by accident.
 */
import type { Context, Middleware } from "koa";
import { readBody } from "../../lib/bounded-body.ts";
import { PageRefusal } from "./page-error.ts";

const FORM_BYTES_MAX = 64 * 1024;

/** Reads the form of a POST into `ctx.state.form`. */
export function readForms(publicUrl: string): Middleware {
  const { host } = new URL(publicUrl);
  return async (ctx, next) => {
    if (ctx.method === "POST") {
      refuseCrossSite(ctx, host);
      ctx.state.form = await readForm(ctx);
    }
    await next();
  };
}

/** A field of the request's form, without blanks around it; "" when it is missing. */
export function field(ctx: Context, name: string): string {
  return rawField(ctx, name).trim();
}

/** As it came: for passwords. */
export function rawField(ctx: Context, name: string): string {
  return (ctx.state.form as URLSearchParams).get(name) ?? "";
}

function refuseCrossSite(ctx: Context, publicHost: string): void {
  const site = ctx.get("Sec-Fetch-Site");
  if (site !== "" && site !== "same-origin" && site !== "none") throw new PageRefusal("cross_site");
  const origin = ctx.get("Origin");
  if (origin === "") return;
  const host = URL.canParse(origin) ? new URL(origin).host : null;
  if (host !== ctx.get("Host") && host !== publicHost) throw new PageRefusal("cross_site");
}

/** A browser says how long its form is; so reading can be refused before it begins, and costs little. */
async function readForm(ctx: Context): Promise<URLSearchParams> {
  if (ctx.is("application/x-www-form-urlencoded") === false) throw new PageRefusal("not_a_form");
  if (ctx.get("Transfer-Encoding") !== "") throw new PageRefusal("without_length");
  const body = await readBody(ctx.req, { bytesMax: FORM_BYTES_MAX });
  if (body.type === "read") return new URLSearchParams(body.bytes.toString("utf8"));
  if (body.type === "cut_off") throw new Error("the form ended early");
  throw new PageRefusal("too_large");
}
