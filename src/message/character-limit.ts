/**
 * Length limits in characters (code points). A string's characters are counted only where its UTF-16 length does not decide.
 */

/** Whether a text has more than `charactersMax` code points. */
export function isLongerThan(text: string, charactersMax: number): boolean {
  if (text.length <= charactersMax) return false;
  // A code point has at most two UTF-16 code units.
  if (text.length > 2 * charactersMax) return true;
  let surplus = text.length - charactersMax;
  for (const character of text) surplus -= character.length - 1;
  return surplus > 0;
}
