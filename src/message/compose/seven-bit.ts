/**
 * A message in 7 bits, for a mail host without 8BITMIME (RFC 6152 §3): each part with octets above 127 becomes base64, and the
 * multiparts around it are relabelled. All other parts stay as they are. A multipart that was signed with S/MIME or PGP loses its
 * signature, which is why those programs write 7 bits themselves.
 */
import { isAscii } from "../address.ts";
import { HEADER_OCTETS_MAX } from "../content.ts";
import { downgradedField, partFieldInAscii } from "../header/ascii-field.ts";
import { hasLongLine } from "../header/folding.ts";
import { type HeaderField, headerFields, partFields } from "../header/header-fields.ts";
import { atOnce, type OctetRange, PartedOctets, type Reading } from "../parted-octets.ts";
import {
  DEPTH_MAX,
  DelimiterSearch,
  encodingOf,
  headerEnd,
  isUnencoded,
  mediaTypeOf,
  newStructureBudget,
  type StructureBudget,
  UnreadableStructure,
} from "./mime-structure.ts";
import { SevenBitParts } from "./seven-bit-parts.ts";

const CRLF = Buffer.from("\r\n");

/** Returns the message in 7 bits; null if its structure does not allow that. CRLF line ends only, before and after. */
export function toSevenBit(message: Buffer): Buffer | null {
  return atOnce(sevenBitParts(PartedOctets.of(message)))?.part(0, message) ?? null;
}

/** As `toSevenBit`, for a message in parts, each of which is converted on its own. */
export function* sevenBitParts(octets: PartedOctets): Reading<SevenBitParts | null> {
  const parts = new SevenBitParts(octets);
  const shared = { octets, parts, left: newStructureBudget() };
  try {
    yield* convertEntity(octets.all, { ...shared, depth: 0, isMessage: true });
    return parts;
  } catch (error) {
    if (error instanceof UnreadableStructure) return null;
    throw error;
  } finally {
    octets.release();
  }
}

interface Place {
  octets: PartedOctets;
  /** What has been converted so far. */
  parts: SevenBitParts;
  depth: number;
  /** Whether the entity is a message, whose header must have its own fields. */
  isMessage: boolean;
  /** What may still be converted of the message. */
  left: StructureBudget;
}

function* convertEntity(entity: OctetRange, place: Place): Reading<void> {
  const { octets, parts, depth, isMessage, left } = place;
  if (yield* octets.isAscii(entity)) return parts.copy(entity);
  if (depth > DEPTH_MAX) throw new UnreadableStructure();
  const end = yield* headerEnd(octets, entity, left);
  const written = yield* octets.slice({ from: entity.from, to: end });
  const header = depth === 0 ? headerFields(written, HEADER_OCTETS_MAX) : partFields(written);
  if (header.type === "invalid") throw new UnreadableStructure();
  const { fields } = header;
  const body = { from: end, to: entity.to };
  const { type, boundary } = mediaTypeOf(fields);
  const isContainer = type.startsWith("multipart/") || type === "message/rfc822" || type === "message/global";
  const write = (kept: readonly HeaderField[], encoding: Encoding): void =>
    parts.write(entity.from, headerOctets(kept, { depth, encoding }));
  if (yield* octets.isAscii(body)) {
    write(fields, null);
    return parts.copy(body);
  }
  // One that claims to be encoded and is 8-bit all the same is not what it claims.
  if (!isUnencoded(fields)) throw new UnreadableStructure();
  const complete = isMessage ? withVersion(fields) : fields;
  if (!isContainer) {
    write(complete, "base64");
    return parts.encode(body);
  }
  write(complete, isMessage || encodingOf(fields) !== null ? "7bit" : null);
  if (boundary !== null) yield* convertMultipart(body, boundary, place);
  else yield* convertEntity(body, { ...place, depth: depth + 1, isMessage: true });
}

/** Each part, between the delimiters as they are. Text before the first and after the last is not shown, and is left out if it is 8-bit. */
function* convertMultipart(body: OctetRange, boundary: string, place: Place): Reading<void> {
  const { octets, parts, depth, left } = place;
  const search = new DelimiterSearch(octets, body, { boundary, left });
  let from = body.from;
  let isInPart = false;
  for (;;) {
    const found = yield* search.next();
    // No delimiter at all, or none that is the last.
    if (found === null) throw new UnreadableStructure();
    const { at, end, isLast } = found;
    const piece = { from, to: Math.max(from, at) };
    if (isInPart) yield* convertEntity(piece, { ...place, depth: depth + 1, isMessage: false });
    else if (yield* octets.isAscii(piece)) parts.copy(piece);
    // An empty part shares its only line end with both delimiters, and gets one of its own.
    if (at < from) parts.write(from, CRLF);
    parts.copy({ from: piece.to, to: end });
    from = end;
    if (isLast) break;
    isInPart = true;
  }
  const epilogue = { from, to: body.to };
  if (yield* octets.isAscii(epilogue)) parts.copy(epilogue);
  else parts.write(from, CRLF);
}

/** A transfer encoding holds only in a message with a MIME-Version (RFC 2045 §4). Simple programs write 8-bit text without one. */
function withVersion(fields: readonly HeaderField[]): readonly HeaderField[] {
  if (fields.some(({ key }) => key === "mime-version")) return fields;
  return [...fields, { name: "MIME-Version", key: "mime-version", value: "1.0", text: "MIME-Version: 1.0\r\n" }];
}

/** Null if it stays. */
type Encoding = "7bit" | "base64" | null;

/** The header in ASCII, with the transfer encoding, if it changes, and the empty line. */
function headerOctets(
  fields: readonly HeaderField[],
  { depth, encoding }: { depth: number; encoding: Encoding },
): Buffer {
  const kept = encoding === null ? fields : fields.filter(({ key }) => key !== "content-transfer-encoding");
  const header = kept.map(depth === 0 ? downgradedField : partFieldInAscii);
  if (encoding !== null) header.push(`Content-Transfer-Encoding: ${encoding}\r\n`);
  const text = header.join("");
  if (!isAscii(text) || hasLongLine(text)) throw new UnreadableStructure();
  return Buffer.from(`${text}\r\n`, "latin1");
}
