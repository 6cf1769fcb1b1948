/**
 * Finds which text of a table occurs in another text. The tables are for people: a text is matched in lower case, with runs of white
 * space reduced to one space. A `*` matches at most 60 characters and a `#` a number; the limits keep matching linear in time.
 */

interface Pattern {
  /** Occurs in each match. A search for it is 100 times as fast as one alternative among hundreds in a regular expression. */
  literal: string;
  /** Null if the literal is the whole text. */
  full: RegExp | null;
}

export type TextPatterns = readonly Pattern[];

/** Texts up to this length match whole words only: "rbl" must not match "curblanguage". */
const WORD_LENGTH_MAX = 5;

export const textPatterns = (texts: readonly string[]): TextPatterns => texts.map(patternOf);

function patternOf(text: string): Pattern {
  const literal = text.split(/[*#]/u).reduce((longest, part) => (part.length > longest.length ? part : longest), "");
  if (literal === text && text.length > WORD_LENGTH_MAX) return { literal, full: null };
  const source = text
    .replace(/[.[\]()\\/+?^$|{}]/gu, "\\$&")
    .replaceAll("*", ".{0,60}")
    .replaceAll("#", "\\d{1,6}");
  return { literal, full: new RegExp(text.length <= WORD_LENGTH_MAX ? `(?<![a-z])${source}(?![a-z])` : source, "u") };
}

/** Returns the text as the patterns expect it. */
export const plainText = (text: string): string => text.toLowerCase().replace(/\s+/gu, " ");

/** Returns what the first pattern that occurs in a plain text matches; null if none occurs. */
export function findText(patterns: TextPatterns, text: string): string | null {
  for (const { literal, full } of patterns) {
    if (!text.includes(literal)) continue;
    const found = full === null ? literal : full.exec(text)?.[0];
    if (found !== undefined) return found;
  }
  return null;
}
