/**
 * Static files: the dashboard's own and the chart library's. Their URLs contain a hash of all files, so browsers can cache
 * them for ever and still load new files after an upgrade. Each is compressed once, when a client first accepts the encoding.
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { extname } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, gzip } from "node:zlib";
import type { Context } from "koa";
import { notFound } from "./page-error.ts";

const TYPES: Record<string, string> = {
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
};

const require = createRequire(import.meta.url);
const OWN = new URL("../assets/", import.meta.url);
const FILES = new Map<string, Buffer>([
  ...readdirSync(OWN).map((name): [string, Buffer] => [name, readFileSync(new URL(name, OWN))]),
  ["uplot.js", readFileSync(require.resolve("uplot/dist/uPlot.esm.js"))],
  ["uplot.css", readFileSync(require.resolve("uplot/dist/uPlot.min.css"))],
]);

const VERSION = versionOf(FILES);

function versionOf(files: Map<string, Buffer>): string {
  const hash = createHash("sha256");
  for (const [name, bytes] of files) hash.update(name).update(bytes);
  return hash.digest("hex").slice(0, 12);
}

/** Returns the versioned path of an asset. Throws for an unknown name. */
export function assetUrl(name: string): string {
  if (!FILES.has(name)) throw new Error(`unknown asset ${name}`);
  return `/dashboard/assets/${VERSION}/${name}`;
}

/** Responds with an asset. Throws `not_found` for an unknown name. */
export async function sendAsset(ctx: Context, name: string): Promise<void> {
  const bytes = FILES.get(name);
  const type = TYPES[extname(name)];
  if (bytes === undefined || type === undefined) throw notFound();
  ctx.set("Content-Type", type);
  ctx.set("Cache-Control", "public, max-age=31536000, immutable");
  ctx.vary("Accept-Encoding");
  const encoding = acceptedEncoding(ctx);
  ctx.body = encoding === null ? bytes : await compressed(name, encoding, bytes);
  if (encoding !== null) ctx.set("Content-Encoding", encoding);
}

const COMPRESS = { br: promisify<Buffer, Buffer>(brotliCompress), gzip: promisify<Buffer, Buffer>(gzip) };

type Encoding = keyof typeof COMPRESS;

/** By encoding and name. */
const compressedFiles = new Map<string, Promise<Buffer>>();

function compressed(name: string, encoding: Encoding, bytes: Buffer): Promise<Buffer> {
  const key = `${encoding} ${name}`;
  const file = compressedFiles.get(key) ?? COMPRESS[encoding](bytes);
  compressedFiles.set(key, file);
  return file;
}

/** The encoding that the client prefers; of those that it prefers the same, Brotli. Null for none. */
function acceptedEncoding(ctx: Context): Encoding | null {
  const preferred = ctx.acceptsEncodings("br", "gzip", "identity");
  const isRanked = ctx.get("Accept-Encoding").includes(";");
  if (preferred === "gzip" && !isRanked && ctx.acceptsEncodings("br") === "br") return "br";
  return preferred === "br" || preferred === "gzip" ? preferred : null;
}
