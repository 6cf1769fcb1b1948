/** Trims the end of a text. The expression `/x+$/` takes time quadratic in a run of x that is not at the end. */

/** Returns the text without the characters at its end that are among `characters`. */
export function trimEndOf(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
