/**
 * The headers of a message's parts in ASCII, in multiparts and attached messages at any depth: no extension of SMTP covers text outside
 * ASCII there, and servers treat it differently. All else of the body stays octet for octet. What is signed stays as a whole: it is
 * valid only in 7 bits (RFC 1847 §2.1), and a change would break the signature. So does a message/global (RFC 6532).
 */
import { isAscii as isAsciiBytes } from "node:buffer";
import { isAscii } from "../address.ts";
import {
  DEPTH_MAX,
  delimiters,
  isUnencoded,
  mediaTypeOf,
  newStructureBudget,
  type StructureBudget,
  takeHeader,
  UnreadableStructure,
} from "../compose/mime-structure.ts";
import { partFieldInAscii } from "../header/ascii-field.ts";
import { hasLongLine } from "../header/folding.ts";
import { type HeaderField, partFields } from "../header/header-fields.ts";

const KEPT_TYPES: ReadonlySet<string> = new Set(["multipart/signed", "multipart/encrypted"]);

/** `pieces`: the body in its order. */
export type AsciiBody = { type: "valid"; pieces: Buffer[] } | { type: "invalid"; detail: string };

/** `fields`: of the message. A part whose structure cannot be read stays as it is. */
export function withAsciiPartHeaders(fields: readonly HeaderField[], body: Buffer): AsciiBody {
  try {
    return { type: "valid", pieces: bodyPieces(fields, body, { depth: 0, left: newStructureBudget() }) };
  } catch (error) {
    if (error instanceof InvalidPart) return { type: "invalid", detail: error.message };
    throw error;
  }
}

class InvalidPart extends Error {}

interface Place {
  depth: number;
  left: StructureBudget;
}

function bodyPieces(fields: readonly HeaderField[], body: Buffer, place: Place): Buffer[] {
  try {
    if (isAsciiBytes(body) || place.depth > DEPTH_MAX || !isUnencoded(fields)) return [body];
    const { type, boundary } = mediaTypeOf(fields);
    if (type === "message/rfc822") return entityPieces(body, place);
    if (boundary === null || KEPT_TYPES.has(type)) return [body];
    if (!isAscii(boundary)) throw new InvalidPart("The boundary of a multipart is not ASCII (RFC 2046).");
    return multipartPieces(body, boundary, place);
  } catch (error) {
    if (error instanceof UnreadableStructure) return [body];
    throw error;
  }
}

function multipartPieces(body: Buffer, boundary: string, place: Place): Buffer[] {
  const pieces: Buffer[] = [];
  let from = 0;
  let isInPart = false;
  for (const { at, end, isLast } of delimiters(body, boundary, place.left)) {
    // An empty part shares its only line end with both delimiters.
    const start = Math.max(from, at);
    const part = body.subarray(from, start);
    pieces.push(...(isInPart ? entityPieces(part, place) : [part]), body.subarray(start, end));
    from = end;
    isInPart = !isLast;
    if (isLast) break;
  }
  const rest = body.subarray(from);
  return [...pieces, ...(isInPart ? entityPieces(rest, place) : [rest])];
}

function entityPieces(entity: Buffer, { depth, left }: Place): Buffer[] {
  if (isAsciiBytes(entity)) return [entity];
  const octets = takeHeader(entity, left);
  const header = partFields(octets);
  if (header.type === "invalid") return [entity];
  const body = entity.subarray(octets.length);
  const written = isAsciiBytes(octets) ? octets : asciiHeader(octets, header.fields);
  return [written, ...bodyPieces(header.fields, body, { depth: depth + 1, left })];
}

/** The header ends as it was written: a part without a body may lack the empty line, and its last CRLF. */
function asciiHeader(octets: Buffer, fields: readonly HeaderField[]): Buffer {
  const written = fields.map(asciiField).join("");
  const end = octets.toString("latin1", Math.max(0, octets.length - 4));
  if (end === "\r\n\r\n") return Buffer.from(`${written}\r\n`);
  return Buffer.from(end.endsWith("\r\n") ? written : written.slice(0, -"\r\n".length));
}

function asciiField(field: HeaderField): string {
  const written = partFieldInAscii(field);
  if (written !== field.text && hasLongLine(written)) throw new InvalidPart(tooLongInAscii(field));
  return written;
}

/** The error of a field that cannot be folded. */
export const tooLongInAscii = ({ name }: HeaderField): string =>
  `${name} has a line of more than 998 octets once it is written in ASCII, and no blank at which it could be folded.`;
