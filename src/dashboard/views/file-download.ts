/** Serves bytes that a sender has written as a file to be saved. A browser neither opens it as a page nor guesses another type. */
import type { Context } from "koa";

export interface Download {
  filename: string;
  bytes: Buffer;
  type: "message/rfc822" | "application/octet-stream";
}

/** Responds with the file. Its name is encoded as RFC 6266 and RFC 8187 have it. */
export function sendFile(ctx: Context, { filename, bytes, type }: Download): void {
  ctx.set("Content-Type", type);
  // Without a fallback in ASCII, a name in Latin-1 is sent as such, which browsers read differently.
  ctx.attachment(filename, { fallback: filename.replace(/[^ -~]/g, "_") });
  // For browsers that show the file all the same.
  ctx.set("Content-Security-Policy", "default-src 'none'; sandbox");
  ctx.set("X-Content-Type-Options", "nosniff");
  ctx.body = bytes;
}
