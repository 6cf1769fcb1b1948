/**
 * What a name that people give to things (an API key) must be like, wherever it is typed. What the thing is, and whether
 * the name is free, is for others.
 */

export const DISPLAY_NAME_LENGTH_MAX = 100;

/** Controls, line and paragraph separators, halves of characters, and those that turn the direction of writing. */
const FORBIDDEN = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/** What is wrong with the name, to be read behind "the name"; null when it can be used. */
export function displayNameFault(label: string): string | null {
  if (label.trim() === "") return "must not be empty";
  if (label.length > DISPLAY_NAME_LENGTH_MAX) return `must have at most ${DISPLAY_NAME_LENGTH_MAX} characters`;
  return FORBIDDEN.test(label) ? "must not have control characters or line breaks" : null;
}
