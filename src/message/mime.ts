/**
 * MIME bodies (RFC 2045, 2046): how a text is encoded for transport, and how parts make one body. Decides no more than
 * that; which parts a message has is compose.ts's.
 *
 * nodemailer's composer did this at first and was the largest single cost of accepting a message: most of it went into
 * streams and header parsing that a text in memory does not need. 4 KB of text take a tenth of its time here (5 rounds
 * in turns, 8 to 23 times less).
 */
import { buildHeaderValue } from "nodemailer/lib/mime-funcs";
import { encode, wrap } from "nodemailer/lib/qp";
import type { Attachment } from "./attachment.ts";

/** Header lines without their final CRLF, and a body; 7-bit with CRLF line ends only. */
export interface Entity {
  fields: string[];
  body: string;
}

/** Longest line that needs no encoding, without its CRLF: all software shows it and nothing on the way folds it. */
const LINE_LENGTH_MAX = 76;

const PLAIN = /^[\t\r\n -~]*$/;

/**
 * A text of some type, its line ends made CRLF, in the shortest encoding that carries it. `boundary` is one that the
 * text may come to stand between: where the text holds it, an encoding in which it cannot occur.
 */
export function textEntity(type: "text/plain" | "text/html", text: string, boundary: string): Entity {
  const { encoding, body } = encoded(linesOf(text), boundary);
  const fields = [`Content-Type: ${type}; charset=utf-8`, `Content-Transfer-Encoding: ${encoding}`];
  return { fields, body };
}

/** Without a CR, by far the usual, in half the time. */
function linesOf(text: string): string[] {
  return text.split(text.includes("\r") ? /\r\n?|\n/ : "\n");
}

function encoded(lines: string[], boundary: string): { encoding: string; body: string } {
  const text = lines.join("\r\n");
  const plain = PLAIN.test(text);
  const long = lines.some((line) => line.length > LINE_LENGTH_MAX);
  if (plain && !long && !text.includes(boundary)) return { encoding: "7bit", body: text };
  if (plain || !isShorterAsBase64(text)) return { encoding: "quoted-printable", body: wrap(encode(text)) };
  return { encoding: "base64", body: base64Lines(Buffer.from(text)) };
}

/** RFC 2045 §6.8. */
function base64Lines(bytes: Buffer): string {
  return (bytes.toString("base64").match(/.{1,76}/g) ?? []).join("\r\n");
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
  return { fields, body: base64Lines(content) };
}

/** Base64 makes 4 bytes of 3, quoted-printable 3 of each that is not ASCII and 1 of most others. */
function isShorterAsBase64(text: string): boolean {
  const bytes = Buffer.byteLength(text);
  const ascii = text.replace(/[^ -~\t\r\n]+/g, "").length;
  return (bytes * 4) / 3 < ascii + (bytes - ascii) * 3;
}

/**
 * Entities under one head (RFC 2046 §5.1, RFC 2387). `boundary` is made of letters and digits, and occurs in none of
 * them but as the boundary of another kind of multipart.
 */
export function multipart(kind: "alternative" | "related" | "mixed", boundary: string, entities: Entity[]): Entity {
  const mark = boundaryOf(kind, boundary);
  const parts = entities.map(({ fields, body }) => `--${mark}\r\n${fields.join("\r\n")}\r\n\r\n${body}\r\n`);
  const root = kind === "related" ? ' type="text/html";' : "";
  return {
    fields: [`Content-Type: multipart/${kind};${root} boundary="${mark}"`],
    body: `${parts.join("")}--${mark}--\r\n`,
  };
}

/** "=_" cannot occur in quoted-printable (RFC 2045 §6.7), nor in base64. No kind's is the beginning of another's. */
function boundaryOf(kind: "alternative" | "related" | "mixed", boundary: string): string {
  return kind === "alternative" ? `=_${boundary}` : `=_${kind}-${boundary}`;
}
