/**
 * The images of a message's HTML that are in the message itself (`cid:`, RFC 2392), as data URLs: a sandboxed page can show them
 * without a request. The type is that of the bytes, whatever the message says. SVG is left out: it is a document, and it would run its
 * scripts if it was opened as a page.
 */
import { contentIdOf } from "./attached-files.ts";
import { type LeafPart, leafParts } from "./text-parts.ts";
import { decodeTransfer } from "./transfer-decoding.ts";

/** Characters of all data URLs together, each use counted. */
export const INLINE_LENGTH_MAX = 8 * 1024 * 1024;

/** A use in an attribute, quoted or not, or in CSS. The id ends before an entity other than the ampersand's. */
const USE = /(["'(=,;]\s{0,20})cid:((?:&amp;|[^\s"'<>()&]){1,400})/gi;

const SIGNATURES: readonly [type: string, at: number, bytes: string][] = [
  ["image/png", 0, "\x89PNG\r\n\x1a\n"],
  ["image/jpeg", 0, "\xff\xd8\xff"],
  ["image/gif", 0, "GIF8"],
  ["image/webp", 8, "WEBP"],
  ["image/avif", 4, "ftypavif"],
  ["image/bmp", 0, "BM"],
];

/** Returns the HTML with the uses of the content's images replaced, as far as the limit allows. Others stay as they are. */
export function withInlineImages(html: string, content: Buffer): string {
  if (!/cid:/i.test(html)) return html;
  const images = new Images(content);
  let lengthLeft = INLINE_LENGTH_MAX;
  return html.replace(USE, (whole, before: string, written: string) => {
    const url = images.urlOf(idOf(written));
    if (url === null || url.length > lengthLeft) return whole;
    lengthLeft -= url.length;
    return before + url;
  });
}

function idOf(written: string): string {
  const text = written.replaceAll("&amp;", "&");
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

class Images {
  readonly #parts = new Map<string, LeafPart>();
  readonly #urls = new Map<string, string | null>();

  constructor(content: Buffer) {
    for (const part of leafParts(content)) {
      const id = contentIdOf(part);
      if (id !== null && !this.#parts.has(id)) this.#parts.set(id, part);
    }
  }

  /** Returns null if the message has no such image. Each part is decoded once. */
  urlOf(id: string): string | null {
    const part = this.#parts.get(id);
    if (part === undefined) return null;
    const known = this.#urls.get(id);
    if (known !== undefined) return known;
    const url = dataUrl(part);
    this.#urls.set(id, url);
    return url;
  }
}

function dataUrl({ body, encoding }: LeafPart): string | null {
  const { bytes, isTruncated } = decodeTransfer(body, encoding, INLINE_LENGTH_MAX);
  const type = SIGNATURES.find(([, at, signature]) => hasAt(bytes, at, signature))?.[0];
  return type === undefined || isTruncated ? null : `data:${type};base64,${bytes.toString("base64")}`;
}

const hasAt = (bytes: Buffer, at: number, signature: string): boolean =>
  bytes.toString("latin1", at, at + signature.length) === signature;
