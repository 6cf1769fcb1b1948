/** Validates a display name that a user enters. The caller decides whether it is unique. */

export const DISPLAY_NAME_LENGTH_MAX = 100;

/** Control characters, line and paragraph separators, lone surrogates, and characters that change the text direction. */
const FORBIDDEN = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/** The fault of a name, as the predicate of a sentence that starts with "the name"; null for a valid name. */
export function displayNameFault(name: string): string | null {
  if (name.trim() === "") return "must not be empty";
  if (name.length > DISPLAY_NAME_LENGTH_MAX) return `must have at most ${DISPLAY_NAME_LENGTH_MAX} characters`;
  return FORBIDDEN.test(name) ? "must not have control characters or line breaks" : null;
}
