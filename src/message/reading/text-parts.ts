/**
 * Takes a stored message apart (RFC 2045, 2046) and finds its text and its HTML body. Each part is examined once, by byte searches
 * within limits: the time is linear in the message's length, whatever its content.
 */

/** A part that is not a multipart, not decoded. */
export interface LeafPart {
  body: Buffer;
  /** In lower case, without parameters; `text/plain` if missing. */
  type: string;
  /** The Content-Transfer-Encoding in lower case. */
  encoding: string;
  charset: string;
  isAttachment: boolean;
  /** The unfolded values of READ_FIELDS, by lower-case name. */
  fields: ReadonlyMap<string, string>;
}

export interface TextParts {
  plain: LeafPart | null;
  html: LeafPart | null;
}

const DEPTH_MAX = 10;
const PARTS_MAX = 1000;
/** Fields beyond this are ignored. */
const HEADER_BYTES_MAX = 64 * 1024;
/** Characters of a field's value. Bounds the time of regular expressions. A long file name in RFC 2231's form has as many. */
const VALUE_LENGTH_MAX = 8000;
/** RFC 2046 §5.1.1. */
const BOUNDARY_LENGTH_MAX = 70;

/** Returns the first text part and the first HTML part that are not attachments. */
export function textParts(content: Buffer): TextParts {
  const found: TextParts = { plain: null, html: null };
  for (const part of leafParts(content)) {
    if (part.isAttachment) continue;
    if (part.type === "text/plain") found.plain ??= part;
    if (part.type === "text/html") found.html ??= part;
    if (found.plain !== null && found.html !== null) break;
  }
  return found;
}

/** Yields the parts of a message in their order. Each is found only when it is asked for. */
export function leafParts(content: Buffer): Generator<LeafPart, void> {
  return visit(content, 0, { partsLeft: PARTS_MAX });
}

/** `partsLeft`: parts that may still be examined. */
function* visit(part: Buffer, depth: number, walk: { partsLeft: number }): Generator<LeafPart, void> {
  walk.partsLeft -= 1;
  const { header, body } = splitPart(part);
  const fields = readFields(header);
  const contentType = fields.get("content-type") ?? "text/plain";
  const type = contentType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (!type.startsWith("multipart/")) {
    const encoding = (fields.get("content-transfer-encoding") ?? "7bit").toLowerCase();
    const charset = parameterOf(contentType, "charset") ?? "utf-8";
    const isAttachment = /^attachment/i.test(fields.get("content-disposition") ?? "");
    yield { body, type, encoding, charset, isAttachment, fields };
    return;
  }
  const boundary = parameterOf(contentType, "boundary");
  if (boundary === null || boundary.length > BOUNDARY_LENGTH_MAX || depth >= DEPTH_MAX) return;
  for (const inner of partsOf(body, boundary)) {
    if (walk.partsLeft === 0) return;
    yield* visit(inner, depth + 1, walk);
  }
}

/** A part without an empty line is all header; a part that begins with one has no header. */
function splitPart(part: Buffer): { header: Buffer; body: Buffer } {
  if (part.length >= 2 && part[0] === 0x0d && part[1] === 0x0a)
    return { header: part.subarray(0, 0), body: part.subarray(2) };
  const end = part.indexOf("\r\n\r\n");
  const header = part.subarray(0, Math.min(end === -1 ? part.length : end, HEADER_BYTES_MAX));
  return { header, body: end === -1 ? part.subarray(part.length) : part.subarray(end + 4) };
}

const READ_FIELDS: readonly string[] = [
  "content-type",
  "content-disposition",
  "content-transfer-encoding",
  "content-id",
];

/** Returns the first occurrence of each field in READ_FIELDS, by lower-case name. */
function readFields(header: Buffer): Map<string, string> {
  const fields = new Map<string, string>();
  let name = "";
  for (const line of header.toString("utf8").split("\r\n")) {
    const isContinued = line.startsWith(" ") || line.startsWith("\t");
    if (!isContinued) {
      const colon = line.indexOf(":");
      const lineName = line.slice(0, Math.max(0, colon)).toLowerCase();
      name = READ_FIELDS.includes(lineName) && !fields.has(lineName) ? lineName : "";
      if (name !== "") fields.set(name, line.slice(colon + 1, colon + 1 + VALUE_LENGTH_MAX));
      continue;
    }
    const value = fields.get(name) ?? "";
    if (name !== "" && value.length < VALUE_LENGTH_MAX) fields.set(name, value + line.slice(0, VALUE_LENGTH_MAX));
  }
  for (const [each, value] of fields) fields.set(each, value.slice(0, VALUE_LENGTH_MAX).trim());
  return fields;
}

const PARAMETERS = {
  boundary: /;\s*boundary=(?:"([^"]*)"|([^;\s]+))/i,
  charset: /;\s*charset=(?:"([^"]*)"|([^;\s]+))/i,
};

function parameterOf(value: string, name: keyof typeof PARAMETERS): string | null {
  const [, quoted, bare] = PARAMETERS[name].exec(value) ?? [];
  return quoted ?? bare ?? null;
}

/** Yields the parts between the delimiter lines. The last part may be unterminated. */
function* partsOf(body: Buffer, boundary: string): Generator<Buffer> {
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  const first = delimiter.subarray(2);
  let at = body.subarray(0, first.length).equals(first) ? first.length : afterDelimiter(body, delimiter, 0);
  while (at !== -1 && !(body[at] === 0x2d && body[at + 1] === 0x2d)) {
    const next = body.indexOf(delimiter, at);
    yield body.subarray(lineEnd(body, at), next === -1 ? body.length : next);
    at = next === -1 ? -1 : next + delimiter.length;
  }
}

function afterDelimiter(body: Buffer, delimiter: Buffer, from: number): number {
  const at = body.indexOf(delimiter, from);
  return at === -1 ? -1 : at + delimiter.length;
}

/** Returns the index after the blanks and the line end that follow a delimiter. */
function lineEnd(body: Buffer, from: number): number {
  let at = from;
  while (body[at] === 0x20 || body[at] === 0x09) at += 1;
  return body[at] === 0x0d && body[at + 1] === 0x0a ? at + 2 : from;
}
