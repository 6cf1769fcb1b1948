/**
 * The structure of a MIME message (RFC 2045, 2046) that a client has built: where its parts are, and of which types. What cannot be
 * read, or is not worth it, throws UnreadableStructure.
 */
import type { HeaderField } from "../header/header-fields.ts";
import { parameterOf } from "../header/parameters.ts";
import { atOnce, type OctetRange, PartedOctets, type Reading } from "../parted-octets.ts";

/** A deeper structure has no use, and reading it would take quadratic time. */
export const DEPTH_MAX = 20;
/** RFC 2046 §5.1.1. The search for a longer one can take quadratic time. */
const BOUNDARY_LENGTH_MAX = 70;
/** After a boundary, of blanks. A longer line is no line of a message (RFC 5322 §2.1.1). */
const PADDING_OCTETS_MAX = 998;
const CRLF = Buffer.from("\r\n");
const END_OF_HEADER = Buffer.from("\r\n\r\n");

export class UnreadableStructure extends Error {}

/** What may still be read of a message: reading holds up all connections. */
export interface StructureBudget {
  /** Delimiters, also those of other multiparts. */
  parts: number;
  headerOctets: number;
  /** That are searched for delimiters, at each level again. */
  searchedOctets: number;
}

export const newStructureBudget = (): StructureBudget => ({
  parts: 1000,
  headerOctets: 256 * 1024,
  searchedOctets: 64 * 1024 * 1024,
});

/** The octets of a part's header, with the empty line after it; a part may have an empty header. */
export const takeHeader = (entity: Buffer, left: StructureBudget): Buffer =>
  entity.subarray(0, atOnce(headerEnd(PartedOctets.of(entity), { from: 0, to: entity.length }, left)));

/** Where the header of an entity ends, as `takeHeader`. */
export function* headerEnd(octets: PartedOctets, { from, to }: OctetRange, left: StructureBudget): Reading<number> {
  const start = yield* octets.slice({ from, to: Math.min(to, from + CRLF.length) });
  let end = from + CRLF.length;
  if (!start.equals(CRLF)) {
    const found = yield* octets.indexOf(END_OF_HEADER, { from, to: Math.min(to, from + left.headerOctets) });
    end = found === -1 ? to : found + END_OF_HEADER.length;
  }
  left.headerOctets -= end - from;
  if (left.headerOctets < 0) throw new UnreadableStructure();
  return end;
}

export interface Delimiter {
  /** With the CRLF before it, which belongs to it (RFC 2046 §5.1.1). */
  at: number;
  end: number;
  isLast: boolean;
}

/** The delimiters in a multipart's body, in their order. */
export function* delimiters(body: Buffer, boundary: string, left: StructureBudget): Generator<Delimiter> {
  const search = new DelimiterSearch(PartedOctets.of(body), { from: 0, to: body.length }, { boundary, left });
  for (let found = atOnce(search.next()); found !== null; found = atOnce(search.next())) yield found;
}

/** Finds the delimiters in a multipart's body one by one. Their places are those in all octets. */
export class DelimiterSearch {
  readonly #octets: PartedOctets;
  readonly #body: OctetRange;
  readonly #left: StructureBudget;
  /** At the beginning of the body, and of any other line. */
  readonly #dashes: Buffer;
  readonly #line: Buffer;
  #from: number;

  constructor(octets: PartedOctets, body: OctetRange, { boundary, left }: { boundary: string; left: StructureBudget }) {
    left.searchedOctets -= body.to - body.from;
    if (left.searchedOctets < 0) throw new UnreadableStructure();
    this.#octets = octets;
    this.#body = body;
    this.#left = left;
    this.#dashes = Buffer.from(`--${boundary}`, "latin1");
    this.#line = Buffer.concat([CRLF, this.#dashes]);
    this.#from = body.from;
  }

  /** Null after the last one. */
  *next(): Reading<Delimiter | null> {
    const body = this.#body;
    for (;;) {
      const found = yield* this.#nextLine();
      if (found === -1) return null;
      this.#left.parts -= 1;
      if (this.#left.parts < 0) throw new UnreadableStructure();
      this.#from = found + this.#dashes.length;
      const lineEnd = yield* this.#octets.indexOf(CRLF, { from: this.#from, to: body.to });
      const rest = { from: this.#from, to: lineEnd === -1 ? body.to : lineEnd };
      if (rest.to - rest.from > PADDING_OCTETS_MAX) continue;
      const text = (yield* this.#octets.slice(rest)).toString("latin1");
      if (!/^(--)?[ \t]*$/.test(text)) continue;
      const end = lineEnd === -1 ? body.to : lineEnd + CRLF.length;
      return { at: Math.max(body.from, found - CRLF.length), end, isLast: text.startsWith("--") };
    }
  }

  /** Where the next line that begins as a delimiter does begins; -1 if there is none. */
  *#nextLine(): Reading<number> {
    const { from, to } = this.#body;
    if (this.#from === from) {
      const start = yield* this.#octets.slice({ from, to: Math.min(to, from + this.#dashes.length) });
      if (start.equals(this.#dashes)) return from;
    }
    const found = yield* this.#octets.indexOf(this.#line, { from: this.#from, to });
    return found === -1 ? -1 : found + CRLF.length;
  }
}

const valueOfField = (fields: readonly HeaderField[], key: string): string | null =>
  fields.find((field) => field.key === key)?.value ?? null;

/** The transfer encoding as written; null without the field. */
export const encodingOf = (fields: readonly HeaderField[]): string | null =>
  valueOfField(fields, "content-transfer-encoding")?.split(";")[0]?.split("(")[0]?.trim() ?? null;

/** Whether a body is not encoded, so that its octets are those of its parts. */
export const isUnencoded = (fields: readonly HeaderField[]): boolean =>
  /^(7bit|8bit|binary)$/i.test(encodingOf(fields) ?? "7bit");

export interface MediaType {
  /** In lower case, without parameters. */
  type: string;
  /** Of a multipart; null for all others. */
  boundary: string | null;
}

export function mediaTypeOf(fields: readonly HeaderField[]): MediaType {
  const value = valueOfField(fields, "content-type") ?? "text/plain";
  const type = value.split(";")[0]?.split("(")[0]?.trim().toLowerCase() ?? "";
  if (!type.startsWith("multipart/")) return { type, boundary: null };
  const boundary = parameterOf(value, "boundary");
  if (boundary === null || boundary === "" || boundary.length > BOUNDARY_LENGTH_MAX) throw new UnreadableStructure();
  return { type, boundary };
}
