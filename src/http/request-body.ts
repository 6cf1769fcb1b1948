/**
 * Reads the JSON body of a request: checks its type and size, waits for its memory and returns its bytes, unparsed.
 */
import type { Context } from "koa";
import { type Body, type BodyBounds, readBody } from "../lib/bounded-body.ts";
import type { Clock } from "../lib/clock.ts";
import { reserveMemory } from "./overload/concurrency-limiter.ts";
import { waitForMemory } from "./overload/long-send-limiter.ts";
import { Problem } from "./response/problems.ts";
import { STALLED_MS } from "./server.ts";

/** How long a client may pause within a body, which holds memory. */
const BODY_STALLED_MS = 20_000;

/** The rate at which a body must arrive on average once its memory is reserved. */
const RATE_MIN = {
  graceMs: 20_000,
  bytesPerS: 64 * 1024,
  tooSlow: () => new Problem("request_timeout", "The body arrives too slowly.", { headers: { Connection: "close" } }),
};

export interface JsonBounds {
  bytesMax: number;
  clock: Clock;
}

/**
 * Returns the bytes of a JSON body. Throws a 415, 413, 408 or 400 Problem, or those of waiting for memory; never reads more
 * than `bytesMax`.
 */
export async function readJsonBytes(ctx: Context, { bytesMax, clock }: JsonBounds): Promise<Buffer> {
  requireJson(ctx);
  const tooLarge = (): Problem => new Problem("body_too_large", `The request is larger than ${bytesMax} bytes.`);
  if ((ctx.request.length ?? 0) > bytesMax) throw tooLarge();
  const waiting = waitForMemory(ctx);
  // Short sends must not wait, not even for a microtask.
  if (waiting !== null) await waiting;
  const mayStall = !ctx.req.complete;
  if (mayStall) ctx.req.setTimeout(BODY_STALLED_MS);
  const bounds: BodyBounds =
    waiting === null
      ? { bytesMax, reserve: (sizeBytes) => reserveMemory(ctx, sizeBytes) }
      : { bytesMax, isReserved: true, rateMin: { ...RATE_MIN, clock } };
  const body = await readBody(ctx.req, bounds);
  if (mayStall) ctx.req.setTimeout(STALLED_MS);
  if (body.type === "read") return body.bytes;
  throw body.type === "too_large" ? tooLarge() : new Problem(...FAULTS[body.type]);
}

const FAULTS: Record<Exclude<Body["type"], "read" | "too_large">, ["invalid_json" | "invalid_request", string]> = {
  fragmented: ["invalid_request", "The body arrives in too many small chunks. Send it in larger ones."],
  cut_off: ["invalid_json", "The body ended early."],
};

function requireJson(ctx: Context): void {
  const type = ctx.request.type.toLowerCase();
  if (type !== "application/json" && !type.endsWith("+json")) {
    throw new Problem("unsupported_media_type", "Send the body as 'Content-Type: application/json'.");
  }
  const charset = ctx.request.charset.toLowerCase();
  if (charset !== "" && charset !== "utf-8" && charset !== "utf8") {
    throw new Problem("unsupported_media_type", "JSON is UTF-8; the Content-Type names another charset.");
  }
  if (!["", "identity"].includes(ctx.get("Content-Encoding").toLowerCase())) {
    throw new Problem("unsupported_media_type", "Send the body without Content-Encoding.");
  }
}
