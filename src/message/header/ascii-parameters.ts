/**
 * Parameters whose values are not ASCII, such as the names of files, as RFC 2231 has them, without comments beside them. All other
 * parameters stay as written.
 */
import { isAscii } from "../address.ts";
import { percentEncoded } from "./address-text.ts";
import { asciiTokens } from "./ascii-tokens.ts";
import { splitComments } from "./comments.ts";
import { hasLongLine } from "./folding.ts";
import { type Segment, segmentsOf } from "./parameters.ts";

/** A value with more encoded octets is continued on further lines (RFC 2231 §3), where one line would be too long. */
const PIECE = /(?:%..|[^%]){1,60}/g;

/** A parameter's name without what RFC 2231 adds to it: the number of a piece, and a star if the value is encoded. */
const NAME = /^([^*]+)(?:\*(\d{1,4}))?(\*)?$/;

/** A part of the field after its first semicolon. `base`: null for text that is no parameter. */
interface Part extends Segment {
  base: string | null;
  piece: number | null;
  isExtended: boolean;
}

/** What parameters of one name are, together. */
interface Group {
  pieces: Part[];
  /** Whether a piece has a value that must be encoded. */
  hasRawPiece: boolean;
  /** Whether one is encoded already. */
  isExtended: boolean;
}

/** `text`: what is after the field's colon. `prefix`: what is before. */
export function parametersInAscii(prefix: string, text: string): string {
  const [first, ...others] = segmentsOf(text);
  const parts = others.map(partOf);
  const groups = groupsOf(parts);
  const head = `${prefix}${asciiTokens(first?.text ?? "")}`;
  const short = head + parts.map((part) => writtenWith(part, groups, inOnePiece)).join("");
  if (!hasLongLine(short)) return short;
  return head + parts.map((part) => ownLine(writtenWith(part, groups, inPieces))).join("");
}

function partOf(segment: Segment): Part {
  // A name outside ASCII is none, and has no other form.
  const name = segment.name !== null && isAscii(segment.name) ? segment.name : "";
  const [, base = null, piece, star] = NAME.exec(name) ?? [];
  return { ...segment, base, piece: piece === undefined ? null : Number(piece), isExtended: star !== undefined };
}

const isRaw = ({ isExtended, value }: Part): boolean => !isExtended && !isAscii(value);

function groupsOf(parts: readonly Part[]): ReadonlyMap<string | null, Group> {
  const groups = new Map<string | null, Group>();
  for (const part of parts) {
    const group = groups.get(part.base) ?? { pieces: [], hasRawPiece: false, isExtended: false };
    groups.set(part.base, group);
    group.isExtended ||= part.isExtended;
    if (part.piece === null) continue;
    group.pieces.push(part);
    group.hasRawPiece ||= isRaw(part);
  }
  return groups;
}

type Written = (name: string, encoded: string) => string;

const inOnePiece: Written = (name, encoded) => `${name}*=utf-8''${encoded}`;
const inPieces: Written = (name, encoded) =>
  (encoded.match(PIECE) ?? [])
    .map((piece, number) => `${name}*${number}*=${number === 0 ? "utf-8''" : ""}${piece}`)
    .join(";\r\n ");

function writtenWith(part: Part, groups: ReadonlyMap<string | null, Group>, written: Written): string {
  const { base, piece, isExtended, before, after, text } = part;
  const group = groups.get(base);
  if (base === null || group === undefined) return `;${asciiTokens(text)}`;
  const isConverted = piece === null ? isRaw(part) : group.hasRawPiece;
  if (!isConverted) return `;${isExtended ? percentEncoded(text) : asciiTokens(text)}`;
  // An encoded value takes precedence over a plain one (RFC 6266 §4.3), and one for readers without RFC 2231 is ASCII.
  if (piece === null && group.isExtended) return "";
  if (piece !== null && part !== group.pieces[0]) return "";
  const value = piece === null ? part.value : joinedValue(group.pieces);
  const encoded = encodeURIComponent(value.toWellFormed()).replace(/['()*!]/g, percent);
  return `;${before}${written(base, encoded)}${withoutComments(after)}`;
}

/** Some readers take a comment beside a parameter for a part of it. */
function withoutComments(text: string): string {
  const pieces = splitComments(text) ?? [{ text, isComment: false }];
  const others = pieces.filter(({ isComment }) => !isComment).map((piece) => piece.text);
  return pieces.length === others.length ? percentEncoded(text) : percentEncoded(others.join("").trimEnd());
}

/** The value of a parameter in several pieces (RFC 2231 §3, §4.1). */
function joinedValue(pieces: readonly Part[]): string {
  const ordered = [...pieces].sort((a, b) => Number(a.piece) - Number(b.piece));
  const [first] = ordered;
  const [, charset = "", start = ""] = /^([^']*)'[^']*'(.*)$/s.exec(first?.isExtended ? first.value : "") ?? [];
  const octets = ordered.map((each) => {
    const value = each === first && each.isExtended && charset !== "" ? start : each.value;
    return each.isExtended ? percentDecoded(value) : Buffer.from(value);
  });
  const isUtf8 = charset === "" || ordered.some(({ isExtended, value }) => !isExtended && !isAscii(value));
  return decoderOf(isUtf8 ? "utf-8" : charset).decode(Buffer.concat(octets));
}

function decoderOf(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}

const percentDecoded = (value: string): Buffer =>
  Buffer.from(
    Buffer.from(value)
      .toString("latin1")
      .replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    "latin1",
  );

const percent = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;

/** The part, which begins with its semicolon, on its own line. */
const ownLine = (written: string): string => written.replace(/^;[ \t\r\n]*/, written === "" ? "" : ";\r\n ");
