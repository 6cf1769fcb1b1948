/**
 * Compresses responses with gzip for clients that accept it (RFC 9110 §12.5.3). A short response is left as it is: it fits into a
 * packet anyway, and the most frequent ones are short. One response is compressed at a time, on a thread of libuv; where many wait,
 * further ones are sent as they are.
 */
import { promisify } from "node:util";
import { gzip, constants as zlib } from "node:zlib";
import type { Context, Middleware } from "koa";
import { SerialQueues } from "./serial-queues.ts";

/** Shorter bodies are not compressed. */
export const COMPRESSED_LENGTH_MIN = 1024;
/** Responses that wait for another that is being compressed. Each takes about 1 ms for 100 KB. */
const WAITING_MAX = 32;

const TEXT = /^(?:text\/(?!event-stream)|application\/(?:[\w.-]+\+)?json$|image\/svg\+xml$)/;

const toGzip = promisify<Buffer | string, { level: number }, Buffer>(gzip);

/** `mayCompress`: whether the response to this request may be compressed. */
export function compressResponses(mayCompress: (ctx: Context) => boolean = () => true): Middleware {
  const queue = new SerialQueues(WAITING_MAX);
  return async (ctx, next) => {
    await next();
    if (isPlainObject(ctx.body)) ctx.body = JSON.stringify(ctx.body);
    const { body } = ctx;
    if (!isLong(body) || !TEXT.test(ctx.response.type) || ctx.res.hasHeader("Content-Encoding")) return;
    ctx.vary("Accept-Encoding");
    if (ctx.acceptsEncodings("gzip", "identity") !== "gzip" || !mayCompress(ctx)) return;
    const compressed = await queue.run("", () => toGzip(body, { level: zlib.Z_BEST_SPEED }));
    if (compressed === null) return;
    ctx.body = compressed;
    ctx.set("Content-Encoding", "gzip");
  };
}

const isPlainObject = (body: unknown): body is object =>
  typeof body === "object" && body !== null && Object.getPrototypeOf(body) === Object.prototype;

const isLong = (body: unknown): body is string | Buffer =>
  (typeof body === "string" || Buffer.isBuffer(body)) && body.length >= COMPRESSED_LENGTH_MIN;
