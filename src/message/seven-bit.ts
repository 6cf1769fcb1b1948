/**
 * A message in 7 bits, for a mail host without 8BITMIME (RFC 6152 §3): each part with octets above 127 becomes base64, and the
 * multiparts around it are relabelled. All other parts stay as they are. A multipart that was signed with S/MIME or PGP loses its
 * signature, which is why those programs write 7 bits themselves.
 */
import { isAscii as isAsciiBytes } from "node:buffer";
import { isAscii } from "./address.ts";
import { base64LinesBytes, writeBase64Lines } from "./base64.ts";
import { bodyStart } from "./content.ts";
import { inAscii } from "./submitted/ascii-field.ts";
import { type HeaderField, headerFields } from "./submitted/header-fields.ts";

/** A deeper structure has no use, and its conversion would take quadratic time. */
const DEPTH_MAX = 20;
/** In a whole message. The conversion holds up all connections, and each part may take more octets than before. */
const PARTS_MAX = 1000;
const HEADER_OCTETS_MAX = 256 * 1024;
/** RFC 2046 §5.1.1. The search for a longer one can take quadratic time. */
const BOUNDARY_LENGTH_MAX = 70;
const CRLF = Buffer.from("\r\n");

/** Returns the message in 7 bits; null if its structure does not allow that. CRLF line ends only, before and after. */
export function toSevenBit(message: Buffer): Buffer | null {
  try {
    const left = { parts: PARTS_MAX, headerOctets: HEADER_OCTETS_MAX };
    return entityInSevenBits(message, { depth: 0, isMessage: true, left });
  } catch (error) {
    if (error instanceof NotConvertible) return null;
    throw error;
  }
}

class NotConvertible extends Error {}

interface Place {
  depth: number;
  /** Whether the entity is a message, whose header must have its own fields. */
  isMessage: boolean;
  /** What may still be converted of the message. */
  left: { parts: number; headerOctets: number };
}

function entityInSevenBits(entity: Buffer, place: Place): Buffer {
  const { depth, isMessage, left } = place;
  if (isAsciiBytes(entity)) return entity;
  if (depth > DEPTH_MAX) throw new NotConvertible();
  // A part may have an empty header.
  const start = entity.subarray(0, CRLF.length).equals(CRLF) ? CRLF.length : bodyStart(entity);
  left.headerOctets -= start;
  if (left.headerOctets < 0) throw new NotConvertible();
  const header = headerFields(entity.subarray(0, start));
  if (header.type === "invalid") throw new NotConvertible();
  const { fields } = header;
  const body = entity.subarray(start);
  const { type, boundary } = typeOf(fields);
  const isContainer = type.startsWith("multipart/") || type === "message/rfc822" || type === "message/global";
  if (isAsciiBytes(body)) return joined(fields, body, null);
  // One that claims to be encoded and is 8-bit all the same is not what it claims.
  if (!/^(7bit|8bit|binary)$/i.test(encodingOf(fields) ?? "7bit")) throw new NotConvertible();
  const complete = isMessage ? withVersion(fields) : fields;
  if (!isContainer) return joined(complete, inBase64(body), "base64");
  const inner =
    boundary === null
      ? entityInSevenBits(body, { ...place, depth: depth + 1, isMessage: true })
      : multipartInSevenBits(body, boundary, place);
  return joined(complete, inner, isMessage || encodingOf(fields) !== null ? "7bit" : null);
}

/** Each part, between the delimiters as they are. Text before the first and after the last is not shown, and is left out if it is 8-bit. */
function multipartInSevenBits(body: Buffer, boundary: string, place: Place): Buffer {
  const pieces: Buffer[] = [];
  let from = 0;
  let isInPart = false;
  for (const { at, end, isLast } of delimiters(body, boundary, place)) {
    const piece = body.subarray(from, at);
    if (isInPart) pieces.push(entityInSevenBits(piece, { ...place, depth: place.depth + 1, isMessage: false }));
    else if (isAsciiBytes(piece)) pieces.push(piece);
    pieces.push(body.subarray(at, end));
    from = end;
    isInPart = !isLast;
    if (isLast) break;
  }
  if (from === 0 || isInPart) throw new NotConvertible();
  const epilogue = body.subarray(from);
  pieces.push(isAsciiBytes(epilogue) ? epilogue : CRLF);
  return Buffer.concat(pieces);
}

interface Delimiter {
  /** With the CRLF before it, which belongs to it (RFC 2046 §5.1.1). */
  at: number;
  end: number;
  isLast: boolean;
}

function* delimiters(body: Buffer, boundary: string, { left }: Place): Generator<Delimiter> {
  const dashes = Buffer.from(`--${boundary}`, "latin1");
  const line = Buffer.concat([CRLF, dashes]);
  const nextFrom = (from: number): number => {
    const found = body.indexOf(line, from);
    return found === -1 ? -1 : found + CRLF.length;
  };
  const first = body.subarray(0, dashes.length).equals(dashes) ? 0 : nextFrom(0);
  for (let found = first; found !== -1; found = nextFrom(found + dashes.length)) {
    left.parts -= 1;
    if (left.parts < 0) throw new NotConvertible();
    const lineEnd = body.indexOf(CRLF, found);
    const end = lineEnd === -1 ? body.length : lineEnd + CRLF.length;
    const rest = body.toString("latin1", found + dashes.length, lineEnd === -1 ? body.length : lineEnd);
    if (!/^(--)?[ \t]*$/.test(rest)) continue;
    yield { at: Math.max(0, found - CRLF.length), end, isLast: rest.startsWith("--") };
  }
}

const valueOfField = (fields: readonly HeaderField[], key: string): string | null =>
  fields.find((field) => field.key === key)?.value ?? null;

const encodingOf = (fields: readonly HeaderField[]): string | null =>
  valueOfField(fields, "content-transfer-encoding")?.split(";")[0]?.trim() ?? null;

function typeOf(fields: readonly HeaderField[]): { type: string; boundary: string | null } {
  const value = valueOfField(fields, "content-type") ?? "text/plain";
  const type = value.split(";")[0]?.trim().toLowerCase() ?? "";
  if (!type.startsWith("multipart/")) return { type, boundary: null };
  const [, quoted, bare] = /;[ \t]*boundary[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))/i.exec(value) ?? [];
  const boundary = quoted?.replace(/\\(.)/g, "$1") ?? bare;
  if (boundary === undefined || boundary === "" || boundary.length > BOUNDARY_LENGTH_MAX) throw new NotConvertible();
  return { type, boundary };
}

function inBase64(octets: Buffer): Buffer {
  const target = Buffer.allocUnsafeSlow(base64LinesBytes(octets.length) + CRLF.length);
  const end = writeBase64Lines(octets, target, 0);
  return target.subarray(0, end + CRLF.copy(target, end));
}

/** A transfer encoding holds only in a message with a MIME-Version (RFC 2045 §4). Simple programs write 8-bit text without one. */
function withVersion(fields: readonly HeaderField[]): readonly HeaderField[] {
  if (valueOfField(fields, "mime-version") !== null) return fields;
  return [...fields, { name: "MIME-Version", key: "mime-version", value: "1.0", text: "MIME-Version: 1.0\r\n" }];
}

/** The entity with its transfer encoding, if it changes, and a header in ASCII. */
function joined(fields: readonly HeaderField[], body: Buffer, encoding: "7bit" | "base64" | null): Buffer {
  const kept = encoding === null ? fields : fields.filter(({ key }) => key !== "content-transfer-encoding");
  const header = kept.map(inAscii);
  if (encoding !== null) header.push(`Content-Transfer-Encoding: ${encoding}\r\n`);
  const text = header.join("");
  if (!isAscii(text)) throw new NotConvertible();
  return Buffer.concat([Buffer.from(`${text}\r\n`, "latin1"), body]);
}
