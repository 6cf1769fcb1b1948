/**
 * MIME bodies (RFC 2045, 2046): how a text is encoded for transport, and how parts make one body. Decides no more than
 * that; which parts a message has is compose.ts's.
 *
 * nodemailer's composer did this at first and was the largest single cost of accepting a message: most of it went into
 * streams and header parsing that a text in memory does not need. 4 KB of text take a tenth of its time here (5 rounds
 * in turns, 8 to 23 times less).
 */
import { buildHeaderValue } from "nodemailer/lib/mime-funcs";
import type { Attachment } from "./attachment.ts";
import { base64LinesBytes, writeBase64Lines } from "./base64.ts";
import { shortLines } from "./short-lines.ts";
import { quotedPrintableBytesMax, type TextBytes, textBytes, withCrlf, writeQuotedPrintable } from "./text-bytes.ts";

/** Header lines without their final CRLF, and a body; 7-bit with CRLF line ends only. */
export interface Entity {
  fields: string[];
  /** In their order. */
  body: Piece[];
}

/** Text, or bytes that are encoded straight into the buffer of the message. */
export type Piece = string | Encoded;

interface Encoded {
  /** Upper bound of what `write` writes. */
  bytesMax: number;
  /** Writes the bytes from `start` and returns the index after them. */
  write(target: Buffer, start: number): number;
}

const LF = 0x0a;
const PLAIN = /^[\t\r\n -~]*$/;

/**
 * A text of some type, its line ends made CRLF, in the shortest encoding that carries it. `boundary` is one that the
 * text may come to stand between: where the text holds it, an encoding in which it cannot occur.
 */
export function textEntity(type: "text/plain" | "text/html", text: string, boundary: string): Entity {
  const { encoding, body } = encoded(text, boundary);
  const fields = [`Content-Type: ${type}; charset=utf-8`, `Content-Transfer-Encoding: ${encoding}`];
  return { fields, body };
}

function encoded(text: string, boundary: string): { encoding: string; body: Piece[] } {
  const isPlain = PLAIN.test(text);
  const plainBody = isPlain && !text.includes(boundary) ? shortLines(text) : null;
  if (plainBody !== null) return { encoding: "7bit", body: plainBody };
  const bytes = textBytes(text);
  if (isPlain || !isShorterAsBase64(bytes)) return { encoding: "quoted-printable", body: [quotedPrintable(bytes)] };
  return { encoding: "base64", body: [base64(withCrlf(bytes))] };
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
    write: (target, start) => writeBase64Lines(bytes, target, start),
  };
}

/** A file, as bytes: shown within the HTML where it has a content id (RFC 2392), else beside the message (RFC 2183). */
export function fileEntity({ filename, contentType, contentId, content }: Attachment): Entity {
  const value = contentId === null ? "attachment" : "inline";
  // Names that are not ASCII by RFC 2231.
  const disposition = buildHeaderValue({ value, params: { filename } }).replaceAll("; ", ";\r\n ");
  const fields = [
    `Content-Type: ${contentType}`,
    "Content-Transfer-Encoding: base64",
    `Content-Disposition: ${disposition}`,
    ...(contentId === null ? [] : [`Content-ID: <${contentId}>`]),
  ];
  return { fields, body: [base64(content)] };
}

/** Base64 makes 4 bytes of 3, quoted-printable 3 of each that is not ASCII and 1 of most others. */
function isShorterAsBase64({ sizeBytes, foreign }: TextBytes): boolean {
  return (sizeBytes * 4) / 3 < sizeBytes + foreign * 2;
}

/**
 * Entities under one head (RFC 2046 §5.1, RFC 2387). `boundary` is made of letters and digits, and occurs in none of
 * them but as the boundary of another kind of multipart.
 */
export function multipart(kind: "alternative" | "related" | "mixed", boundary: string, entities: Entity[]): Entity {
  const mark = boundaryOf(kind, boundary);
  const parts = entities.flatMap(({ fields, body }) => [headOf(mark, fields), ...body, "\r\n"]);
  const root = kind === "related" ? ' type="text/html";' : "";
  return {
    fields: [`Content-Type: multipart/${kind};${root} boundary="${mark}"`],
    body: [...parts, `--${mark}--\r\n`],
  };
}

function headOf(mark: string, fields: string[]): string {
  return `--${mark}\r\n${fields.join("\r\n")}\r\n\r\n`;
}

/** A whole message: header, empty line, body. Adds a CRLF to a body that does not end with one. Writes each byte once. */
export function assemble({ fields, body }: Entity): Buffer {
  const head = `${fields.join("\r\n")}\r\n\r\n`;
  const bytesMax = [head, ...body, "\r\n"].reduce((size, piece) => size + bytesMaxOf(piece), 0);
  // Memory of its own: Node's pool of small buffers cannot be transferred to another thread.
  const target = Buffer.allocUnsafeSlow(bytesMax);
  const bodyStart = target.write(head);
  let end = bodyStart;
  for (const piece of body) {
    end = typeof piece === "string" ? end + target.write(piece, end) : piece.write(target, end);
  }
  if (end === bodyStart || target[end - 1] !== LF) end += target.write("\r\n", end);
  if (end > bytesMax) throw new Error(`a message of at most ${bytesMax} bytes has ${end}`);
  return target.subarray(0, end);
}

const bytesMaxOf = (piece: Piece): number => (typeof piece === "string" ? Buffer.byteLength(piece) : piece.bytesMax);

/** "=_" cannot occur in quoted-printable (RFC 2045 §6.7), nor in base64. No kind's is the beginning of another's. */
function boundaryOf(kind: "alternative" | "related" | "mixed", boundary: string): string {
  return kind === "alternative" ? `=_${boundary}` : `=_${kind}-${boundary}`;
}
