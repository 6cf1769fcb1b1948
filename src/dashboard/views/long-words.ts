/**
 * Shortens the long words of DNS text, such as the key of a DKIM record, in their middle. The table of records shows such a value
 * in full once; sentences and comparisons about it need only enough to recognize it.
 */

/** A piece of a text, or the number of characters left out. */
export type Piece = string | number;

const HEAD_LENGTH = 16;
const TAIL_LENGTH = 8;

/** Words of at least this many characters are shortened. */
export const LONG_WORD_LENGTH = 64;

/** Splits a text where long words are shortened. The strings and the left-out characters together are the whole text. */
export function shortenedPieces(text: string, longFrom = LONG_WORD_LENGTH): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const { 0: word, index } of text.matchAll(/[A-Za-z0-9+/=]+/g)) {
    if (word.length < longFrom) continue;
    pieces.push(text.slice(end, index + HEAD_LENGTH), word.length - HEAD_LENGTH - TAIL_LENGTH);
    end = index + word.length - TAIL_LENGTH;
  }
  return [...pieces, text.slice(end)];
}

/** The text with an ellipsis in each long word. */
export function shortened(text: string): string {
  return shortenedPieces(text)
    .map((piece) => (typeof piece === "string" ? piece : "…"))
    .join("");
}
