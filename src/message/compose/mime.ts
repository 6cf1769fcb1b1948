/**
 * MIME entities (RFC 2045, 2046): selects the encoding of a text and joins parts to one body. compose.ts decides which parts a
 * message has.
 *
 * nodemailer's composer is not used: it was the largest single cost of accepting a message, mostly for streams and header
 * parsing that a text in memory does not need. For 4 KB of text this code is 8 to 23 times faster (5 alternating rounds).
 */
import { buildHeaderValue } from "nodemailer/lib/mime-funcs";
import { base64LinesBytes, writeBase64Lines } from "../base64.ts";
import type { Range } from "../body-hash.ts";
import { type Content, contentOf } from "../content.ts";
import type { Attachment } from "../send-request/attachment.ts";
import { shortLines } from "./short-lines.ts";
import { quotedPrintableBytesMax, type TextBytes, textBytes, withCrlf, writeQuotedPrintable } from "./text-bytes.ts";

/** Header fields without their final CRLF, and a body; 7-bit with CRLF line ends only. */
export interface Entity {
  fields: string[];
  /** In their order. */
  body: Piece[];
}

/** Text, or bytes that are encoded directly into the message's buffer. */
type Piece = string | Encoded;

interface Encoded {
  /** Upper bound of the bytes that `write` writes. */
  bytesMax: number;
  /** Set for base64: it contains no blanks, so the body hash need not examine it (see `relaxedBodyHash`). */
  isLiteral?: true;
  /** Writes the bytes from `start` and returns the index after them. */
  write(target: Buffer, start: number): number;
}

const LF = 0x0a;
const PLAIN = /^[\t\r\n -~]*$/;

/**
 * Returns a text as an entity, with CRLF line ends and in the shortest possible encoding. If the text contains `boundary`, the
 * encoding is one in which the boundary cannot occur.
 */
export function textEntity(type: "text/plain" | "text/html", text: string, boundary: string): Entity {
  const { encoding, body } = encodeText(text, boundary);
  const fields = [`Content-Type: ${type}; charset=utf-8`, `Content-Transfer-Encoding: ${encoding}`];
  return { fields, body };
}

function encodeText(text: string, boundary: string): { encoding: string; body: Piece[] } {
  const isPlain = PLAIN.test(text);
  const plainBody = isPlain && !text.includes(boundary) ? shortLines(text) : null;
  if (plainBody !== null) return { encoding: "7bit", body: plainBody.map(ascii) };
  const bytes = textBytes(text);
  if (isPlain || !isShorterAsBase64(bytes)) return { encoding: "quoted-printable", body: [quotedPrintable(bytes)] };
  return { encoding: "base64", body: [base64(withCrlf(bytes))] };
}

/** A piece of ASCII text, which is copied instead of encoded. */
function ascii(text: string): Encoded {
  return { bytesMax: text.length, write: (target, start) => start + target.write(text, start, "latin1") };
}

function quotedPrintable(text: TextBytes): Encoded {
  return {
    bytesMax: quotedPrintableBytesMax(text),
    write: (target, start) => writeQuotedPrintable(text.bytes, target, start),
  };
}

function base64(bytes: Buffer): Encoded {
  return {
    bytesMax: base64LinesBytes(bytes.length),
    isLiteral: true,
    write: (target, start) => writeBase64Lines(bytes, target, start),
  };
}

/** A message must not be encoded (RFC 2046 §5.2.1): forwarded.ts makes the content 7-bit. */
export const MESSAGE_TYPE = "message/rfc822";

/** Returns a file as an entity: inline with a content id (RFC 2392), otherwise an attachment (RFC 2183). */
export function fileEntity({ filename, contentType, contentId, content }: Attachment): Entity {
  const value = contentId === null ? "attachment" : "inline";
  // Encodes non-ASCII names by RFC 2231.
  const disposition = buildHeaderValue({ value, params: { filename } }).replaceAll("; ", ";\r\n ");
  const isMessage = contentType === MESSAGE_TYPE;
  const fields = [
    `Content-Type: ${contentType}`,
    `Content-Transfer-Encoding: ${isMessage ? "7bit" : "base64"}`,
    `Content-Disposition: ${disposition}`,
    ...(contentId === null ? [] : [`Content-ID: <${contentId}>`]),
  ];
  return { fields, body: [isMessage ? asIs(content) : base64(content)] };
}

/** Octets that are copied instead of encoded. */
function asIs(bytes: Buffer): Encoded {
  return { bytesMax: bytes.length, write: (target, start) => start + bytes.copy(target, start) };
}

/** Base64 needs 4 bytes for 3; quoted-printable needs 3 for each non-printable byte and 1 for most others. */
function isShorterAsBase64({ sizeBytes, nonPrintable }: TextBytes): boolean {
  return (sizeBytes * 4) / 3 < sizeBytes + nonPrintable * 2;
}

type MultipartKind = "alternative" | "related" | "mixed" | { reportType: string };

/**
 * Joins entities to a multipart (RFC 2046 §5.1, RFC 2387, RFC 6522). `boundary` consists of letters and digits and must not occur in the
 * entities, except as the boundary of another kind of multipart.
 */
export function multipart(kind: MultipartKind, boundary: string, entities: Entity[]): Entity {
  const delimiter = boundaryOf(kind, boundary);
  const parts = entities.flatMap(({ fields, body }) => [partHeader(delimiter, fields), ...body, "\r\n"]);
  return {
    fields: [`Content-Type: multipart/${typeOf(kind)} boundary="${delimiter}"`],
    body: [...parts, `--${delimiter}--\r\n`],
  };
}

function partHeader(delimiter: string, fields: string[]): string {
  return `--${delimiter}\r\n${fields.join("\r\n")}\r\n\r\n`;
}

/**
 * Returns a message: header, empty line, body. Adds a CRLF to a body that does not end with one. Each byte is written once. `before` has
 * fields to begin with, each with its CRLF.
 */
export function assemble({ fields, body }: Entity, { before = "", hashesBody = true } = {}): Content {
  const header = `${before}${fields.join("\r\n")}\r\n\r\n`;
  const bytesMax = [header, ...body, "\r\n"].reduce((size, piece) => size + bytesMaxOf(piece), 0);
  // Not from Node's buffer pool, which cannot be transferred to another thread.
  const target = Buffer.allocUnsafeSlow(bytesMax);
  const bodyStart = target.write(header);
  const literal: Range[] = [];
  let end = bodyStart;
  for (const piece of body) {
    const from = end;
    end = typeof piece === "string" ? end + target.write(piece, end) : piece.write(target, end);
    if (typeof piece !== "string" && piece.isLiteral && end > from) literal.push({ from, to: end });
  }
  if (end === bodyStart || target[end - 1] !== LF) end += target.write("\r\n", end);
  if (end > bytesMax) throw new Error(`message has ${end} bytes, more than the computed maximum of ${bytesMax}`);
  const bytes = target.subarray(0, end);
  return hashesBody ? contentOf(bytes, literal) : { bytes, bodyHash: null };
}

const bytesMaxOf = (piece: Piece): number => (typeof piece === "string" ? Buffer.byteLength(piece) : piece.bytesMax);

/** "=_" occurs neither in quoted-printable (RFC 2045 §6.7) nor in base64. No kind's boundary is a prefix of another's. */
function boundaryOf(kind: MultipartKind, boundary: string): string {
  if (typeof kind !== "string") return `=_report-${boundary}`;
  return kind === "alternative" ? `=_${boundary}` : `=_${kind}-${boundary}`;
}

/** The subtype with its own parameters. */
function typeOf(kind: MultipartKind): string {
  if (typeof kind !== "string") return `report; report-type=${kind.reportType};`;
  return kind === "related" ? 'related; type="text/html";' : `${kind};`;
}
