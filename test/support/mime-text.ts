/** What the generators of MIME messages share. */
import type { Prng } from "../../simulate/prng.ts";
import type { MimeLeaf } from "./mime-leaves.ts";

export interface MimeEntity {
  /** As written, folded, with their line ends. One character is one octet. */
  fields: string[];
  /** Encoded. In a multipart, a last line without an end is one that ends with the delimiter. */
  body: Buffer;
  isLeaf: boolean;
  /** Its parts that are not multiparts, in order; of a leaf, itself. */
  leaves: GeneratedLeaf[];
}

export interface GeneratedLeaf extends MimeLeaf {
  /** Whether a line end after its encoded content is no part of it. */
  isBase64: boolean;
  /** Whether it is text in ASCII, which needs no header. */
  isBareText: boolean;
}

export const CRLF = Buffer.from("\r\n");
export const LINE_OCTETS_MAX = 998;

/** One octet for each character. */
export const latin1 = (text: string): Buffer => Buffer.from(text, "latin1");

/** The octets of a text in UTF-8, one character for each. */
export const utf8AsOctets = (text: string): string => Buffer.from(text).toString("latin1");

const CHARACTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

/** Letters and digits. */
export function token(random: Prng, length: number): string {
  let text = "";
  while (text.length < length) text += CHARACTERS[random.integer(0, CHARACTERS.length - 1)];
  return text;
}

const PROSE = "The quick brown fox jumps over the lazy dog 0123456789 times, and (so it says) sleeps. ".repeat(60);

/** Printable ASCII with blanks; at most 4,000 characters. */
export function words(random: Prng, length: number): string {
  const from = random.integer(0, PROSE.length - length);
  return PROSE.slice(from, from + length);
}

/** Calls one of the functions. */
export const oneOf = <T>(random: Prng, makers: readonly [() => T, ...(() => T)[]]): T => random.pick(makers)();
