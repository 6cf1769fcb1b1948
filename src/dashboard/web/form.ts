/**
 * Reads forms, within a size limit and only from the dashboard's own pages. Browsers send Origin or Sec-Fetch-Site with
 * every POST; a client that sends neither is not a browser and holds no user's cookies by accident.
 */
import type { Context, Middleware } from "koa";
import { type BodyBounds, readBody } from "../../lib/bounded-body.ts";
import type { Clock } from "../../lib/clock.ts";
import { SharedBudget } from "../../lib/shared-budget.ts";
import { PageError } from "./page-error.ts";

const FORM_BYTES_MAX = 64 * 1024;

/** Of a form with a file. */
const UPLOAD_BYTES_MAX = 4 * 1024 * 1024;
/** Forms with a file that are read at once: each is in memory twice. One of an account. */
const UPLOADS = { max: 4, share: 1 / 4 };
/** Slower ones are ended, so that they do not keep others waiting. */
const UPLOAD_RATE_MIN = { graceMs: 20_000, bytesPerS: 64 * 1024 };
/** Fields of a form with a file. */
const UPLOAD_FIELDS_MAX = 20;

export interface FormOptions {
  publicUrl: string;
  clock: Clock;
  /** Returns the id of the account whose user may send a form with a file. Throws a PageError for others. */
  authorizeUpload: (ctx: Context) => Promise<string>;
}

/**
 * Middleware that reads the form of a POST into `ctx.state.form`, and its file, if it has one, into `ctx.state.file`. Throws a PageError
 * for a form that it rejects.
 */
export function readForms({ publicUrl, clock, authorizeUpload }: FormOptions): Middleware {
  const { host } = new URL(publicUrl);
  const uploads = new SharedBudget(UPLOADS);
  return async (ctx, next) => {
    if (ctx.method === "POST") {
      rejectCrossSite(ctx, host);
      if (ctx.is("multipart/form-data") === false) ctx.state.form = await readForm(ctx);
      else {
        const accountId = await authorizeUpload(ctx);
        if (uploads.reserve(accountId, 1) !== "reserved") throw new PageError("too_many_waiting");
        try {
          Object.assign(ctx.state, await readUpload(ctx, clock));
        } finally {
          uploads.release(accountId, 1);
        }
      }
    }
    await next();
  };
}

/** Returns the octets of the form's file; null without one, or if it is empty. */
export const fileOf = (ctx: Context): Buffer | null => (ctx.state.file as Buffer | undefined) ?? null;

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
  return new URLSearchParams((await readOctets(ctx, { bytesMax: FORM_BYTES_MAX })).toString("utf8"));
}

async function readOctets(ctx: Context, bounds: BodyBounds): Promise<Buffer> {
  if (ctx.get("Transfer-Encoding") !== "") throw new PageError("without_length");
  const body = await readBody(ctx.req, bounds);
  if (body.type === "read") return body.bytes;
  if (body.type === "cut_off") throw new Error("form body ended before its Content-Length");
  throw new PageError("too_large");
}

async function readUpload(ctx: Context, clock: Clock): Promise<{ form: URLSearchParams; file?: Buffer }> {
  const type = ctx.get("Content-Type");
  const boundary = MULTIPART.exec(type)?.[1];
  if (boundary === undefined) throw new PageError("not_a_form");
  const tooSlow = (): Error => new PageError("too_slow");
  const octets = await readOctets(ctx, { bytesMax: UPLOAD_BYTES_MAX, rateMin: { ...UPLOAD_RATE_MIN, clock, tooSlow } });
  if (fieldCount(octets, boundary) > UPLOAD_FIELDS_MAX) throw new PageError("too_large");
  const data = await new Response(octets as Buffer<ArrayBuffer>, { headers: { "Content-Type": type } })
    .formData()
    .catch(() => {
      throw new PageError("not_a_form");
    });
  const form = new URLSearchParams();
  let file: Buffer | undefined;
  for (const [name, value] of data) {
    if (typeof value === "string") form.append(name, value);
    else if (value.size > 0) file ??= Buffer.from(await value.arrayBuffer());
  }
  return file === undefined ? { form } : { form, file };
}

/** As browsers write it (RFC 2046 §5.1.1). */
const MULTIPART = /^multipart\/form-data; ?boundary="?([\w'()+,./:=?-]{1,70})"?$/i;

/** Counts no further than one more than the limit. */
function fieldCount(octets: Buffer, boundary: string): number {
  let count = -1;
  for (let at = octets.indexOf(`--${boundary}`); at >= 0 && count <= UPLOAD_FIELDS_MAX; count += 1)
    at = octets.indexOf(`--${boundary}`, at + boundary.length);
  return count;
}
